"""Tables of requests as files: Parquet, CSV, JSONL, a portion at a time."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from ragmon.cli.written import written
from ragmon.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

Row: TypeAlias = list[Any]

_GROUP_ROWS: Final = 16_384
"""Rows in memory at a time, and in a row group of a Parquet file."""
_TEXTS: Final = frozenset(
    ("trace_id", "span_id", "pipeline", "pipeline_version", "outcome", "reasons")
)


def check_result_file(file: Path) -> None:
    """Refuse a file that cannot be written, before anything is asked.

    Raises:
        ConfigError: nobody knows what to write there, or a package is missing.
    """
    ending = file.suffix.lower()
    if ending not in _WRITERS:
        raise ConfigError((f"{file}: must end in {', '.join(_WRITERS)}",))
    if ending == ".parquet":
        _parquet(file)


def write_results(file: Path, columns: Sequence[str], rows: Iterable[Row]) -> int:
    """Write rows below their columns, and count them; the last column holds the reasons.

    Raises:
        ConfigError: it cannot be written.
    """
    count = 0

    def portions() -> Iterator[list[Row]]:
        nonlocal count
        remaining = iter(rows)
        while portion := list(islice(remaining, _GROUP_ROWS)):
            count += len(portion)
            yield portion

    _WRITERS[file.suffix.lower()](file, columns, portions())
    return count


def _write_jsonl(file: Path, columns: Sequence[str], portions: Iterable[list[Row]]) -> None:
    with written(file) as target:
        for portion in portions:
            target.writelines(
                orjson.dumps(dict(zip(columns, row, strict=True))) + b"\n" for row in portion
            )


def _write_csv(file: Path, columns: Sequence[str], portions: Iterable[list[Row]]) -> None:
    with written(file) as target:
        target.write(_csv_lines([columns]))
        for portion in portions:
            target.write(_csv_lines(map(_with_text, portion)))


def _csv_lines(rows: Iterable[Sequence[Any]]) -> bytes:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue().encode()


def _write_parquet(file: Path, columns: Sequence[str], portions: Iterable[list[Row]]) -> None:
    parquet = _parquet(file)
    with written(file) as target:
        schema = _schema(columns)
        with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
            for portion in portions:
                writer.write_table(_arrow(schema, portion))


def _with_text(row: Row) -> Row:
    """The row with its reasons as JSON."""
    return [*row[:-1], orjson.dumps(row[-1]).decode()]


def _parquet(file: Path) -> Any:
    try:
        from pyarrow import parquet  # noqa: PLC0415 (an extra)
    except ModuleNotFoundError:
        raise ConfigError(
            (f"{file}: Parquet needs the extra `files`: pip install 'ragmon[files]'",)
        ) from None
    return parquet


def _schema(columns: Sequence[str]) -> "pa.Schema":
    import pyarrow as pa  # noqa: PLC0415 (an extra)

    others = {"time": pa.timestamp("ns", tz="UTC"), "labelled": pa.bool_()}
    others |= dict.fromkeys(_TEXTS, pa.string())
    return pa.schema([(name, others.get(name, pa.float64())) for name in columns])


def _arrow(schema: "pa.Schema", portion: list[Row]) -> "pa.Table":
    """The columns of some rows; times come as text in ISO 8601."""
    import pyarrow as pa  # noqa: PLC0415 (an extra)

    cells = zip(*map(_with_text, portion), strict=True)
    return pa.table(
        [
            pa.array(column, pa.string()).cast(field.type)
            if pa.types.is_timestamp(field.type)
            else pa.array(column, field.type)
            for field, column in zip(schema, cells, strict=True)
        ],
        schema=schema,
    )


_WRITERS: Final = {".parquet": _write_parquet, ".csv": _write_csv, ".jsonl": _write_jsonl}
