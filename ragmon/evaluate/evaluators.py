"""The evaluators of the stages that serve a request."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from ragmon.errors import InputError
from ragmon.evaluate import settings as checked
from ragmon.evaluate.corpus import read_library
from ragmon.evaluate.reading import Records, read_rows, rows_of
from ragmon.evaluate.requests import Progress, Settings, measure_requests
from ragmon.evaluate.rows import REQUEST_FIELDS
from ragmon.evaluate.settings import CutOffs
from ragmon.evaluate.values import unknown_name
from ragmon.metrics.own import load_registry
from ragmon.metrics.registry import Registry
from ragmon.model.record import Stage
from ragmon.summary.report import Report

REQUEST_STAGES: Final = (
    Stage.RETRIEVAL,
    Stage.RERANKING,
    Stage.AUGMENTATION,
    Stage.GENERATION,
    Stage.END_TO_END,
)
"""The stages that are measured on a request."""


def evaluate(
    records: Records,
    *,
    k: CutOffs = 5,
    stages: Iterable[str] | None = None,
    corpus: Records | None = None,
    source: str | None = None,
    max_context_tokens: int | None = None,
    title: str | None = None,
    progress: Progress | None = None,
    registry: Registry | None = None,
) -> Report:
    """Evaluate requests in one pass: every stage that has something to say.

    Args:
        records: Objects with the fields of a request, the path of a JSONL, CSV or Parquet
            file (also gzipped), or a pandas or polars frame. They are read one at a time.
        k: The cut-offs of ranked metrics.
        stages: Only these; every stage of requests with a value if None.
        corpus: Documents with their chunks, from which token, context and evidence metrics
            are computed; in any form that records may have. Chunks are looked up by their ids,
            those without a known one by their texts.
        source: The text of the one document, where chunks are given as texts without ids.
        max_context_tokens: The context budget of rows that name none, in word tokens.
        title: Of the report; else the file's name.
        progress: Called with the number of rows read so far.
        registry: The metrics; else all that are installed.

    Raises:
        InputError: a row cannot be read or has an unknown field; it names both. It is a
            ValueError too.

    Example:
        >>> report = evaluate([{"retrieved_ids": ["a", "b"], "relevant_ids": ["b"]}], k=2)
        >>> report.metric("retrieval.mrr_at_k").value
        0.5
    """
    chosen = _stages(stages)
    settings = Settings(checked.max_context_tokens(max_context_tokens))
    cuts = checked.cut_offs(k)
    metrics = _of_stages(registry or load_registry(cuts), chosen, cuts)
    library = read_library(corpus, source)
    tally = measure_requests(read_rows(records), metrics, library, settings, progress)
    reports = (tally.report(stage, metrics) for stage in chosen)
    said = tuple(
        one for one in reports if stages is not None or any(metric.count for metric in one.metrics)
    )
    return Report(title if title is not None else _title(records), said)


def _stages(names: Iterable[str] | None) -> tuple[Stage, ...]:
    if names is None:
        return REQUEST_STAGES
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if name not in REQUEST_STAGES:
            raise InputError(unknown_name("stage", name, REQUEST_STAGES))
    return tuple(stage for stage in REQUEST_STAGES if stage in given)


def _of_stages(registry: Registry, stages: Sequence[Stage], k: tuple[int, ...]) -> Registry:
    """The metrics of some stages, so that no other is computed."""
    every = (*registry.metrics, *registry.aggregates)
    return Registry((spec for spec in every if spec.stage in stages), k)


def _title(records: Records) -> str:
    return Path(records).name if isinstance(records, str | Path) else "evaluation"


class _RequestEvaluator:
    """Evaluates one stage of requests; see `evaluate` for what the arguments mean."""

    stage: ClassVar[Stage]
    short: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        k: CutOffs = 5,
        *,
        corpus: Records | None = None,
        source: str | None = None,
        max_context_tokens: int | None = None,
    ) -> None:
        cuts = checked.cut_offs(k)
        self._metrics = _of_stages(load_registry(cuts), (self.stage,), cuts)
        self._library = read_library(corpus, source)
        self._settings = Settings(checked.max_context_tokens(max_context_tokens), self.short)

    def evaluate(
        self,
        records: Records | None = None,
        *,
        title: str | None = None,
        progress: Progress | None = None,
        **columns: Sequence[Any] | None,
    ) -> Report:
        """Evaluate records, a file or a frame, or columns of equal length; one stage's report.

        Raises:
            InputError: a row cannot be read, or columns differ in length.
        """
        rows = rows_of(records, columns, REQUEST_FIELDS)
        tally = measure_requests(rows, self._metrics, self._library, self._settings, progress)
        name = title if title is not None else _title(records)
        return Report(name, (tally.report(self.stage, self._metrics),))


class RetrievalEvaluator(_RequestEvaluator):
    """Were the relevant documents found, and how high do they stand?

    Fields: query, retrieved_ids, retrieved_texts, retrieved_scores, relevant_ids,
    expected_evidence, latency_ms (of the retrieval; where a row also has
    retrieval_latency_ms, that one counts).

    >>> report = RetrievalEvaluator(k=2).evaluate(
    ...     retrieved_ids=[["a", "b"], ["x"]], relevant_ids=[["b"], {"a": 2}]
    ... )
    >>> report.metric("retrieval.hit_at_k").value
    0.5
    """

    stage = Stage.RETRIEVAL
    short: ClassVar[Mapping[str, str]] = {"latency_ms": "retrieval_latency_ms"}


class RerankingEvaluator(_RequestEvaluator):
    """Did the reranker help?

    Fields: retrieved_ids (before), reranked_ids (after), relevant_ids.

    >>> report = RerankingEvaluator(k=1).evaluate(
    ...     retrieved_ids=[["x", "a"]], reranked_ids=[["a", "x"]], relevant_ids=[["a"]]
    ... )
    >>> report.metric("reranking.mrr_gain").value
    1.0
    """

    stage = Stage.RERANKING


class AugmentationEvaluator(_RequestEvaluator):
    """Is the context that was packed into the prompt worth its tokens?

    Fields: context_ids, context (texts), expected_evidence, max_context_tokens; positions
    need `corpus` or `source`.

    >>> report = AugmentationEvaluator(source="Alpha beta gamma.").evaluate(
    ...     context=[["Alpha beta"]], expected_evidence=[["beta"]]
    ... )
    >>> report.metric("augmentation.context_precision").value
    0.5
    """

    stage = Stage.AUGMENTATION


class GenerationEvaluator(_RequestEvaluator):
    """Is the answer right, and does it rest on its context?

    Fields: query, answer, context, reference_answers, required_facts, cited_ids,
    expected_citations, answerable, abstained, verified_claims, task_success,
    generation_latency_ms (latency_ms is of the whole request, and not read here).

    >>> report = GenerationEvaluator().evaluate(answer=["It is 10."], context=[["price 10"]])
    >>> report.metric("generation.unsupported_number_rate").value
    0.0
    """

    stage = Stage.GENERATION


class EndToEndEvaluator(_RequestEvaluator):
    """What did the user experience, from request to answer?

    Fields: answer, reference_answers, task_success, latency_ms, cost_usd, input_tokens,
    output_tokens, total_tokens.

    >>> report = EndToEndEvaluator().evaluate(latency_ms=[100.0, 300.0])
    >>> report.metric("end_to_end.p95_latency_ms").value
    290.0
    """

    stage = Stage.END_TO_END
