"""Facts to results: the one verb. Pure; the only maker of results.

draft   union of spans -> decode -> interpret: what a trace says, before labels
settle  join -> measure: what comes of it with the labels and the corpus that stand now
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ragmon.ingest.decode import decode
from ragmon.ingest.union import bounded_union
from ragmon.interpret import Interpreted, interpret_whole
from ragmon.labels import join, join_run, match_keys, run_keys
from ragmon.metrics.measure import measure, measure_run
from ragmon.metrics.registration import register
from ragmon.metrics.registry import Registry
from ragmon.metrics.sources import wanted as asked_of
from ragmon.metrics.spec import Scope
from ragmon.model.corpus import (
    NO_SOURCES,
    CorpusDocument,
    Sources,
    Wanted,
    digests,
)
from ragmon.model.flow import (
    Draft,
    Dropped,
    DropReason,
    Kept,
    Known,
    Settled,
    SpanPart,
    TraceState,
)
from ragmon.model.gold import Gold, GoldField, GoldLabel, MatchKey
from ragmon.model.indexing import Chunking, IndexingRun
from ragmon.model.record import Outcome, RequestRecord, Stage, StageRun
from ragmon.model.result import Cause, Observation, Observed, RequestKey, Result, Winner
from ragmon.model.span import Trace


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """How large a stored trace may grow, so that a trickling one does not cost its square."""

    spans: int = 10_000
    bytes: int = 64 << 20


def draft(
    kept: Kept, arrived: Sequence[SpanPart], limits: TraceLimits, oldest_ns: int = 0
) -> Draft:
    """Read a trace: what is kept of it and what arrived since, in any order.

    A new trace whose spans, or whose requests and runs, all happened before `oldest_ns` is
    past retention and will not be stored.
    """
    if kept.state is TraceState.GONE or _past(kept, arrived, oldest_ns):
        return _expired(kept, arrived)
    united = bounded_union(kept.spans, arrived, limits.spans, limits.bytes)
    refused = len(arrived) - united.settled - united.duplicates
    read = _read(kept.trace_id, united.spans)
    if not kept.revision and _removed_at_once(read, oldest_ns):
        return _expired(kept, arrived)
    return Draft(
        kept=kept,
        spans=united.spans,
        records=read.records,
        settled=united.settled,
        duplicates=united.duplicates,
        dropped=(Dropped(DropReason.TRACE_TOO_LARGE, refused),) if refused else (),
        runs=read.runs,
    )


def settle(draft: Draft, known: Known, registry: Registry, cause: Cause) -> Settled:
    """Join the labels that are known to each record and run, and measure it.

    The results of the requests come first, then those of the runs. `known` may hold labels
    of other traces; `labels_read` names those under this trace's match keys, which the
    commit compares with what stands there then.
    """
    keys = record_keys(draft)
    labels = tuple(label for label in known.labels if label.key in keys)
    requests = [_result(record, labels, known.sources, registry) for record in draft.records]
    runs = [_run_result(run, labels, registry) for run in draft.runs]
    return Settled(
        draft=draft,
        results=(*requests, *runs),
        labels_read=labels,
        cause=cause,
        corpus_read=known.corpus_read,
        corpus=_registered(draft.runs),
    )


def record_keys(draft: Draft) -> frozenset[MatchKey]:
    """Every match key of a draft, to ask the store for labels."""
    of_records = (match_keys(record) for record in draft.records)
    return frozenset(chain.from_iterable((*of_records, *map(run_keys, draft.runs))))


def wanted(draft: Draft, known: Known) -> dict[RequestKey, Wanted]:
    """What each request of a draft needs of the corpus, to ask the store for its sources."""
    evidence = [one for one in known.labels if one.field is GoldField.EXPECTED_EVIDENCE]
    return {_key(record): asked_of(record, join(record, evidence)) for record in draft.records}


def _registered(runs: Iterable[IndexingRun]) -> tuple[CorpusDocument, ...]:
    """Every document that the chunking runs of a trace register, in their order."""
    splits = ((run, run.content) for run in runs)
    found = [
        register(run.pipeline, document, run.event_ns)
        for run, content in splits
        if isinstance(content, Chunking)
        for document in content.documents or ()
    ]
    return tuple(document for document in found if document is not None)


def _expired(kept: Kept, arrived: Sequence[SpanPart]) -> Draft:
    new = sum(span.span_id not in kept.span_ids for span in arrived)
    return Draft(
        kept=kept,
        spans=(),
        records=(),
        duplicates=len(arrived) - new,
        dropped=(Dropped(DropReason.EXPIRED, new),) if new else (),
        expired=True,
    )


def _past(kept: Kept, arrived: Sequence[SpanPart], oldest_ns: int) -> bool:
    return not kept.revision and all(span.end_ns < oldest_ns for span in arrived)


def _removed_at_once(read: Interpreted, oldest_ns: int) -> bool:
    """Whether retention, which goes by the latest result, would remove what is stored."""
    times = [record.event_ns for record in read.records] + [run.event_ns for run in read.runs]
    return bool(times) and max(times) < oldest_ns


def _read(trace_id: str, spans: Sequence[SpanPart]) -> Interpreted:
    if not spans:
        return Interpreted((), ())
    decoded = sorted(decode(spans), key=lambda span: (span.start_ns, span.span_id))
    arrival_ns = min(span.arrival_ns for span in spans)
    return interpret_whole(Trace(trace_id, tuple(decoded), arrival_ns))


def _key(record: RequestRecord) -> RequestKey:
    return RequestKey(record.trace_id, record.span_id)


def _result(
    record: RequestRecord,
    labels: Sequence[GoldLabel],
    sources: Mapping[RequestKey, Sources],
    registry: Registry,
) -> Result:
    key = _key(record)
    gold = join(record, labels)
    return Result(
        key=key,
        span_ids=record.span_ids,
        pipeline=record.pipeline,
        pipeline_version=record.pipeline_version,
        event_ns=record.event_ns,
        outcome=record.outcome,
        weight=record.weight,
        layout=registry.layout,
        values=measure(record, gold, registry, sources.get(key, NO_SOURCES)),
        durations=_durations(record),
        observations=_observations(record),
        winners=_winners(gold),
        match_keys=match_keys(record),
        wanted=digests(asked_of(record, gold)),
    )


def _run_result(run: IndexingRun, labels: Sequence[GoldLabel], registry: Registry) -> Result:
    """The result of an indexing run. It has no outcome to observe: it is no request."""
    is_split = isinstance(run.content, Chunking)
    stage = Stage.CHUNKING if is_split else Stage.EMBEDDING
    gold = join_run(run, labels)
    return Result(
        key=RequestKey(run.trace_id, run.span_id),
        span_ids=run.span_ids,
        pipeline=run.pipeline,
        pipeline_version=run.pipeline_version,
        event_ns=run.event_ns,
        outcome=Outcome.UNKNOWN if run.error_type is None else Outcome.ERROR,
        weight=run.weight,
        layout=registry.layouts[Scope.DOCUMENT if is_split else Scope.INDEX],
        values=measure_run(run.content, gold, registry),
        durations={} if run.duration_s is None else {stage: run.duration_s},
        observations=dict(_stage_observations(stage, StageRun(run.duration_s, run.error_type))),
        winners=_winners(gold),
        match_keys=run_keys(run),
    )


def _durations(record: RequestRecord) -> dict[Stage, float]:
    durations = {
        stage: run.duration_s for stage, run in record.stages.items() if run.duration_s is not None
    }
    if record.latency_s is not None:
        durations[Stage.END_TO_END] = record.latency_s
    return durations


def _observations(record: RequestRecord) -> dict[Observation, Observed]:
    """Everything observable of a request beside its scores."""
    seen: dict[Observation, Observed] = {Observation("outcome"): str(record.outcome)}
    if record.latency_s is not None:
        seen[Observation("duration", Stage.END_TO_END)] = record.latency_s
    for stage, run in record.stages.items():
        seen.update(_stage_observations(stage, run))
    if record.time_to_first_token_s is not None:
        seen[Observation("first_token")] = record.time_to_first_token_s
    if record.retrieved is not None:
        seen[Observation("retrieved_chunks")] = len(record.retrieved)
    seen.update(_usage(record))
    seen.update(_context_tokens(record))
    return seen


def _stage_observations(stage: Stage, run: StageRun) -> Iterator[tuple[Observation, Observed]]:
    if run.duration_s is not None:
        yield Observation("duration", stage), run.duration_s
    if run.error_type is not None:
        yield Observation("stage_error", stage, run.error_type), 1


def _usage(record: RequestRecord) -> dict[Observation, Observed]:
    seen: dict[Observation, Observed] = {}
    for use in record.usage:
        model = use.model or "unknown"
        for qualifier, tokens in (("input", use.input_tokens), ("output", use.output_tokens)):
            if tokens is not None:
                seen[Observation("tokens", model, qualifier)] = tokens
        if use.cost_usd is not None:
            seen[Observation("cost", model)] = use.cost_usd
    return seen


def _context_tokens(record: RequestRecord) -> dict[Observation, Observed]:
    texts = [document.text for document in record.context or ()]
    if record.context is None or any(text is None for text in texts):
        return {}
    return {Observation("context_tokens"): sum(len(text.words) for text in texts if text)}


def _winners(gold: Gold) -> tuple[Winner, ...]:
    return tuple(
        Winner(str(label.field), label.content_hash, label.key, label.labelled_at_ns)
        for label in gold.winners
    )
