"""What kept requests read of the corpus, and those that a change of it reaches."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from ragmon.model.result import Result
from ragmon.store.chunks import chunks
from ragmon.store.corpus_timeline import Change
from ragmon.store.schema import CORPUS_READER

_FORGET = delete(CORPUS_READER).where(
    CORPUS_READER.c.trace.in_(bindparam("traces", expanding=True))
)

_SINCE = select(CORPUS_READER.c.event_ns, CORPUS_READER.c.trace, CORPUS_READER.c.digests).where(
    CORPUS_READER.c.pipeline == bindparam("pipeline"),
    CORPUS_READER.c.event_ns >= bindparam("since_ns"),
)

_ANY = select(CORPUS_READER.c.trace).where(CORPUS_READER.c.pipeline == bindparam("pipeline"))


def row(pipeline: int, trace: int, result: Result) -> dict[str, Any]:
    """The row of one result."""
    return {
        "pipeline": pipeline,
        "event_ns": result.event_ns,
        "trace": trace,
        "span_id": result.key.span_id,
        "digests": array("q", result.wanted).tobytes(),
    }


def replace(
    connection: Connection, traces: Iterable[int], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Replace what these traces read."""
    forget(connection, traces)
    if rows:
        connection.execute(insert(CORPUS_READER), rows)


def forget(connection: Connection, traces: Iterable[int]) -> None:
    """These traces are settled no more."""
    for some in chunks(traces):
        connection.execute(_FORGET, {"traces": some})


def has_any(connection: Connection, pipeline: int) -> bool:
    """Whether a kept request of the pipeline may read its corpus."""
    return connection.execute(_ANY.limit(1), {"pipeline": pipeline}).first() is not None


def reached(
    connection: Connection, pipeline: int, changes: Mapping[int, Sequence[Change[Any]]]
) -> set[int]:
    """The traces, by row id, with a request that reads something else now.

    changes: digest -> what changed of the thing that it stands for.
    """
    every = (change.since_ns for each in changes.values() for change in each)
    times = [since_ns for since_ns in every if since_ns is not None]
    if not times:
        return set()
    place = {"pipeline": pipeline, "since_ns": min(times)}
    return {
        trace
        for event_ns, trace, digests in connection.execute(_SINCE, place)
        if any(
            change.reaches(event_ns)
            for digest in changes.keys() & set(array("q", digests))
            for change in changes[digest]
        )
    }
