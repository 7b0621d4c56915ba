"""What is taken away as it ages: first the content of a trace, then its numbers."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from ragmon.model.flow import TraceState
from ragmon.store import corpus_expiry, corpus_readers, results, rows, touched, traces
from ragmon.store.packing import unpack_spans
from ragmon.store.schema import (
    CORPUS_REVISION,
    DIRTY,
    KEPT,
    LABEL,
    MATCH_KEY,
    PIPELINE,
    RESULT,
    ROLL_UP,
    TRACE,
    WAITING,
)

BATCH = 256  # deleting so many takes about 10 ms

_KEPT_LONGEST = (
    select(TRACE.c.id, TRACE.c.first_ns)
    .join_from(KEPT, TRACE, TRACE.c.id == KEPT.c.trace)
    .order_by(KEPT.c.trace)
    .limit(BATCH)
)

_CONTENT = (
    select(
        TRACE.c.id,
        TRACE.c.trace_id,
        TRACE.c.revision,
        TRACE.c.state,
        TRACE.c.span_ids,
        KEPT.c.spans,
    )
    .join_from(KEPT, TRACE, TRACE.c.id == KEPT.c.trace)
    .where(KEPT.c.trace.in_(bindparam("traces", expanding=True)))
)

_GO = (
    update(TRACE)
    .where(TRACE.c.id == bindparam("at"))
    .values(
        state=TraceState.GONE.value,
        revision=bindparam("to_revision"),
        span_ids=bindparam("to_span_ids"),
    )
)

_STRIP = (
    update(RESULT).where(RESULT.c.id == bindparam("at")).values(winners=bindparam("to_winners"))
)


def let_go(connection: Connection, before_ns: int) -> int:
    """Make the traces first settled before a time gone: their spans and texts go.

    At most `BATCH` of them; fewer means that no more are due. Rows are numbered in the
    order of their first settle, so the oldest kept ones stand first.
    """
    oldest = connection.execute(_KEPT_LONGEST)
    ids = [trace for trace, first_ns in oldest if first_ns < before_ns]
    if ids:
        take_content(connection, ids)
        corpus_expiry.let_go(connection, ids)
    return len(ids)


def shrink(connection: Connection) -> int:
    """Take away the oldest of what is kept, or where nothing is, the oldest results."""
    latest_ns = 1 << 62
    kept = let_go(connection, latest_ns)
    return kept or remove(connection, latest_ns // rows.NS_PER_MINUTE)


def take_content(connection: Connection, ids: Sequence[int]) -> None:
    """Make these kept traces gone, whatever their age; what they registered stays."""
    content = connection.execute(_CONTENT, {"traces": ids}).all()
    connection.execute(_GO, [_gone(row) for row in content])
    _strip_winners(connection, ids)
    traces.forget_spans(connection, ids)
    corpus_readers.forget(connection, ids)
    touched.clear(connection, ids)


def _gone(row: Any) -> dict[str, Any]:
    span_ids = row.span_ids
    if row.state == TraceState.SETTLED.value:
        span_ids = " ".join(part.span_id for part in unpack_spans(row.trace_id, row.spans))
    return {"at": row.id, "to_revision": row.revision + 1, "to_span_ids": span_ids}


def _strip_winners(connection: Connection, ids: Sequence[int]) -> None:
    """A label may point at a query, which is a text and goes with the others."""
    found = connection.execute(select(RESULT.c.id, RESULT.c.winners).where(RESULT.c.trace.in_(ids)))
    stripped = [
        {"at": row.id, "to_winners": rows.without_targets(row.winners)}
        for row in found
        if row.winners != rows.NO_WINNERS
    ]
    if stripped:
        connection.execute(_STRIP, stripped)


def remove(connection: Connection, before_minute: int) -> int:
    """Delete traces whose latest request lies before a minute; at most `BATCH` of them."""
    due = (
        select(TRACE.c.id)
        .where(TRACE.c.event_ns < before_minute * rows.NS_PER_MINUTE)
        .order_by(TRACE.c.event_ns)
        .limit(BATCH)
    )
    ids = connection.execute(due).scalars().all()
    if ids:
        results.move_keys(connection, results.keys_of(connection, ids), ())
        results.replace(connection, ids, ())
        traces.forget_spans(connection, ids)
        corpus_readers.forget(connection, ids)
        corpus_expiry.let_go(connection, ids)
        touched.clear(connection, ids)
        connection.execute(delete(TRACE).where(TRACE.c.id.in_(ids)))
    return len(ids)


def remove_views(connection: Connection, before_minute: int) -> None:
    """Delete old roll-ups and dirty marks, and pipelines that nothing refers to any more."""
    connection.execute(delete(ROLL_UP).where(ROLL_UP.c.minute < before_minute))
    connection.execute(delete(DIRTY).where(DIRTY.c.minute < before_minute))
    connection.execute(
        delete(PIPELINE).where(
            *(
                ~select(table).where(table.c.pipeline == PIPELINE.c.id).exists()
                for table in (RESULT, ROLL_UP, DIRTY, CORPUS_REVISION)
            )
        )
    )


def remove_labels(connection: Connection, before_ns: int) -> int:
    """Delete labels older than a time, but standing ones and those of requests that stand."""
    stands = (
        select(TRACE.c.id)
        .join_from(MATCH_KEY, TRACE, TRACE.c.id == MATCH_KEY.c.trace)
        .where(MATCH_KEY.c.digest == LABEL.c.digest, TRACE.c.state != TraceState.GONE.value)
        .exists()
    )
    gone = connection.execute(
        delete(LABEL).where(
            WAITING,
            LABEL.c.labelled_at_ns < before_ns,
            LABEL.c.stored_ns < before_ns,
            ~stands,
        )
    )
    return gone.rowcount
