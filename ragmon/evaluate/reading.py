"""Where rows come from: records, columns, files and data frames, one row at a time."""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from ragmon.errors import InputError
from ragmon.evaluate.values import Cell, read_json, unknown_name

Fields: TypeAlias = Mapping[str, Any]
Records: TypeAlias = Iterable[Fields] | str | PathLike[str] | object
"""Mappings, the path of a JSONL, CSV or Parquet file, or a pandas or polars frame."""

_ROWS_AT_ONCE: Final = 1024
_LONGEST_CELL: Final = 1 << 30


class Row(NamedTuple):
    """One row and where it stands, for messages."""

    fields: Fields
    where: str


def read_rows(given: Records) -> Iterator[Row]:
    """The rows of records, of a file (also gzipped) or of a frame, in their order.

    Raises:
        InputError: the file cannot be read, or a row is no object; it names the place.
    """
    if isinstance(given, str | PathLike):
        return _of_file(Path(given))
    return _named(_of_memory(given))


def rows_of(
    records: Records | None,
    columns: Mapping[str, Sequence[Any] | None],
    known: Iterable[str],
) -> Iterator[Row]:
    """The rows of records, or of columns, whose names must be known.

    Raises:
        InputError: both are given or neither is, or they cannot be read.
    """
    if records is None:
        for name in columns:
            if name not in known:
                raise InputError(unknown_name("field", name, known))
        return _rows_of_columns(columns)
    if columns:
        raise InputError(f"give records or columns, not both ({', '.join(columns)})")
    return read_rows(records)


def _rows_of_columns(columns: Mapping[str, Sequence[Any] | None]) -> Iterator[Row]:
    """Rows of lists that stand beside each other, one value per row."""
    given = {name: _column(name, column) for name, column in columns.items() if column is not None}
    if not given:
        raise InputError("nothing to evaluate: give records, a file, a frame, or columns")
    first = next(iter(given))
    for name, column in given.items():
        if len(column) != len(given[first]):
            raise InputError(
                f"{first} has {len(given[first])} rows and {name} {len(column)}; each needs one"
                " value per row"
            )
    return _named(dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True))


def _column(name: str, column: object) -> list[Any]:
    if isinstance(column, str | bytes | Mapping) or not isinstance(column, Iterable):
        raise InputError(f"{name} must be a list with one value per row, not {_type(column)}")
    return list(column)


def _type(given: object) -> str:
    return type(given).__name__


def _named(rows: Iterable[object]) -> Iterator[Row]:
    for number, fields in enumerate(rows, start=1):
        yield _row(fields, f"row {number}")


def _row(fields: object, where: str) -> Row:
    if not isinstance(fields, Mapping):
        raise InputError(f"{where}: must be an object of fields, not {_type(fields)}")
    return Row(fields, where)


def _of_memory(given: Any) -> Iterable[object]:
    """Records as they are; the rows of a frame, whichever library it is of."""
    if hasattr(given, "iter_rows"):  # polars
        rows: Iterable[object] = given.iter_rows(named=True)
        return rows
    if hasattr(given, "itertuples"):  # pandas
        names = [str(name) for name in given.columns]
        _check_header(names, "the frame")
        return (
            dict(zip(names, row, strict=True)) for row in given.itertuples(index=False, name=None)
        )
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise InputError(
            f"records must be a list of objects, a file or a frame, not {_type(given)}"
        )
    return given


def _of_file(path: Path) -> Iterator[Row]:
    form = _FORMS.get(_suffix(path))
    if form is None:
        raise InputError(f"{path}: must end in {', '.join(_FORMS)}, with or without .gz")
    try:
        yield from form(path)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is no UTF-8") from None


def _suffix(path: Path) -> str:
    return Path(path.stem if path.suffix == ".gz" else path.name).suffix


def _jsonl(path: Path) -> Iterator[Row]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _row(_json(line, f"{path}:{number}"), f"{path}:{number}")


def _json(line: bytes, where: str) -> object:
    try:
        return read_json(line)
    except ValueError:
        raise InputError(f"{where}: is no JSON") from None


def _csv(path: Path) -> Iterator[Row]:
    opened = gzip.open if path.suffix == ".gz" else open
    csv.field_size_limit(_LONGEST_CELL)  # of the whole process: contexts are long
    with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines)
        try:
            names = next(reader, [])
            _check_header(names, f"{path}:{reader.line_num}")
            for cells in filter(None, reader):
                where = f"{path}:{reader.line_num}"
                yield Row(_cells(names, cells, where), where)
        except csv.Error as error:
            raise InputError(f"{path}:{reader.line_num}: {error}") from None


def _check_header(names: Sequence[str], where: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{where}: two columns have the name {twice[:40]!r}")


def _cells(names: Sequence[str], cells: Sequence[str], where: str) -> dict[str, Cell]:
    """The cells that hold something."""
    if len(cells) > len(names):
        raise InputError(f"{where}: has {len(cells)} cells, and the header {len(names)}")
    return {name: Cell(cell) for name, cell in zip(names, cells, strict=False) if cell}


def _parquet(path: Path) -> Iterator[Row]:
    try:
        from pyarrow import ArrowException, parquet, types  # noqa: PLC0415 (an extra)
    except ModuleNotFoundError:
        raise InputError(
            f"{path}: Parquet needs the extra `files`: pip install 'ragmon[files]'"
        ) from None
    try:
        with parquet.ParquetFile(path) as table:
            batches = table.iter_batches(_ROWS_AT_ONCE)
            maps = [one.name for one in table.schema_arrow if types.is_map(one.type)]
            rows = (row for batch in batches for row in batch.to_pylist())
            yield from _named_after(path, (_with_objects(row, maps) for row in rows))
    except ArrowException as error:
        raise InputError(f"{path}: is no Parquet file ({type(error).__name__})") from None


def _with_objects(row: Mapping[str, Any], maps: Iterable[str]) -> dict[str, Any]:
    """The row with its maps, which Arrow gives as lists of pairs, as objects."""
    return {**row, **{name: dict(row[name]) for name in maps if row[name] is not None}}


def _named_after(path: Path, rows: Iterable[object]) -> Iterator[Row]:
    for number, (fields, name) in enumerate(zip(rows, repeat(str(path)), strict=False), start=1):
        yield _row(fields, f"{name}: row {number}")


_FORMS: Final[Mapping[str, Callable[[Path], Iterator[Row]]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}
"""How a file is read, by the end of its name."""
