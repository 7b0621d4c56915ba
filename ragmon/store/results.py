"""Results at rest: one row a request, and the match keys by which labels find them."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, insert, select, tuple_

from ragmon.model.result import Result
from ragmon.store import rows as packed
from ragmon.store.chunks import chunks
from ragmon.store.database import Database
from ragmon.store.interned import Interned
from ragmon.store.observations import Past
from ragmon.store.schema import MATCH_KEY, PIPELINE, RESULT, TRACE

_PAGE = 1000

_OF_TRACES = select(
    RESULT.c.trace,
    RESULT.c.span_id,
    RESULT.c.minute,
    RESULT.c.pipeline,
    RESULT.c.layout,
    RESULT.c.vec,
    RESULT.c.marks,
    RESULT.c.observed,
    RESULT.c.elsewhere,
    RESULT.c.span_ids,
    RESULT.c.match_keys,
).where(RESULT.c.trace.in_(bindparam("traces", expanding=True)))

_DELETE = delete(RESULT).where(RESULT.c.trace.in_(bindparam("traces", expanding=True)))

_FORGET_KEY = delete(MATCH_KEY).where(
    MATCH_KEY.c.digest == bindparam("old_digest"), MATCH_KEY.c.trace == bindparam("of_trace")
)

_NAMED = (
    select(
        TRACE.c.trace_id,
        PIPELINE.c.name,
        RESULT.c.id,
        RESULT.c.span_id,
        RESULT.c.minute,
        RESULT.c.event_ns,
        RESULT.c.layout,
        RESULT.c.pipeline_version,
        RESULT.c.outcome,
        RESULT.c.weight,
        RESULT.c.vec,
        RESULT.c.reasons,
        RESULT.c.durations,
        RESULT.c.winners,
        RESULT.c.observed,
    )
    .join_from(RESULT, TRACE, TRACE.c.id == RESULT.c.trace)
    .join(PIPELINE, PIPELINE.c.id == RESULT.c.pipeline)
)

_LAST = (
    _NAMED.add_columns(RESULT.c.span_ids)
    .where(TRACE.c.trace_id.in_(bindparam("trace_ids", expanding=True)))
    .order_by(RESULT.c.id)
)

_ROWS = (
    _NAMED.where(
        and_(
            RESULT.c.pipeline == bindparam("pipeline"),
            RESULT.c.minute <= bindparam("last_minute"),
            tuple_(RESULT.c.minute, RESULT.c.id)
            > tuple_(bindparam("minute", type_=RESULT.c.minute.type), bindparam("after")),
        )
    )
    .order_by(RESULT.c.minute, RESULT.c.id)
    .limit(_PAGE)
)


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """What a commit has to know of the row that it replaces."""

    minute: int
    pipeline: int
    past: Past
    digests: tuple[int, ...]


def of_traces(
    connection: Connection, traces: Iterable[int], interned: Interned
) -> dict[int, list[StoredRequest]]:
    """The stored requests of each trace, by the trace's row id."""
    found: dict[int, list[StoredRequest]] = defaultdict(list)
    for chunk in chunks(traces):
        for row in connection.execute(_OF_TRACES, {"traces": chunk}):
            found[row.trace].append(_stored_request(connection, row, interned))
    return found


def _stored_request(connection: Connection, row: Any, interned: Interned) -> StoredRequest:
    marks = packed.unpack_marks(row, interned.layout(connection, row.layout))
    past = Past(row.span_id, frozenset(row.span_ids.split()), marks)
    return StoredRequest(row.minute, row.pipeline, past, packed.unpack_digests(row.match_keys))


def of_sealed(
    connection: Connection, interned: Interned, trace_ids: Iterable[str]
) -> dict[str, tuple[Result, ...]]:
    """The results of these traces as they stand, without the keys that they are found by."""
    found: dict[str, list[Result]] = defaultdict(list)
    for chunk in chunks(trace_ids):
        for row in connection.execute(_LAST, {"trace_ids": chunk}):
            result = packed.unpack(row, interned.layout(connection, row.layout))
            with_spans = dataclasses.replace(result, span_ids=tuple(row.span_ids.split()))
            found[row.trace_id].append(with_spans)
    return {trace_id: tuple(results) for trace_id, results in found.items()}


def replace(
    connection: Connection, traces: Iterable[int], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Delete all results of these traces and insert the new ones."""
    for chunk in chunks(traces):
        connection.execute(_DELETE, {"traces": chunk})
    if rows:
        connection.execute(insert(RESULT), rows)


def keys_of(connection: Connection, traces: Sequence[int]) -> list[tuple[int, int]]:
    """The match keys of these traces, each a (digest, trace)."""
    found = select(RESULT.c.trace, RESULT.c.match_keys).where(RESULT.c.trace.in_(traces))
    return [
        (digest, trace)
        for trace, digests in connection.execute(found)
        for digest in packed.unpack_digests(digests)
    ]


def move_keys(
    connection: Connection, old: Iterable[tuple[int, int]], new: Iterable[tuple[int, int]]
) -> None:
    """Replace match keys, each a (digest, trace)."""
    gone, come = set(old), set(new)
    if dropped := gone - come:
        keys = [{"old_digest": digest, "of_trace": trace} for digest, trace in dropped]
        connection.execute(_FORGET_KEY, keys)
    if added := come - gone:
        keys = [{"digest": digest, "trace": trace} for digest, trace in added]
        connection.execute(insert(MATCH_KEY), keys)


def read(
    database: Database, interned: Interned, start_ns: int, end_ns: int, pipeline: str | None
) -> Iterator[Result]:
    """Results of a time span, a page a snapshot, so that none is held for long."""
    with database.read() as connection:
        pipelines = _pipelines(connection, pipeline)
    for number in pipelines:
        yield from _read_pipeline(database, interned, start_ns, end_ns, number)


def _pipelines(connection: Connection, name: str | None) -> Sequence[int]:
    every = select(PIPELINE.c.id).order_by(PIPELINE.c.name)
    return (
        connection.execute(every if name is None else every.where(PIPELINE.c.name == name))
        .scalars()
        .all()
    )


def _read_pipeline(
    database: Database, interned: Interned, start_ns: int, end_ns: int, pipeline: int
) -> Iterator[Result]:
    minute, after = start_ns // packed.NS_PER_MINUTE, -1
    last_minute = (end_ns - 1) // packed.NS_PER_MINUTE
    while True:
        with database.read() as connection:
            place = {"minute": minute, "after": after, "last_minute": last_minute}
            page = connection.execute(_ROWS, {"pipeline": pipeline, **place}).all()
            layouts = {row.layout: interned.layout(connection, row.layout) for row in page}
        for row in page:
            if start_ns <= row.event_ns < end_ns:
                yield packed.unpack(row, layouts[row.layout])
        if len(page) < _PAGE:
            return
        minute, after = page[-1].minute, page[-1].id


def pipelines(connection: Connection) -> tuple[str, ...]:
    """Names of the pipelines with results."""
    has_results = select(RESULT.c.id).where(RESULT.c.pipeline == PIPELINE.c.id).exists()
    names = select(PIPELINE.c.name).where(has_results).order_by(PIPELINE.c.name)
    return tuple(connection.execute(names).scalars())
