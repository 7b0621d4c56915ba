"""One commit: results replaced if the facts they were made from are still the facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from ragmon.model.corpus import CorpusDocument
from ragmon.model.flow import Conflict, Settled, TraceState
from ragmon.model.gold import MatchKey
from ragmon.model.result import Fresh, Result
from ragmon.store import (
    corpus,
    corpus_readers,
    labels,
    results,
    roll_ups,
    rows,
    touched,
    traces,
)
from ragmon.store.corpus import Revision
from ragmon.store.interned import Interned
from ragmon.store.labels import StoredLabel
from ragmon.store.observations import NOTHING, Counted, Inheritance, count, inherit
from ragmon.store.packing import pack_spans
from ragmon.store.results import StoredRequest
from ragmon.store.traces import StoredTrace


@dataclass(frozen=True, slots=True)
class Batch:
    """Settled traces with their spans packed, which needs no transaction."""

    settled: Sequence[Settled]
    blobs: Mapping[str, bytes]
    now_ns: int
    silent: bool
    mark: int
    corpus_bytes: int


def batch(
    settled: Sequence[Settled], now_ns: int, *, silent: bool, mark: int, corpus_bytes: int
) -> Batch:
    """Pack the spans of those traces whose spans are not the ones that are kept."""
    drafts = [made.draft for made in settled if not made.draft.expired]
    blobs = {
        draft.kept.trace_id: pack_spans(draft.spans)
        for draft in drafts
        if draft.kept.revision == 0 or draft.spans != draft.kept.spans
    }
    return Batch(settled, blobs, now_ns, silent, mark, corpus_bytes)


@dataclass(slots=True)
class _Writing:
    """What a commit reads at its start, and gathers to write at its end."""

    connection: Connection
    interned: Interned
    batch: Batch
    stored: Mapping[str, StoredTrace]
    standing: Mapping[MatchKey, list[StoredLabel]]
    revisions: Mapping[str, Revision]
    requests: Mapping[int, list[StoredRequest]] = field(default_factory=dict)
    next_id: int = 0
    new: list[dict[str, Any]] = field(default_factory=list)
    moved: list[dict[str, Any]] = field(default_factory=list)
    kept: dict[int, bytes] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    readers: list[dict[str, Any]] = field(default_factory=list)
    corpus: dict[int, tuple[CorpusDocument, ...]] = field(default_factory=dict)
    old_keys: set[tuple[int, int]] = field(default_factory=set)
    keys: set[tuple[int, int]] = field(default_factory=set)
    dirty: set[tuple[int, int]] = field(default_factory=set)
    matched: set[int] = field(default_factory=set)
    fresh: list[Fresh] = field(default_factory=list)


def commit(
    connection: Connection, interned: Interned, batch: Batch
) -> tuple[list[Fresh], list[Conflict], int]:
    """Replace what is stored of each trace of a batch, inside a write transaction.

    Returns (fresh, conflicts, documents that the corpus had no room for).
    """
    trace_ids = [made.draft.kept.trace_id for made in batch.settled]
    keys = {key for made in batch.settled for result in made.results for key in result.match_keys}
    stored = traces.stored(connection, trace_ids)
    standing = labels.under(connection, keys) if keys else {}
    revisions = corpus.revisions(connection)
    writing = _Writing(connection, interned, batch, stored, standing, revisions)
    conflicts = _replace(writing)
    # Last, since it may touch again what was settled here.
    refused = corpus.replace(connection, interned, writing.corpus, batch.corpus_bytes)
    return ([] if batch.silent else writing.fresh), conflicts, refused


def _replace(writing: _Writing) -> list[Conflict]:
    """Write every trace that is not in conflict; the others come back."""
    live = [made for made in writing.batch.settled if not made.draft.expired]
    good = _current(live, writing)
    writing.requests = results.of_traces(
        writing.connection,
        [stored.id for trace_id in good if (stored := writing.stored.get(trace_id))],
        writing.interned,
    )
    writing.next_id = traces.next_id(writing.connection)
    for made in good.values():
        _replace_trace(writing, made)
    _write(writing)
    _clear_touched(writing, good)
    stale = [made for made in live if good.get(made.draft.kept.trace_id) is not made]
    return [Conflict(made.draft.kept.trace_id) for made in stale]


def _current(live: Sequence[Settled], writing: _Writing) -> dict[str, Settled]:
    """Those whose facts stand, by trace id; of two for one trace the first."""
    good: dict[str, Settled] = {}
    for made in live:
        if _stands(made, writing):
            good.setdefault(made.draft.kept.trace_id, made)
    return good


def _stands(made: Settled, writing: _Writing) -> bool:
    kept = made.draft.kept
    stored = writing.stored.get(kept.trace_id)
    if (stored.revision if stored else 0) != kept.revision:
        return False
    for pipeline, revision in made.corpus_read.items():
        standing = writing.revisions.get(pipeline)
        if (standing.revision if standing else 0) != revision:
            return False
    now = {
        stored.label
        for result in made.results
        for key in result.match_keys
        for stored in writing.standing.get(key, ())
    }
    return now == set(made.labels_read)


def _replace_trace(writing: _Writing, made: Settled) -> None:
    before = writing.stored.get(made.draft.kept.trace_id)
    trace = before or _new_trace(writing, made)
    requests = writing.requests.get(trace.id, [])
    inheritance = inherit(
        [request.past for request in requests],
        rows.unpack_vanished(trace.vanished),
        made.results,
    )
    _move_trace(writing, made, trace, inheritance, is_new=before is None)
    _drop_requests(writing, trace.id, requests)
    if made.draft.kept.state is not TraceState.SEALED and (made.corpus or writing.revisions):
        writing.corpus[trace.id] = made.corpus
    for result in made.results:
        _replace_result(writing, made, trace.id, result, inheritance)


def _new_trace(writing: _Writing, made: Settled) -> StoredTrace:
    trace = StoredTrace(writing.next_id, made.draft.kept.trace_id, 0, first_ns=writing.batch.now_ns)
    writing.next_id += 1
    return trace


def _move_trace(
    writing: _Writing,
    made: Settled,
    trace: StoredTrace,
    inheritance: Inheritance,
    *,
    is_new: bool,
) -> None:
    event_ns = max((result.event_ns for result in made.results), default=trace.first_ns)
    vanished = rows.pack_vanished(inheritance.vanished)
    if is_new:
        writing.new.append(
            {
                "id": trace.id,
                "trace_id": trace.trace_id,
                "revision": 1,
                "state": TraceState.SETTLED.value,
                "first_ns": trace.first_ns,
                "event_ns": event_ns,
                "vanished": vanished,
            }
        )
    else:
        writing.moved.append(
            {
                "at": trace.id,
                "to_revision": trace.revision + 1,
                "to_event_ns": event_ns,
                "to_vanished": vanished,
            }
        )
    if (blob := writing.batch.blobs.get(trace.trace_id)) is not None:
        writing.kept[trace.id] = blob


def _drop_requests(writing: _Writing, trace: int, requests: Sequence[StoredRequest]) -> None:
    for request in requests:
        writing.dirty.add((request.pipeline, request.minute))
        writing.old_keys.update((digest, trace) for digest in request.digests)


def _replace_result(
    writing: _Writing, made: Settled, trace: int, result: Result, inheritance: Inheritance
) -> None:
    before = inheritance.marks.get(result.key.span_id)
    counted = count(before or NOTHING, result, silent=writing.batch.silent)
    lags = _use_labels(writing, result)
    row = rows.pack(result, counted.marks)
    pipeline = writing.interned.pipeline_id(writing.connection, result.pipeline)
    row["trace"] = trace
    row["pipeline"] = pipeline
    row["layout"] = writing.interned.layout_id(writing.connection, result.layout)
    writing.rows.append(row)
    if result.wanted:
        writing.readers.append(corpus_readers.row(pipeline, trace, result))
    writing.dirty.add((pipeline, row["minute"]))
    writing.keys.update((digest, trace) for digest in rows.unpack_digests(row["match_keys"]))
    if counted.marks.silent:
        return
    fresh = _fresh(writing, made, result, counted, lags, is_new=before is None)
    if fresh.first or _tells(fresh):
        writing.fresh.append(fresh)


def _use_labels(writing: _Writing, result: Result) -> tuple[float, ...]:
    """Mark the labels that this request is the first to use; how late each came, in seconds."""
    first_used = {
        stored.id: stored.label
        for key in result.match_keys
        for stored in writing.standing.get(key, ())
        if not stored.matched
        and stored.id not in writing.matched
        and stored.label.pipeline in (None, result.pipeline)
    }
    writing.matched.update(first_used)
    return tuple(
        max(0.0, (label.labelled_at_ns - result.event_ns) / 1e9) for label in first_used.values()
    )


def _fresh(
    writing: _Writing,
    made: Settled,
    result: Result,
    counted: Counted,
    lags: tuple[float, ...],
    *,
    is_new: bool,
) -> Fresh:
    return Fresh(
        key=result.key,
        pipeline=result.pipeline,
        pipeline_version=result.pipeline_version,
        event_ns=result.event_ns,
        committed_ns=writing.batch.now_ns,
        weight=result.weight,
        first=is_new,
        evaluations=counted.evaluations,
        scores=counted.scores,
        not_measured=counted.not_measured,
        observations=counted.observations,
        corrections=counted.corrections,
        cause=made.cause,
        label_lags_s=lags,
    )


def _tells(fresh: Fresh) -> bool:
    return bool(fresh.evaluations or fresh.observations or fresh.corrections or fresh.label_lags_s)


def _write(writing: _Writing) -> None:
    connection = writing.connection
    traces.add(connection, writing.new)
    traces.move(connection, writing.moved)
    traces.keep(connection, writing.kept)
    moved = [row["at"] for row in writing.moved]
    results.replace(connection, moved, writing.rows)
    corpus_readers.replace(connection, moved, writing.readers)
    results.move_keys(connection, writing.old_keys, writing.keys)
    labels.mark_matched(connection, writing.matched, writing.batch.now_ns)
    roll_ups.mark_dirty(connection, writing.dirty, writing.batch.mark)


def _clear_touched(writing: _Writing, good: Mapping[str, Settled]) -> None:
    """What was settled, and what can no longer be, need not be settled again."""
    expired = [made.draft.kept.trace_id for made in writing.batch.settled if made.draft.expired]
    done = [*good, *expired]
    touched.clear(
        writing.connection, [writing.stored[at].id for at in done if at in writing.stored]
    )
