"""Rows of a file of labels, each held against the form of a label."""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from math import isnan
from pathlib import Path
from typing import Any, Final, NamedTuple

from ragmon.errors import ConfigError, InputError
from ragmon.evaluate.reading import read_rows
from ragmon.evaluate.rows import NAMES
from ragmon.evaluate.values import Cell, labelled, read_json
from ragmon.labels import LabelError, parse_label
from ragmon.model.gold import GoldLabel

_GZIP: Final = b"\x1f\x8b"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_TABLES: Final = frozenset((".csv", ".parquet"))
_FLAGS: Final = frozenset(("answerable", "task_success"))
_NUMBERS: Final = frozenset(("labelled_at", "revision", "probability"))
_TEXTS: Final = frozenset(("trace_id", "span_id", "request_id", "query", "pipeline", "annotator"))
_plain: Final = labelled(lambda value: value)


class LabelRow(NamedTuple):
    """One row: where it stands, the object as it would be posted, and its labels or its faults."""

    where: str
    posted: object
    labels: tuple[GoldLabel, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def content(self) -> bytes:
        """The JSON to post."""
        # Escapes carry what UTF-8 cannot: half a surrogate pair.
        return json.dumps(self.posted, separators=(",", ":")).encode()


def read_label_rows(
    file: Path, defaults: Mapping[str, str], received_ns: int = 0
) -> Iterator[LabelRow]:
    """Every row of a JSONL, CSV (both also gzipped) or Parquet file.

    defaults: fields of rows that do not have them. What only names a row is left out.
    received_ns: when labels were given that do not say it.

    Raises:
        ConfigError: the file cannot be read.
    """
    rows = _of_table(file) if _suffix(file) in _TABLES else _of_lines(file)
    for where, posted in rows:
        yield _checked(where, posted, defaults, received_ns)


def count_rows(file: Path) -> int | None:
    """About how many rows there are, for a progress bar; None where it takes long to know.

    Raises:
        ConfigError: the file cannot be read.
    """
    if _suffix(file) == ".parquet":
        return None
    return sum(1 for _ in _raw_lines(file))


def _suffix(file: Path) -> str:
    return Path(file.stem if file.suffix == ".gz" else file.name).suffix


def _checked(where: str, posted: object, defaults: Mapping[str, str], received_ns: int) -> LabelRow:
    if isinstance(posted, ValueError):
        return LabelRow(where, None, faults=(str(posted),))
    if isinstance(posted, dict):
        named = {name: value for name, value in posted.items() if name not in NAMES}
        missing = {k: v for k, v in defaults.items() if named.get(k) is None}
        posted = named | missing
    try:
        return LabelRow(where, posted, parse_label(posted, received_ns))
    except LabelError as error:
        return LabelRow(where, posted, faults=error.faults)


def _of_lines(file: Path) -> Iterator[tuple[str, object]]:
    """What each line says that is not blank; a ValueError for one that is no JSON."""
    for number, line in enumerate(_raw_lines(file), start=1):
        written = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if written.strip():
            yield f"{file}:{number}", _read_line(written)


def _read_line(line: bytes) -> object:
    try:
        return read_json(line)
    except ValueError:
        return ValueError("is no JSON")


def _raw_lines(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as raw:
            zipped = raw.peek(2).startswith(_GZIP)
            lines: Iterable[bytes] = gzip.GzipFile(fileobj=raw) if zipped else raw
            yield from lines
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or "is no whole gzip"
        raise ConfigError((f"{file}: {why}",)) from None


def _of_table(file: Path) -> Iterator[tuple[str, object]]:
    try:
        for fields, where in read_rows(file):
            yield (
                where,
                {
                    name: _value(name, cell)
                    for name, cell in fields.items()
                    if not _is_nothing(cell)
                },
            )
    except InputError as error:
        raise ConfigError((str(error),)) from None


def _is_nothing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and isnan(cell))


def _value(name: str, cell: Any) -> object:
    """A cell as JSON has it; tables have no whole numbers beside missing ones, nor flags."""
    if isinstance(cell, datetime):
        return cell.isoformat()
    if isinstance(cell, Cell):
        return _of_text(name, cell)
    return _typed(name, _plain(cell))


def _of_text(name: str, cell: Cell) -> object:
    if name in _TEXTS:
        return str(cell)
    return _typed(name, cell.scalar if name in _FLAGS | _NUMBERS else cell.nested)


def _typed(name: str, value: Any) -> object:
    if name in _FLAGS and value in (0, 1):
        return bool(value)
    if name == "revision" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value
