"""Scorecard: one number per stage and one over all, from the metrics that are scored.

Scored is what says how good a stage is, once each: no gain, proxy, check, latency, cost or
count, and no precision or recall whose F1 is scored.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, TypeAlias

from ragmon.model.record import Stage
from ragmon.summary.report import NO_WEIGHTS, Report

__all__ = ["SCORED", "Scorecard", "ScoredMetric", "StageScore", "scorecard"]

ToScore: TypeAlias = Callable[[float], float]


def _as_it_is(ratio: float) -> float:
    return ratio


def _complement(ratio: float) -> float:
    return 1 - ratio


def _of_excess(excess: float) -> float:
    """1 without excess, falling towards 0."""
    return 1 / (1 + excess)


def _of_parts(parts: float) -> float:
    """1 for one part, less for more; below 1, where some are lost, the share that is not."""
    return 1 / parts if parts > 1 else parts


SCORED: Final[Mapping[Stage, Mapping[str, ToScore]]] = {
    Stage.CHUNKING: {
        "coverage": _as_it_is,
        "size_compliance": _as_it_is,
        "overlap_ratio": _of_excess,
        "evidence_completeness": _as_it_is,
        "evidence_fragmentation": _of_parts,
        "structural_integrity": _as_it_is,
        "boundary_f1": _as_it_is,
        "metadata_completeness": _as_it_is,
        "metadata_accuracy": _as_it_is,
    },
    Stage.EMBEDDING: {
        "zero_norm_rate": _complement,
        "duplicate_vector_rate": _complement,
        "index_coverage": _as_it_is,
        "query_topk_recall": _as_it_is,
        "ann_recall_at_k": _as_it_is,
    },
    Stage.RETRIEVAL: {
        "f1_at_k": _as_it_is,
        "mrr_at_k": _as_it_is,
        "ndcg_at_k": _as_it_is,
        "hit_at_k": _as_it_is,
        "average_precision_at_k": _as_it_is,
        "token_iou": _as_it_is,
        "complete_evidence_recall": _as_it_is,
    },
    Stage.RERANKING: {"ndcg_at_k": _as_it_is, "mrr_at_k": _as_it_is},
    Stage.AUGMENTATION: {
        "context_precision": _as_it_is,
        "context_recall": _as_it_is,
        "context_sufficient": _as_it_is,
        "duplicate_ratio": _complement,
        "budget_compliant": _as_it_is,
        "evidence_edge_placement": _as_it_is,
    },
    Stage.GENERATION: {
        "exact_match": _as_it_is,
        "answer_f1": _as_it_is,
        "rouge_l_f1": _as_it_is,
        "required_fact_coverage": _as_it_is,
        "citation_f1": _as_it_is,
        "annotated_claim_support": _as_it_is,
        "abstention_accuracy": _as_it_is,
        "context_grounding": _as_it_is,
        "unsupported_number_rate": _complement,
        "task_success": _as_it_is,
    },
    Stage.END_TO_END: {
        "answer_exact_match": _as_it_is,
        "answer_f1": _as_it_is,
        "task_success_rate": _as_it_is,
    },
}
"""What is scored, by stage and name, and how its value becomes a score in [0, 1]."""


@dataclass(frozen=True, slots=True)
class ScoredMetric:
    """One scored metric. score: in [0, 1], higher is better; None where it was not measured.

    k: the cut-off it was read at, None where it has none.
    """

    key: str
    k: int | None
    value: float | None
    score: float | None
    weight: float


@dataclass(frozen=True, slots=True)
class StageScore:
    """One stage. score: weighted mean of its measured metrics; None where none was measured.

    metrics: all that are scored in this stage, without those of weight 0; none of a stage
    that was not evaluated, since the report has nothing of it.
    """

    stage: Stage
    score: float | None
    weight: float
    metrics: tuple[ScoredMetric, ...]
    evaluated: bool = True

    @property
    def measured(self) -> int:
        """How many metrics the score is made of."""
        return sum(metric.score is not None for metric in self.metrics)

    @property
    def possible(self) -> int:
        """Of how many it could be made."""
        return len(self.metrics)


@dataclass(frozen=True, slots=True)
class Scorecard:
    """All seven stages. score: weighted mean of the stages that have one, None without any."""

    score: float | None
    stages: tuple[StageScore, ...]

    @property
    def measured(self) -> int:
        """How many metrics the score is made of; of a stage of weight 0 none."""
        return sum(stage.measured for stage in self.stages if stage.weight)

    @property
    def possible(self) -> int:
        """Of how many it could be made."""
        return sum(stage.possible for stage in self.stages if stage.weight)


def scorecard(
    report: Report, weights: Mapping[str, float] = NO_WEIGHTS, *, k: int | None = None
) -> Scorecard:
    """Score a report; what was not measured changes no score.

    A stage that the report does not have was not evaluated, and counts as possible nowhere.

    weights: of a stage within the whole (`retrieval`), or of a metric within its stage
    (`retrieval.ndcg_at_k`); 1 where not said, 0 takes it out. k: the cut-off of ranked
    metrics; None takes the smallest that the report has.

    Raises:
        ValueError: if a weight is for nothing that is scored, or is negative or no number, or
            no metric of the report was measured at this cut-off.
    """
    _check_weights(weights)
    _check_cut(report, k)
    stages = tuple(_stage_score(report, stage, weights, k) for stage in Stage)
    return Scorecard(_mean((stage.score, stage.weight) for stage in stages), stages)


def _stage_score(
    report: Report, stage: Stage, weights: Mapping[str, float], k: int | None
) -> StageScore:
    if all(one.stage is not stage for one in report.stages):
        return StageScore(stage, None, weights.get(stage, 1.0), (), evaluated=False)
    scored = [
        _scored(report, f"{stage}.{name}", to_score, weights.get(f"{stage}.{name}", 1.0), k)
        for name, to_score in SCORED[stage].items()
    ]
    metrics = tuple(metric for metric in scored if metric.weight)
    score = _mean((metric.score, metric.weight) for metric in metrics)
    return StageScore(stage, score, weights.get(stage, 1.0), metrics)


def _scored(
    report: Report, key: str, to_score: ToScore, weight: float, k: int | None
) -> ScoredMetric:
    found = report.metric(key)
    if found is not None and found.k is not None:
        found = report.metric(key, k)
    if found is None or found.value is None:
        return ScoredMetric(key, None if found is None else found.k, None, None, weight)
    return ScoredMetric(key, found.k, found.value, _within(to_score, found.value), weight)


def _within(to_score: ToScore, value: float) -> float:
    """The score of a value; one out of range, as a file may say, scores as the nearest within."""
    return min(1.0, max(0.0, to_score(max(0.0, value))))


def _mean(weighted: Iterable[tuple[float | None, float]]) -> float | None:
    """The weighted mean of the scores there are; None without any, or without weight."""
    known = [(score, weight) for score, weight in weighted if score is not None and weight]
    if not known:
        return None
    total = math.fsum(weight for _, weight in known)
    return math.fsum(score * weight for score, weight in known) / total


def _check_weights(weights: Mapping[str, float]) -> None:
    metrics = [f"{stage}.{name}" for stage, scored in SCORED.items() for name in scored]
    known = [*map(str, SCORED), *metrics]
    for key, weight in weights.items():
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0)
            raise ValueError(
                f"weights: nothing scored is named {key!r}; the nearest is {near[0]!r}"
            )
        if not 0 <= weight < math.inf:
            raise ValueError(f"weights: {key} is {weight}; a weight is a number from 0")


def _check_cut(report: Report, k: int | None) -> None:
    every = (metric.k for stage in report.stages for metric in stage.metrics)
    cuts = sorted({cut for cut in every if cut is not None})
    if k is not None and cuts and k not in cuts:
        known = ", ".join(map(str, cuts))
        raise ValueError(f"k={k} is no cut-off of the report; it has {known}")
