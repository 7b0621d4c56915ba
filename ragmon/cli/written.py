"""Files that commands write."""

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ragmon.errors import ConfigError


@contextmanager
def written(file: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """A file that appears under its name only when it is whole; `-` is stdout.

    Raises:
        ConfigError: it cannot be written.
    """
    if str(file) == "-":
        yield sys.stdout.buffer
        return
    part = file.with_name(f"{file.name}.part")
    try:
        with gzip.open(part, "wb") if file.suffix == ".gz" else part.open("wb") as target:
            yield target
        part.replace(file)
    except OSError as error:
        raise ConfigError((f"{file}: {error.strerror}",)) from None
    finally:
        part.unlink(missing_ok=True)
