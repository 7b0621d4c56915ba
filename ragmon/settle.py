"""Facts to results: the one verb. Pure; the only maker of results.

draft   union of spans -> decode -> interpret: what a trace says, before labels
settle  join -> measure: what comes of it with the labels that stand now
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ragmon.ingest.decode import decode
from ragmon.ingest.union import union
from ragmon.interpret import interpret
from ragmon.labels import join, match_keys
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry
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
from ragmon.model.gold import Gold, GoldLabel, MatchKey
from ragmon.model.record import RequestRecord, Stage
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

    A trace that ended before `oldest_ns` is past retention and will not be stored.
    """
    if kept.state is TraceState.GONE or _past(kept, arrived, oldest_ns):
        return _expired(kept, arrived)
    united = union(kept.spans, arrived)
    refused = 0
    if _over(united.spans, limits):
        known = {span.span_id for span in kept.spans}
        repeated = [span for span in arrived if span.span_id in known]
        refused = len(arrived) - len(repeated)
        united = union(kept.spans, repeated)
    return Draft(
        kept=kept,
        spans=united.spans,
        records=_records(kept.trace_id, united.spans),
        settled=united.settled,
        duplicates=united.duplicates,
        dropped=(Dropped(DropReason.TRACE_TOO_LARGE, refused),) if refused else (),
    )


def settle(draft: Draft, known: Known, registry: Registry, cause: Cause) -> Settled:
    """Join the labels that are known to each record, and measure it.

    `known` may hold labels of other traces; `labels_read` names those under this trace's
    match keys, which the commit compares with what stands there then.
    """
    keys = {key for record in draft.records for key in match_keys(record)}
    labels = tuple(label for label in known.labels if label.key in keys)
    results = tuple(_result(record, labels, registry) for record in draft.records)
    return Settled(draft, results, labels, cause)


def record_keys(draft: Draft) -> frozenset[MatchKey]:
    """Every match key of a draft, to ask the store for labels."""
    return frozenset(key for record in draft.records for key in match_keys(record))


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


def _over(spans: Sequence[SpanPart], limits: TraceLimits) -> bool:
    return len(spans) > limits.spans or sum(span.size for span in spans) > limits.bytes


def _records(trace_id: str, spans: Sequence[SpanPart]) -> tuple[RequestRecord, ...]:
    if not spans:
        return ()
    decoded = sorted(decode(spans), key=lambda span: (span.start_ns, span.span_id))
    arrival_ns = min(span.arrival_ns for span in spans)
    return interpret(Trace(trace_id, tuple(decoded), arrival_ns))


def _result(record: RequestRecord, labels: Sequence[GoldLabel], registry: Registry) -> Result:
    gold = join(record, labels)
    return Result(
        key=RequestKey(record.trace_id, record.span_id),
        span_ids=record.span_ids,
        pipeline=record.pipeline,
        pipeline_version=record.pipeline_version,
        event_ns=record.event_ns,
        outcome=record.outcome,
        weight=record.weight,
        layout=registry.layout,
        values=measure(record, gold, registry),
        durations=_durations(record),
        observations=_observations(record),
        winners=_winners(gold),
        match_keys=match_keys(record),
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
    for stage, duration_s in _durations(record).items():
        seen[Observation("duration", stage)] = duration_s
    for stage, run in record.stages.items():
        if run.error_type is not None:
            seen[Observation("stage_error", stage, run.error_type)] = 1
    if record.time_to_first_token_s is not None:
        seen[Observation("first_token")] = record.time_to_first_token_s
    if record.retrieved is not None:
        seen[Observation("retrieved_chunks")] = len(record.retrieved)
    seen.update(_usage(record))
    seen.update(_context_tokens(record))
    return seen


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
