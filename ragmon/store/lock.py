"""One process per database: flock on a side file that names the holder."""

import fcntl
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from ragmon.errors import StoreError, StoreLockedError


class FileLock:
    """The exclusive right to a file, by a lock beside it, until `close` or the process ends.

    The folder is made if need be, for its owner only.

    Raises:
        StoreLockedError: another holder has it; the message names the holder.
        StoreError: the folder cannot be made or written.
    """

    def __init__(self, path: Path, what: str) -> None:
        self._file = _open_beside(path)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._file, 4096).decode(errors="replace")
            os.close(self._file)
            raise StoreLockedError(
                f"the {what} {path} is held by {holder or 'another process'}; "
                "stop it first, or give this one another folder"
            ) from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"process {os.getpid()} ({' '.join(sys.argv)})".encode()[:4096])

    def close(self) -> None:
        """Let go; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _open_beside(path: Path) -> int:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.lock")
        return os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(
            f"the folder {path.parent} cannot be used ({error.strerror}); "
            "store.path must be a folder that this process may write"
        ) from None
