"""Labels at rest: the greatest version of each, and the traces they reach."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, func, insert, select, update

from ragmon.model.flow import LabelOutcome, LabelReceipt, Unmatched
from ragmon.model.gold import GoldField, GoldLabel, MatchKey, TargetKind
from ragmon.model.result import Cause
from ragmon.store import gone, touched
from ragmon.store.chunks import chunks
from ragmon.store.schema import LABEL, MATCH_KEY, PIPELINE, RESULT, TRACE, WAITING

Identity: TypeAlias = tuple[MatchKey, str | None, GoldField, str]

_UNDER = select(LABEL).where(LABEL.c.digest.in_(bindparam("digests", expanding=True)))

_MATCHED = update(LABEL).where(LABEL.c.id == bindparam("at")).values(matched_ns=bindparam("now_ns"))

_REPLACE = (
    update(LABEL)
    .where(LABEL.c.id == bindparam("at"))
    .values(
        {
            name: bindparam(f"to_{name}")
            for name in (
                "value",
                "labelled_at_ns",
                "revision",
                "probability",
                "content_hash",
                "stored_ns",
            )
        }
    )
)

_REACHED = (
    select(MATCH_KEY.c.digest, PIPELINE.c.name)
    .distinct()
    .join_from(MATCH_KEY, TRACE, TRACE.c.id == MATCH_KEY.c.trace)
    .join(RESULT, RESULT.c.trace == TRACE.c.id)
    .join(PIPELINE, PIPELINE.c.id == RESULT.c.pipeline)
    .where(MATCH_KEY.c.digest.in_(bindparam("digests", expanding=True)))
)

_UNMATCHED = select(func.count(), func.min(LABEL.c.labelled_at_ns)).where(
    LABEL.c.matched_ns.is_(None), WAITING
)


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """A label with its row, and whether a commit has used it."""

    id: int
    label: GoldLabel
    matched: bool


def identity(label: GoldLabel) -> Identity:
    """What two versions of one label share."""
    return (label.key, label.pipeline, label.field, label.annotator)


def under(connection: Connection, keys: Iterable[MatchKey]) -> dict[MatchKey, list[StoredLabel]]:
    """The labels that stand under each key; equal digests are compared in full."""
    wanted = set(keys)
    found: dict[MatchKey, list[StoredLabel]] = defaultdict(list)
    for chunk in chunks({key.digest for key in wanted}):
        for row in connection.execute(_UNDER, {"digests": chunk}):
            stored = _stored(row)
            if stored.label.key in wanted:
                found[stored.label.key].append(stored)
    return found


def _stored(row: Any) -> StoredLabel:
    return StoredLabel(row.id, of_row(row), row.matched_ns is not None)


def of_row(row: Any) -> GoldLabel:
    """The label that a row holds."""
    return GoldLabel(
        key=MatchKey(TargetKind(row.kind), row.target),
        pipeline=row.pipeline,
        field=GoldField(row.field),
        annotator=row.annotator,
        value=row.value,
        labelled_at_ns=row.labelled_at_ns,
        revision=row.revision,
        probability=row.probability,
        content_hash=row.content_hash,
        query=row.query,
    )


def mark_matched(connection: Connection, ids: Iterable[int], now_ns: int) -> None:
    """Say of labels that a commit has used them."""
    if rows := [{"at": at, "now_ns": now_ns} for at in ids]:
        connection.execute(_MATCHED, rows)


def unmatched(connection: Connection) -> Unmatched:
    """Labels that wait for their request."""
    count, oldest_ns = connection.execute(_UNMATCHED).one()
    return Unmatched(count, oldest_ns)


@dataclass(slots=True)
class _Posting:
    """A batch of labels on its way in."""

    stored: Mapping[Identity, StoredLabel]
    reached: Mapping[int, list[str]]
    too_late: frozenset[MatchKey]
    changed: dict[Identity, GoldLabel] = field(default_factory=dict)
    unmatched: int = 0

    def put(self, label: GoldLabel) -> LabelOutcome:
        """What becomes of one label."""
        outcome = self._outcome(label)
        if outcome in (LabelOutcome.ACCEPTED, LabelOutcome.REPLACED):
            self.changed[identity(label)] = label
            self.unmatched += self._waits(label)
        return outcome

    def _outcome(self, label: GoldLabel) -> LabelOutcome:
        if label.key in self.too_late:
            return LabelOutcome.EXPIRED
        standing = self._standing(label)
        if standing is None:
            return LabelOutcome.ACCEPTED
        if standing.version == label.version or _said_again(label, standing):
            return LabelOutcome.UNCHANGED
        newer = label.version > standing.version
        return LabelOutcome.REPLACED if newer else LabelOutcome.SUPERSEDED

    def _standing(self, label: GoldLabel) -> GoldLabel | None:
        known = self.stored.get(identity(label))
        return self.changed.get(identity(label), known.label if known else None)

    def _waits(self, label: GoldLabel) -> bool:
        """Whether no stored request has it; a query label is standing and never waits."""
        return label.key.kind is not TargetKind.QUERY and not any(
            label.pipeline in (None, pipeline)
            for pipeline in self.reached.get(label.key.digest, ())
        )


def _said_again(label: GoldLabel, standing: GoldLabel) -> bool:
    """Whether it says what stands and not when, as a file does that is read at every start."""
    same = (label.revision, label.content_hash) == (standing.revision, standing.content_hash)
    return label.stamped and same


def put(connection: Connection, labels: Sequence[GoldLabel], now_ns: int) -> LabelReceipt:
    """Keep the greatest version of each label, and touch the traces that changed ones reach."""
    posting = _Posting(
        stored={
            identity(stored.label): stored
            for found in under(connection, (label.key for label in labels)).values()
            for stored in found
        },
        reached=_reached(connection, labels),
        too_late=gone.too_late(connection, {label.key for label in labels}),
    )
    outcomes = tuple(posting.put(label) for label in labels)
    _write(connection, posting, now_ns)
    return LabelReceipt(outcomes, posting.unmatched)


def _reached(connection: Connection, labels: Iterable[GoldLabel]) -> dict[int, list[str]]:
    """The pipelines of what stands under the digests of all but query labels."""
    digests = {label.key.digest for label in labels if label.key.kind is not TargetKind.QUERY}
    found: dict[int, list[str]] = defaultdict(list)
    for chunk in chunks(digests):
        for digest, pipeline in connection.execute(_REACHED, {"digests": chunk}):
            found[digest].append(pipeline)
    return found


def _write(connection: Connection, posting: _Posting, now_ns: int) -> None:
    new = [label for key, label in posting.changed.items() if key not in posting.stored]
    newer = [
        (posting.stored[key].id, label)
        for key, label in posting.changed.items()
        if key in posting.stored
    ]
    if new:
        connection.execute(insert(LABEL), [_row(label, now_ns) for label in new])
    if newer:
        connection.execute(_REPLACE, [_moved(at, label, now_ns) for at, label in newer])
    touched.touch_matching(connection, (label.key.digest for label in new), Cause.LABEL)
    touched.touch_matching(connection, (label.key.digest for _, label in newer), Cause.REVISION)


def _row(label: GoldLabel, now_ns: int) -> dict[str, Any]:
    return {
        "digest": label.key.digest,
        "kind": label.key.kind.value,
        "target": label.key.value,
        "query": label.query,
        "pipeline": label.pipeline,
        "field": label.field.value,
        "annotator": label.annotator,
        "value": label.value,
        "labelled_at_ns": label.labelled_at_ns,
        "revision": label.revision,
        "probability": label.probability,
        "content_hash": label.content_hash,
        "stored_ns": now_ns,
    }


def _moved(at: int, label: GoldLabel, now_ns: int) -> dict[str, Any]:
    return {
        "at": at,
        "to_value": label.value,
        "to_labelled_at_ns": label.labelled_at_ns,
        "to_revision": label.revision,
        "to_probability": label.probability,
        "to_content_hash": label.content_hash,
        "to_stored_ns": now_ns,
    }
