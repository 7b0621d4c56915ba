"""Traces that a label or the corpus reached and that have to be settled again."""

from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from ragmon.model.flow import Touch, TraceState
from ragmon.model.result import Cause
from ragmon.store.chunks import chunks
from ragmon.store.schema import MATCH_KEY, TOUCHED, TRACE

_MATCHING = insert(TOUCHED).from_select(
    ["trace", "cause"],
    select(MATCH_KEY.c.trace, bindparam("because"))
    .join_from(MATCH_KEY, TRACE, TRACE.c.id == MATCH_KEY.c.trace)
    .where(MATCH_KEY.c.digest == bindparam("under"), TRACE.c.state != TraceState.GONE.value),
)

# Of the causes here a revision changes values that stand, and is the greatest word.
_TOUCH = _MATCHING.on_conflict_do_update(
    index_elements=[TOUCHED.c.trace],
    set_={"cause": func.max(TOUCHED.c.cause, _MATCHING.excluded.cause)},
)

_THESE = insert(TOUCHED)

_TOUCH_THESE = _THESE.on_conflict_do_update(
    index_elements=[TOUCHED.c.trace],
    set_={"cause": func.max(TOUCHED.c.cause, _THESE.excluded.cause)},
)

_CLEAR = delete(TOUCHED).where(TOUCHED.c.trace.in_(bindparam("traces", expanding=True)))

_CLEAR_IDS = delete(TOUCHED).where(
    TOUCHED.c.trace.in_(
        select(TRACE.c.id).where(TRACE.c.trace_id.in_(bindparam("trace_ids", expanding=True)))
    )
)


def touch_matching(connection: Connection, digests: Iterable[int], cause: Cause) -> None:
    """Touch every trace under these match keys that is not gone."""
    if rows := [{"under": digest, "because": cause.value} for digest in set(digests)]:
        connection.execute(_TOUCH, rows)


def touch(connection: Connection, traces: Iterable[int], cause: Cause) -> None:
    """Touch these traces, by row id; none may be gone."""
    if rows := [{"trace": trace, "cause": cause.value} for trace in sorted(traces)]:
        connection.execute(_TOUCH_THESE, rows)


def clear(connection: Connection, traces: Iterable[int]) -> None:
    """These traces, by row id, need no settling any more."""
    for chunk in chunks(traces):
        connection.execute(_CLEAR, {"traces": chunk})


def clear_ids(connection: Connection, trace_ids: Iterable[str]) -> None:
    """The same by trace id."""
    for chunk in chunks(trace_ids):
        connection.execute(_CLEAR_IDS, {"trace_ids": chunk})


def oldest(connection: Connection, limit: int) -> list[Touch]:
    """Touched traces in the order in which they were first stored."""
    found = (
        select(TRACE.c.trace_id, TOUCHED.c.cause)
        .join_from(TOUCHED, TRACE, TRACE.c.id == TOUCHED.c.trace)
        .order_by(TOUCHED.c.trace)
        .limit(limit)
    )
    return [Touch(trace_id, Cause(cause)) for trace_id, cause in connection.execute(found)]
