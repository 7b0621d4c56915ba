"""A window of live traffic as a report, in the form of a file that was evaluated."""

from itertools import groupby
from typing import Final

from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import MetricSpec
from ragmon.model.record import Stage
from ragmon.summary.quantiles import Latency
from ragmon.summary.report import MetricSummary, Report, StageReport
from ragmon.summary.window import SlotWindow, WindowSummary

__all__ = ["live_report"]

_QUANTILES: Final = {
    "p50_latency_ms": lambda latency: latency.p50_s * 1000,
    "p95_latency_ms": lambda latency: latency.p95_s * 1000,
}
_MEANS: Final = frozenset({"mean_cost_usd", "mean_total_tokens", "task_success_rate"})
"""Aggregates that are the mean of their metric; any other one needs the single values."""
_STAGES: Final = tuple(Stage)
_UNWEIGHTED: Final = "means that are not weighted: the sampling weight of a request is not known"
_APPROXIMATE: Final = "durations, too many for exact quantiles"


def live_report(window: WindowSummary, registry: Registry, title: str) -> Report:
    """What a window of one pipeline says of each stage.

    window: merged over `registry.slots`. There are no rows, and quantiles only of durations:
    a window keeps sums, not its single values. A metric that nothing was asked for in the
    window is left out.
    """
    slots = [_of_slot(one, registry.spec(one.slot)) for one in window.slots if _asked(one)]
    means = {one.key: one for one in slots if one.k is None}
    aggregates = (_aggregate(spec, window, means) for spec in registry.aggregates)
    metrics = [*slots, *(one for one in aggregates if one is not None)]
    metrics.sort(key=_stage_order)
    stages = groupby(metrics, key=lambda one: one.spec.stage)
    return Report(
        title,
        tuple(
            StageReport(stage, tuple(found), notes=_notes(window, stage)) for stage, found in stages
        ),
    )


def _notes(window: WindowSummary, stage: Stage) -> dict[str, int]:
    """What the numbers of a stage are not: how many means, over how many durations."""
    of_stage = [one for one in window.slots if one.slot.stage == stage.value]
    latency = window.latencies.get(stage)
    notes = {
        _UNWEIGHTED: sum(one.count > 0 and not one.weighted for one in of_stage),
        _APPROXIMATE: latency.count if latency and latency.approximate else 0,
    }
    return {note: count for note, count in notes.items() if count}


def _asked(one: SlotWindow) -> bool:
    return bool(one.count or one.undefined or one.missing or one.failed)


def _of_slot(one: SlotWindow, spec: MetricSpec) -> MetricSummary:
    reasons = {
        "undefined": one.undefined,
        "missing": one.missing,
        "not_kept": one.not_kept,
        "failed": one.failed,
    }
    return MetricSummary(
        spec=spec,
        k=one.slot.k,
        value=one.mean,
        count=one.count,
        possible=one.count + one.missing + one.failed,
        reasons={reason: count for reason, count in reasons.items() if count},
    )


def _aggregate(
    spec: MetricSpec, window: WindowSummary, means: dict[str, MetricSummary]
) -> MetricSummary | None:
    """An aggregate over the window; None where a window cannot tell it."""
    if spec.name in _QUANTILES:
        return _quantile(spec, window.latencies.get(spec.stage))
    of = means.get(f"{spec.stage}.{spec.inputs[0]}")
    if spec.name not in _MEANS or of is None:
        return None
    return MetricSummary(spec, None, of.value, of.count, of.possible, reasons=of.reasons)


def _quantile(spec: MetricSpec, latency: Latency | None) -> MetricSummary | None:
    if latency is None:
        return None
    return MetricSummary(spec, None, _QUANTILES[spec.name](latency), latency.count, latency.count)


def _stage_order(one: MetricSummary) -> int:
    return _STAGES.index(one.spec.stage)
