"""Traces whose spans go, while what they came to stays open to labels."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select, tuple_, update

from ragmon.model.flow import Sealable, Sealed, TraceState
from ragmon.store import traces
from ragmon.store.compression import compress
from ragmon.store.schema import TOUCHED, TRACE

_SETTLED = (
    select(TRACE.c.id, TRACE.c.trace_id, TRACE.c.first_ns)
    .join_from(TRACE, TOUCHED, TOUCHED.c.trace == TRACE.c.id, isouter=True)
    .where(
        TRACE.c.state == TraceState.SETTLED.value,
        TRACE.c.first_ns < bindparam("before_ns"),
        tuple_(TRACE.c.first_ns, TRACE.c.id)
        > tuple_(bindparam("after_ns", type_=TRACE.c.first_ns.type), bindparam("after")),
        TOUCHED.c.trace.is_(None),
    )
    .order_by(TRACE.c.first_ns, TRACE.c.id)
    .limit(bindparam("most"))
)

_TOUCHED = select(TOUCHED.c.trace).where(TOUCHED.c.trace.in_(bindparam("traces", expanding=True)))

_SEAL = (
    update(TRACE)
    .where(TRACE.c.id == bindparam("at"))
    .values(
        state=TraceState.SEALED.value,
        revision=bindparam("to_revision"),
        span_ids=bindparam("to_span_ids"),
    )
)


def sealable(
    connection: Connection, before_ns: int, limit: int, behind: Sealable | None
) -> list[Sealable]:
    """Settled traces, the oldest first; none that is to be settled again first."""
    after_ns, after = (behind.first_ns, behind.row) if behind else (-1, -1)
    place = {"before_ns": before_ns, "after_ns": after_ns, "after": after, "most": limit}
    rows = connection.execute(_SETTLED, place)
    return [Sealable(row.id, row.trace_id, row.first_ns) for row in rows]


def seal(connection: Connection, sealed: Sequence[Sealed]) -> int:
    """Replace the spans of each trace by its records, unless its facts moved; how many were."""
    stored = traces.stored(connection, [one.kept.trace_id for one in sealed])
    touched = connection.execute(_TOUCHED, {"traces": [trace.id for trace in stored.values()]})
    moved = set(touched.scalars())
    due = [
        (stored[one.kept.trace_id].id, one)
        for one in sealed
        if one.kept.trace_id in stored
        and stored[one.kept.trace_id].revision == one.kept.revision
        and stored[one.kept.trace_id].id not in moved
    ]
    if due:
        connection.execute(_SEAL, [_row(at, one) for at, one in due])
        traces.keep(connection, {at: compress(one.records) for at, one in due})
    return len(due)


def _row(at: int, one: Sealed) -> dict[str, object]:
    return {
        "at": at,
        "to_revision": one.kept.revision + 1,
        "to_span_ids": " ".join(sorted(one.kept.span_ids)),
    }
