"""`ragmon labels`: gold labels into a running processor, out of it, and how they fare."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import httpx
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ragmon.app.label_rows import LabelRow, count_rows, read_label_rows
from ragmon.cli.asking import (
    ENDPOINT,
    IMPORT_AGAIN,
    Endpoint,
    TokenFile,
    connect,
    reached,
    read_object,
    streamed,
    unreachable,
    until_taken,
)
from ragmon.cli.console import complain, err, out
from ragmon.cli.label_status import show_status
from ragmon.cli.written import written
from ragmon.model.flow import LabelOutcome

_EXAMPLES = """
Examples:

    ragmon labels import --check gold.csv             # only look for faults

    ragmon labels import --annotator anna gold.jsonl

    ragmon labels import --endpoint https://ragmon:4318 --token-file token gold.parquet

A row: {"query": "How long do returns take?", "relevant_ids": ["faq-7"]}; docs/labels.md has all.
"""
_BATCH_ROWS: Final = 1_000
_BATCH_BYTES: Final = 4 << 20
_MOST_REASONS: Final = 20
_TOO_LARGE: Final = 413
_POSITION: Final = re.compile(r"label (\d+): (.*)", re.DOTALL)
_COUNTED: Final = (*(str(one) for one in LabelOutcome if one is not LabelOutcome.REJECTED),)

app = typer.Typer(help="Gold labels of a running processor.", no_args_is_help=True)


@dataclass(slots=True)
class _Told:
    """What became of the rows so far. reasons: how many there were."""

    counts: Counter[str] = field(default_factory=Counter)
    rejected: int = 0
    reasons: int = 0

    def reject(self, where: str, *faults: str) -> None:
        """Name the first faults of all."""
        for fault in faults:
            self.reasons += 1
            if self.reasons <= _MOST_REASONS:
                complain(f"{where}: {fault}")

    def close(self) -> None:
        """Say how many reasons were not named."""
        if (more := self.reasons - _MOST_REASONS) > 0:
            complain(f"{more} more reasons")


@app.callback()
def labels() -> None:
    """Gold labels of a running processor."""


@app.command("import", epilog=_EXAMPLES)
def import_(
    *,
    file: Annotated[Path, typer.Argument(help="JSONL, CSV (also .gz) or Parquet: a label a row.")],
    endpoint: Endpoint = ENDPOINT,
    token_file: TokenFile = None,
    annotator: Annotated[str | None, typer.Option(help="Of rows that name none.")] = None,
    pipeline: Annotated[
        str | None, typer.Option(help="Of rows that name none [all pipelines].")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Look for faults, send nothing.")] = False,
) -> None:
    """Post the labels of a file, or a gold set by query; again is harmless.

    Exits 1 where a row was rejected, 2 where the file or the processor cannot be used.
    """
    given = {"annotator": annotator, "pipeline": pipeline}
    rows = read_label_rows(file, {name: value for name, value in given.items() if value})
    told = _Told()
    with _counted(file, rows) as counted:
        if check:
            _check(counted, told)
        else:
            with connect(endpoint, token_file) as client:
                for batch in _batches(counted, told):
                    _post(client, batch, told)
    told.close()
    names = ("usable",) if check else (*_COUNTED, "unmatched")
    counts = ", ".join(f"{told.counts[name]} {name}" for name in names)
    out.print(f"{counts}, {told.rejected} rejected", highlight=False, soft_wrap=True)
    raise typer.Exit(bool(told.rejected))


@app.command("export")
def export(
    file: Annotated[Path, typer.Argument(help="JSONL to write, .gz to compress, - for stdout.")],
    endpoint: Endpoint = ENDPOINT,
    token_file: TokenFile = None,
    since: Annotated[
        str | None, typer.Option(help="Only what came since: 7d, or a time in ISO 8601.")
    ] = None,
    gold_field: Annotated[str | None, typer.Option("--field", help="Only this gold field.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Only of this annotator.")] = None,
) -> None:
    """Write the stored labels, one a line, in the form in which they are imported."""
    given = {"since": since, "field": gold_field, "annotator": annotator}
    chosen = {name: value for name, value in given.items() if value is not None}
    count = 0
    with (
        connect(endpoint, token_file) as client,
        streamed(client, "/v1/labels", chosen) as answer,
        written(file) as target,
    ):
        try:
            for chunk in answer.iter_bytes():
                target.write(chunk)
                count += chunk.count(b"\n")
        except httpx.TransportError as error:
            raise unreachable(client, f"{type(error).__name__} after {count} labels") from None
    err.print(f"{count} labels", highlight=False)


@app.command("status")
def status(
    *,
    endpoint: Endpoint = ENDPOINT,
    token_file: TokenFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what became of labels, what waits, who labelled what, and how much of the traffic."""
    with connect(endpoint, token_file) as client:
        answer = reached(client, lambda: client.get("/v1/labels/status"))
        told = read_object(client, answer, "since_start")
    if as_json:
        out.print_json(data=told)
    else:
        show_status(told)


def _check(rows: Iterator[LabelRow], told: _Told) -> None:
    for row in rows:
        told.counts["usable"] += not row.faults
        told.rejected += bool(row.faults)
        told.reject(row.where, *row.faults)


@contextmanager
def _counted(file: Path, rows: Iterator[LabelRow]) -> Iterator[Iterator[LabelRow]]:
    """The rows, with a bar on a terminal."""
    if not err.is_terminal:
        yield rows
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        yield iter(bar.track(rows, total=count_rows(file), description=file.name))


def _batches(rows: Iterator[LabelRow], told: _Told) -> Iterator[list[LabelRow]]:
    """The usable rows in portions; the others are told."""
    batch: list[LabelRow] = []
    size = 0
    for row in rows:
        if row.faults:
            told.rejected += 1
            told.reject(row.where, *row.faults)
            continue
        length = len(row.content)
        if batch and (len(batch) == _BATCH_ROWS or size + length > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        yield batch


def _post(client: httpx.Client, batch: list[LabelRow], told: _Told) -> None:
    """Post a batch; in halves where it is too large for the processor."""
    content = b"\n".join(row.content for row in batch)
    headers = {"content-type": "application/x-ndjson"}
    answer = until_taken(
        client,
        lambda: client.post("/v1/labels", content=content, headers=headers),
        IMPORT_AGAIN,
    )
    if answer.status_code != _TOO_LARGE:
        _tell(batch, read_object(client, answer, "outcomes"), told)
    elif len(batch) == 1:
        told.rejected += 1
        told.reject(batch[0].where, read_object(client, answer, "message")["message"])
    else:
        middle = len(batch) // 2
        _post(client, batch[:middle], told)
        _post(client, batch[middle:], told)


def _tell(batch: list[LabelRow], answer: dict[str, Any], told: _Told) -> None:
    told.counts.update(answer["outcomes"])
    told.counts["unmatched"] += answer.get("unmatched", 0)
    told.rejected += answer.get("rejected", answer.get("fault_count", 0))
    for fault in answer.get("faults", ()):
        found = _POSITION.fullmatch(fault)
        where = batch[int(found[1])].where if found else "label"
        told.reject(where, found[2] if found else fault)
