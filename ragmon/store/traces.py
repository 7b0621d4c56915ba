"""Stored traces: their revision, their state, and the spans kept of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from ragmon.model.flow import Kept, TraceState
from ragmon.model.result import Cause
from ragmon.store.chunks import chunks
from ragmon.store.compression import decompress
from ragmon.store.packing import unpack_spans
from ragmon.store.schema import KEPT, TOUCHED, TRACE

_STORED = select(
    TRACE.c.id, TRACE.c.trace_id, TRACE.c.revision, TRACE.c.first_ns, TRACE.c.vanished
).where(TRACE.c.trace_id.in_(bindparam("trace_ids", expanding=True)))

_KEPT = (
    select(
        TRACE.c.trace_id,
        TRACE.c.revision,
        TRACE.c.state,
        TRACE.c.span_ids,
        KEPT.c.spans,
        TOUCHED.c.cause,
    )
    .join_from(TRACE, KEPT, KEPT.c.trace == TRACE.c.id, isouter=True)
    .join(TOUCHED, TOUCHED.c.trace == TRACE.c.id, isouter=True)
    .where(TRACE.c.trace_id.in_(bindparam("trace_ids", expanding=True)))
)

_NEXT_ID = select(func.coalesce(func.max(TRACE.c.id), 0) + 1)

_MOVE = (
    update(TRACE)
    .where(TRACE.c.id == bindparam("at"))
    .values(
        revision=bindparam("to_revision"),
        event_ns=bindparam("to_event_ns"),
        vanished=bindparam("to_vanished"),
    )
)

_FORGET_SPANS = delete(KEPT).where(KEPT.c.trace.in_(bindparam("traces", expanding=True)))


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A trace as its row has it. `id` is the row's; revision 0 is not stored yet."""

    id: int
    trace_id: str
    revision: int
    first_ns: int
    vanished: bytes | None = None


def load(connection: Connection, trace_ids: Iterable[str]) -> dict[str, Kept]:
    """What is kept of each trace, with revision 0 for one that is not stored.

    The results of a sealed one are left out.
    """
    kept = {trace_id: Kept(trace_id) for trace_id in trace_ids}
    for chunk in chunks(list(kept)):
        for row in connection.execute(_KEPT, {"trace_ids": chunk}):
            kept[row.trace_id] = _kept(row)
    return kept


def _kept(row: Any) -> Kept:
    found = Kept(
        row.trace_id,
        row.revision,
        TraceState(row.state),
        touched=None if row.cause is None else Cause(row.cause),
    )
    if found.state is TraceState.SETTLED:
        spans = unpack_spans(row.trace_id, row.spans)
        return replace(found, spans=spans, span_ids=frozenset(part.span_id for part in spans))
    sealed = b"" if row.spans is None else decompress(row.spans)
    return replace(found, span_ids=frozenset((row.span_ids or "").split()), sealed=sealed)


def stored(connection: Connection, trace_ids: Iterable[str]) -> dict[str, StoredTrace]:
    """The rows of those traces that are stored."""
    return {
        row.trace_id: StoredTrace(*row)
        for chunk in chunks(trace_ids)
        for row in connection.execute(_STORED, {"trace_ids": chunk})
    }


def next_id(connection: Connection) -> int:
    """The first free row id; the caller holds the write transaction."""
    return int(connection.execute(_NEXT_ID).scalar_one())


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert new traces."""
    if rows:
        connection.execute(insert(TRACE), rows)


def move(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Give stored traces their new revision, event time and vanished requests."""
    if rows:
        connection.execute(_MOVE, rows)


def keep(connection: Connection, blobs: Mapping[int, bytes]) -> None:
    """Replace the spans kept of these traces."""
    if blobs:
        forget_spans(connection, list(blobs))
        rows = [{"trace": trace, "spans": blob} for trace, blob in blobs.items()]
        connection.execute(insert(KEPT), rows)


def forget_spans(connection: Connection, traces: Sequence[int]) -> None:
    """Keep no spans of these traces."""
    for chunk in chunks(traces):
        connection.execute(_FORGET_SPANS, {"traces": chunk})
