"""The fields of what follows from a report: its scorecard, and a comparison of two."""

from ragmon.summary.compare import Comparison, MetricComparison
from ragmon.summary.scorecard import Scorecard, ScoredMetric, StageScore
from ragmon.summary.views.shape import (
    ComparedFields,
    ComparisonFields,
    ScorecardFields,
    ScoredFields,
    StageScoreFields,
)
from ragmon.summary.views.words import finite


def scorecard_fields(card: Scorecard) -> ScorecardFields:
    """The scorecard, all stages in their order."""
    return {
        "score": finite(card.score),
        "measured": card.measured,
        "possible": card.possible,
        "stages": [_stage(stage) for stage in card.stages],
    }


def comparison_fields(comparison: Comparison) -> ComparisonFields:
    """The comparison, every metric of either report."""
    return {
        "before": comparison.before,
        "after": comparison.after,
        "metrics": [_compared(metric) for metric in comparison.metrics],
    }


def _stage(stage: StageScore) -> StageScoreFields:
    return {
        "stage": stage.stage.value,
        "score": finite(stage.score),
        "weight": stage.weight,
        "measured": stage.measured,
        "possible": stage.possible,
        "metrics": [_scored(metric) for metric in stage.metrics],
    }


def _scored(metric: ScoredMetric) -> ScoredFields:
    return {
        "metric": metric.key,
        "k": metric.k,
        "value": finite(metric.value),
        "score": finite(metric.score),
        "weight": metric.weight,
    }


def _compared(metric: MetricComparison) -> ComparedFields:
    return {
        "metric": metric.key,
        "k": metric.k,
        "before": finite(metric.before),
        "after": finite(metric.after),
        "difference": finite(metric.difference),
        "pairs": metric.pairs,
        "interval": None if metric.interval is None else list(metric.interval),
        "verdict": metric.verdict.value,
    }
