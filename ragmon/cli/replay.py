"""`ragmon replay`: what ragmon reads in files of traces."""

import sys
import time
from pathlib import Path
from typing import Annotated

import orjson
import typer

from ragmon.app.backfill import backfill
from ragmon.app.labels import read_label_file
from ragmon.cli.console import ConfigFile, complain, err
from ragmon.cli.files import read_bodies
from ragmon.config import load
from ragmon.ingest.decode import decode
from ragmon.ingest.split import SplitBody
from ragmon.metrics import registry
from ragmon.model.gold import GoldLabel
from ragmon.replay import releases
from ragmon.replay import replay as read_requests

EXAMPLES = """
Examples:

    ragmon replay traces.json | jq '{query, not_measured}'

    ragmon replay --labels gold.jsonl --k 10 traces.jsonl.gz

    ragmon replay --store ragmon-state traces.jsonl   # backfill; stop `ragmon serve` first
"""


def replay(
    files: Annotated[list[Path], typer.Argument(help="OTLP JSON or protobuf, also gzipped.")],
    k: Annotated[
        int, typer.Option("--k", min=1, max=10_000, help="Cut-off of ranked metrics.")
    ] = 5,
    labels: Annotated[Path | None, typer.Option(help="JSONL file of gold labels to join.")] = None,
    store: Annotated[
        Path | None,
        typer.Option(help="Backfill this store at the requests' own time; prints no records."),
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Print one JSON line per request of the files: what was read, measured, and missing.

    With --store the requests go into the store's windows instead; no counter moves.
    """
    now_ns = time.time_ns()
    bodies = [body for path in files for body in read_bodies(path, now_ns)]
    _warn(bodies)
    if store is not None:
        given = load(config, {"store": {"path": str(store)}})
        stored = backfill(given, releases(bodies, now_ns), _labels(labels, now_ns), now_ns)
        err.print(
            f"{stored.traces} traces with {stored.requests} requests settled into {store}",
            highlight=False,
        )
        return
    found = tuple(read_requests(bodies, _labels(labels, now_ns), registry.build((k,)), now_ns))
    for one in found:
        sys.stdout.buffer.write(orjson.dumps(one.line(k), option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()
    _tell_unread(bodies, frozenset(one.record.trace_id for one in found))


def _labels(path: Path | None, now_ns: int) -> tuple[GoldLabel, ...]:
    if path is None:
        return ()
    file = read_label_file(path, now_ns)
    for fault in file.faults:
        complain(fault)
    return file.labels


def _tell_unread(bodies: list[SplitBody], read: frozenset[str]) -> None:
    """Say which traces held no request, and which instrumentations wrote them."""
    unread = [part for body in bodies for part in body.parts if part.trace_id not in read]
    if not unread:
        return
    traces = len({part.trace_id for part in unread})
    scopes = sorted({span.scope_name for part in unread for span in decode(part.spans)})
    complain(
        f"{traces} traces held no request that ragmon reads; their spans are of"
        f" {', '.join(scope or '(no scope)' for scope in scopes)}"
    )


def _warn(bodies: list[SplitBody]) -> None:
    for body in bodies:
        if body.problems:
            complain(body.problems)
