"""One record, measured: its result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragmon.labels import join, join_run, match_keys, run_keys
from ragmon.metrics.input import WordRule
from ragmon.metrics.measure import measure, measure_run
from ragmon.metrics.registry import Registry
from ragmon.metrics.sources import wanted as asked_of
from ragmon.metrics.spec import Scope
from ragmon.model.corpus import NO_SOURCES, Sources, digests
from ragmon.model.gold import Gold, GoldLabel
from ragmon.model.indexing import Chunking, IndexingRun
from ragmon.model.record import Outcome, RequestRecord, Stage, StageRun
from ragmon.model.result import Observation, Observed, RequestKey, Result, Winner
from ragmon.text.hashing import TokenHasher
from ragmon.text.tokens import word_tokens


@dataclass(frozen=True, slots=True)
class Joining:
    """What a trace's records are joined with: labels, the corpus, the metrics."""

    labels: Sequence[GoldLabel]
    sources: Mapping[RequestKey, Sources]
    registry: Registry
    hasher: TokenHasher | None


def words_of(hasher: TokenHasher | None) -> WordRule:
    """The rule by which documents of the corpus are made tokens."""
    return word_tokens if hasher is None else hasher.words


def key_of(record: RequestRecord) -> RequestKey:
    """What a request is known by."""
    return RequestKey(record.trace_id, record.span_id)


def request_result(record: RequestRecord, joining: Joining) -> Result:
    """The result of a request."""
    key, words = key_of(record), words_of(joining.hasher)
    gold = join(record, joining.labels, joining.hasher)
    sources = joining.sources.get(key, NO_SOURCES)
    return Result(
        key=key,
        span_ids=record.span_ids,
        pipeline=record.shown_pipeline,
        pipeline_version=record.pipeline_version,
        event_ns=record.event_ns,
        outcome=record.outcome,
        weight=record.weight,
        layout=joining.registry.layout,
        values=measure(record, gold, joining.registry, sources, words),
        durations=_durations(record),
        observations=_observations(record),
        winners=winners_of(gold),
        match_keys=match_keys(record, joining.hasher),
        wanted=digests(asked_of(record, gold, words)),
    )


def run_result(run: IndexingRun, joining: Joining) -> Result:
    """The result of an indexing run. It has no outcome to observe: it is no request."""
    is_split = isinstance(run.content, Chunking)
    stage = Stage.CHUNKING if is_split else Stage.EMBEDDING
    gold = join_run(run_keys(run), run.pipeline, joining.labels)
    return Result(
        key=RequestKey(run.trace_id, run.span_id),
        span_ids=run.span_ids,
        pipeline=run.pipeline,
        pipeline_version=run.pipeline_version,
        event_ns=run.event_ns,
        outcome=Outcome.UNKNOWN if run.error_type is None else Outcome.ERROR,
        weight=run.weight,
        layout=joining.registry.layouts[Scope.DOCUMENT if is_split else Scope.INDEX],
        values=measure_run(run.content, gold, joining.registry),
        durations={} if run.duration_s is None else {stage: run.duration_s},
        observations=dict(_stage_observations(stage, StageRun(run.duration_s, run.error_type))),
        winners=winners_of(gold),
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


def winners_of(gold: Gold) -> tuple[Winner, ...]:
    """The labels that won, as the result names them."""
    return tuple(
        Winner(str(label.field), label.content_hash, label.key, label.labelled_at_ns)
        for label in gold.winners
    )
