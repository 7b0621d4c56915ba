"""`ragmon corpus import`: documents of a file, registered with a running processor."""

import gzip
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import httpx
import typer
from rich.progress import Progress

from ragmon.cli.asking import (
    ENDPOINT,
    IMPORT_AGAIN,
    Endpoint,
    TokenFile,
    connect,
    read_object,
    refusal,
    unreachable,
    until_taken,
)
from ragmon.cli.console import complain, err, out
from ragmon.errors import ConfigError

EXAMPLES = """
Examples:

    ragmon corpus import chunks.jsonl                 # the only pipeline that there is

    ragmon corpus import --pipeline shop chunks.jsonl.gz

    ragmon corpus import --endpoint https://ragmon:4318 --token-file token chunks.jsonl

A line: {"document_id": "faq", "text": "One. Two.", "chunks": [{"id": "a", "start": 0, "end": 4}]}
"""
_GZIP: Final = b"\x1f\x8b"
_BATCH_BYTES: Final = 4 << 20
_BATCH_LINES: Final = 1_000
_TOO_LARGE: Final = 413
_ANSWERED: Final = frozenset((200, 207, 400))
_LINES: Final = {"content-type": "application/x-ndjson"}
_PREFIX: Final = "document "

app = typer.Typer(help="Register documents and their chunks.", no_args_is_help=True)


class _Line(NamedTuple):
    """A line of the file with its number from 1. read_bytes: of the file, up to its end."""

    number: int
    content: bytes
    read_bytes: int


@dataclass(slots=True)
class _Told:
    """What the processor said of all batches. rejected: documents with faults."""

    counts: Counter[str] = field(default_factory=Counter)
    rejected: int = 0


@app.callback()
def corpus() -> None:
    """Register documents and their chunks."""


@app.command("import", epilog=EXAMPLES)
def import_(
    file: Annotated[Path, typer.Argument(help="JSONL, also gzipped: a document a line.")],
    endpoint: Endpoint = ENDPOINT,
    pipeline: Annotated[
        str | None, typer.Option(help="Of documents that name none [the only one there is].")
    ] = None,
    token_file: TokenFile = None,
) -> None:
    """Register documents, so that token, context and evidence metrics can be computed.

    Also of requests that came before. Exits 1 where a document was rejected, 2 where the file
    or the processor cannot be reached.
    """
    told = _Told()
    parameters = {} if pipeline is None else {"pipeline": pipeline}
    with connect(endpoint, token_file) as client, _progress(file) as advance:
        for batch in _batches(file):
            _tell(file, batch, _post(client, parameters, batch), told)
            advance(batch[-1].read_bytes)
    names = ("accepted", "unchanged", "touched", "unlocated_chunks")
    counts = ", ".join(f"{told.counts[name]} {name.replace('_', ' ')}" for name in names)
    out.print(f"{counts}, {told.rejected} rejected", highlight=False)
    raise typer.Exit(bool(told.rejected))


@contextmanager
def _progress(file: Path) -> Iterator[Any]:
    """A bar over the bytes of the file, on a terminal only."""
    try:
        size = file.stat().st_size
    except OSError as error:
        raise ConfigError((f"{file}: {error.strerror}",)) from None
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(file.name, total=size)
        yield lambda read_bytes: bar.update(task, completed=read_bytes)


def _batches(file: Path) -> Iterator[list[_Line]]:
    batch: list[_Line] = []
    size = 0
    for line in _lines(file):
        if batch and (len(batch) == _BATCH_LINES or size + len(line.content) > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line.content)
    if batch:
        yield batch


def _lines(file: Path) -> Iterator[_Line]:
    """Every line that is not blank.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        with file.open("rb") as raw:
            zipped = raw.peek(2).startswith(_GZIP)
            lines = gzip.GzipFile(fileobj=raw) if zipped else raw
            for number, line in enumerate(lines, start=1):
                if content := line.strip():
                    yield _Line(number, content, raw.tell())
    except OSError as error:
        raise ConfigError((f"{file}: {error.strerror or 'is no gzip'}",)) from None
    except EOFError:
        raise ConfigError((f"{file}: is cut off",)) from None


def _post(client: httpx.Client, parameters: dict[str, str], batch: list[_Line]) -> dict[str, Any]:
    """Post a batch until it is answered.

    Raises:
        ConfigError: nothing that takes documents answers there.
    """
    content = b"\n".join(line.content for line in batch)
    answer = until_taken(
        client,
        lambda: client.post("/v1/corpus", params=parameters, content=content, headers=_LINES),
        IMPORT_AGAIN,
    )
    if answer.status_code == _TOO_LARGE and len(batch) == 1:
        return _rejected(answer)
    if answer.status_code not in _ANSWERED:
        raise unreachable(client, refusal(answer))
    return read_object(client, answer, "outcomes")


def _rejected(answer: httpx.Response) -> dict[str, Any]:
    """What is told of a document that is too large by itself."""
    why = answer.json().get("message", "is too large")
    return {"outcomes": {}, "faults": [f"{_PREFIX}0: {why}"]}


def _tell(file: Path, batch: list[_Line], answer: dict[str, Any], told: _Told) -> None:
    """Count what became of a batch, and name each fault with its line."""
    outcomes: dict[str, int] = answer["outcomes"]
    told.counts.update(outcomes)
    told.counts.update({name: answer.get(name, 0) for name in ("touched", "unlocated_chunks")})
    told.rejected += len(batch) - sum(outcomes.values())
    for fault in answer["faults"]:
        position, _, what = fault.removeprefix(_PREFIX).partition(": ")
        complain(f"{file}:{batch[int(position)].number}: {what}")
