"""Feedback at rest: the newest version of each voice, and the requests that it is about."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    Connection,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from ragmon.model.assessment import (
    AnnotatorKind,
    Feedback,
    FeedbackCount,
    FeedbackGroup,
    FeedbackKind,
)
from ragmon.model.flow import LabelOutcome, LabelReceipt
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.store import gone
from ragmon.store.chunks import chunks
from ragmon.store.schema import FEEDBACK, MATCH_KEY, PIPELINE, RESULT, TRACE

_NS: Final = 1_000_000_000
_EARLY_NS: Final = 3600 * _NS
"""Feedback that comes this long before the end of its request is still found with it."""
_MOST_COUNTS: Final = 1000

_STANDING = select(
    FEEDBACK.c.id,
    FEEDBACK.c.identity,
    FEEDBACK.c.given_ns,
    FEEDBACK.c.kind,
    FEEDBACK.c.score,
    FEEDBACK.c.label,
).where(FEEDBACK.c.identity.in_(bindparam("identities", expanding=True)))

_REPLACE = (
    update(FEEDBACK)
    .where(FEEDBACK.c.identity == bindparam("of"))
    .values(
        {
            name: bindparam(f"to_{name}")
            for name in ("kind", "score", "label", "given_ns", "stored_ns")
        }
    )
)

_IS_ITS_SPAN = or_(
    FEEDBACK.c.span_id.is_(None),
    func.instr(" " + RESULT.c.span_ids + " ", " " + FEEDBACK.c.span_id + " ") > 0,
)

# A voice is counted once: with the latest of the requests that it reaches.
_REACHED = (
    select(
        FEEDBACK.c.id,
        func.min(PIPELINE.c.name).label("pipeline"),
        func.max(RESULT.c.event_ns).label("event_ns"),
    )
    .join_from(FEEDBACK, MATCH_KEY, MATCH_KEY.c.digest == FEEDBACK.c.digest)
    .join(RESULT, RESULT.c.trace == MATCH_KEY.c.trace)
    .join(PIPELINE, PIPELINE.c.id == RESULT.c.pipeline)
    .where(
        _IS_ITS_SPAN,
        or_(FEEDBACK.c.pipeline.is_(None), FEEDBACK.c.pipeline == PIPELINE.c.name),
    )
    .group_by(FEEDBACK.c.id)
)


def put(connection: Connection, feedback: Sequence[Feedback], now_ns: int) -> LabelReceipt:
    """Keep the greatest version of each voice; what became of each, and how many wait."""
    standing = _standing(connection, feedback)
    known = frozenset(standing)
    too_late = gone.too_late(connection, {one.key for one in feedback})
    changed: dict[bytes, Feedback] = {}
    outcomes = []
    for one in feedback:
        identity = one.identity
        expired = one.key in too_late
        outcome = LabelOutcome.EXPIRED if expired else _outcome(one, standing.get(identity))
        outcomes.append(outcome)
        if outcome in (LabelOutcome.ACCEPTED, LabelOutcome.REPLACED):
            changed[identity] = one
            standing[identity] = one.version
    if new := [_row(key, one, now_ns) for key, one in changed.items() if key not in known]:
        connection.execute(insert(FEEDBACK), new)
    if newer := [_moved(key, one, now_ns) for key, one in changed.items() if key in known]:
        connection.execute(_REPLACE, newer)
    return LabelReceipt(tuple(outcomes), len(changed) - _reaching(connection, changed))


def _reaching(connection: Connection, identities: Iterable[bytes]) -> int:
    """How many of these voices reach a stored request."""
    reaching = 0
    for chunk in chunks(identities):
        reached = _REACHED.where(FEEDBACK.c.identity.in_(chunk)).subquery()
        counted = select(func.count()).select_from(reached)
        reaching += connection.execute(counted).scalar_one()
    return reaching


def _standing(connection: Connection, feedback: Iterable[Feedback]) -> dict[bytes, tuple[int, str]]:
    """The versions that stand, by identity."""
    found: dict[bytes, tuple[int, str]] = {}
    for chunk in chunks({one.identity for one in feedback}):
        for row in connection.execute(_STANDING, {"identities": chunk}):
            found[row.identity] = (row.given_ns, f"{row.kind}\0{row.score}\0{row.label}")
    return found


def _outcome(one: Feedback, standing: tuple[int, str] | None) -> LabelOutcome:
    if standing is None:
        return LabelOutcome.ACCEPTED
    said_again = one.stamped and one.content == standing[1]
    if said_again or one.version == standing:
        return LabelOutcome.UNCHANGED
    return LabelOutcome.REPLACED if one.version > standing else LabelOutcome.SUPERSEDED


def _row(identity: bytes, one: Feedback, now_ns: int) -> dict[str, Any]:
    under, span_id = _place(one.key)
    return {
        "identity": identity,
        "digest": under.digest,
        "span_id": span_id,
        "pipeline": one.pipeline,
        "name": one.name,
        "kind": one.kind.value,
        "score": one.score,
        "label": one.label,
        "source": one.source.value,
        "given_ns": one.given_ns,
        "stored_ns": now_ns,
    }


def _moved(identity: bytes, one: Feedback, now_ns: int) -> dict[str, Any]:
    return {
        "of": identity,
        "to_kind": one.kind.value,
        "to_score": one.score,
        "to_label": one.label,
        "to_given_ns": one.given_ns,
        "to_stored_ns": now_ns,
    }


def _place(key: MatchKey) -> tuple[MatchKey, str | None]:
    """The key that a request has, and the span: inner spans have no keys of their own."""
    if key.kind is not TargetKind.SPAN:
        return key, None
    trace_id, _, span_id = key.value.partition("/")
    return MatchKey(TargetKind.TRACE, trace_id), span_id


def count_new(
    connection: Connection, behind: int, limit: int
) -> tuple[Counter[FeedbackGroup], int]:
    """Mark feedback whose request has come as counted, and count it; each voice once.

    Looks at the next `limit` that wait behind an id. Returns (counts, the last id looked at;
    0 where there was none).
    """
    waiting = (
        select(FEEDBACK.c.id)
        .where(FEEDBACK.c.counted.is_(None), FEEDBACK.c.id > behind)
        .order_by(FEEDBACK.c.id)
        .limit(limit)
    )
    ids = connection.execute(waiting).scalars().all()
    counts: Counter[FeedbackGroup] = Counter()
    for chunk in chunks(ids):
        _count_chunk(connection, chunk, counts)
    return counts, ids[-1] if ids else 0


def _count_chunk(
    connection: Connection, ids: Sequence[int], counts: Counter[FeedbackGroup]
) -> None:
    reached = _REACHED.where(FEEDBACK.c.id.in_(ids)).subquery()
    found = connection.execute(
        select(reached.c.id, reached.c.pipeline, FEEDBACK.c.source, FEEDBACK.c.kind).join_from(
            reached, FEEDBACK, FEEDBACK.c.id == reached.c.id
        )
    ).all()
    for row in found:
        counts[FeedbackGroup(row.pipeline, AnnotatorKind(row.source), FeedbackKind(row.kind))] += 1
    if found:
        connection.execute(
            update(FEEDBACK).where(FEEDBACK.c.id.in_([row.id for row in found])).values(counted=1)
        )


def unmatched(connection: Connection) -> int:
    """How many voices wait for their request."""
    waiting = select(func.count()).select_from(FEEDBACK).where(FEEDBACK.c.counted.is_(None))
    return connection.execute(waiting).scalar_one()


def within(
    connection: Connection, start_ns: int, end_ns: int, pipeline: str | None
) -> tuple[FeedbackCount, ...]:
    """Feedback on requests with start_ns <= event_ns < end_ns, by pipeline, name and source.

    At most a thousand counts, the most numerous first.
    """
    reached = _REACHED.where(FEEDBACK.c.stored_ns >= start_ns - _EARLY_NS).subquery()
    groups = (reached.c.pipeline, FEEDBACK.c.name, FEEDBACK.c.source)
    counted = (
        select(*groups, *_sums())
        .join_from(reached, FEEDBACK, FEEDBACK.c.id == reached.c.id)
        .where(reached.c.event_ns >= start_ns, reached.c.event_ns < end_ns)
        .group_by(*groups)
        .order_by(func.count().desc(), *groups)
        .limit(_MOST_COUNTS)
    )
    if pipeline is not None:
        counted = counted.where(reached.c.pipeline == pipeline)
    return tuple(_counted(row) for row in connection.execute(counted))


def _sums() -> list[Any]:
    kind = FEEDBACK.c.kind
    counts = [func.count().filter(kind == one.value).label(one.value) for one in FeedbackKind]
    rated = case((kind == FeedbackKind.RATING.value, FEEDBACK.c.score))
    return [*counts, func.avg(rated).label("rating_mean")]


def _counted(row: Any) -> FeedbackCount:
    return FeedbackCount(
        pipeline=row.pipeline,
        name=row.name,
        source=AnnotatorKind(row.source),
        thumbs_up=row.thumbs_up,
        thumbs_down=row.thumbs_down,
        ratings=row.rating,
        rating_mean=row.rating_mean,
        verdicts=row.verdict,
    )


def remove(connection: Connection, before_ns: int) -> int:
    """Delete feedback that came, or was replaced, before a time."""
    return connection.execute(delete(FEEDBACK).where(FEEDBACK.c.stored_ns < before_ns)).rowcount


def forget(connection: Connection, trace_ids: Iterable[str]) -> int:
    """Delete all feedback that reaches these traces; returns how much.

    To be called while the traces still have their match keys: what points at an application's
    request id is found by them.
    """
    forgotten = 0
    for chunk in chunks(trace_ids):
        digests = [MatchKey(TargetKind.TRACE, trace_id).digest for trace_id in chunk]
        keys = (
            select(MATCH_KEY.c.digest)
            .join_from(MATCH_KEY, TRACE, TRACE.c.id == MATCH_KEY.c.trace)
            .where(TRACE.c.trace_id.in_(chunk))
        )
        under = delete(FEEDBACK).where(
            or_(FEEDBACK.c.digest.in_(digests), FEEDBACK.c.digest.in_(keys))
        )
        forgotten += connection.execute(under).rowcount
    return forgotten
