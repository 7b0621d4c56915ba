"""Window summaries as gauges in event time; one without a value has no series."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from ragmon.export.families import Tables
from ragmon.export.scores import slot_labels
from ragmon.summary.window import WindowSummary

__all__ = ["show_windows"]

_Numbers: TypeAlias = dict[tuple[str, ...], float]


def show_windows(
    tables: Tables,
    windows: Mapping[str, Iterable[WindowSummary]],
    own: Callable[[str], str | None],
) -> None:
    """Replace all window gauges by these summaries, given by the window's name.

    own: the label value of a pipeline, None where it has no series of its own: its mean
    can be no part of another's.
    """
    shown = [
        (pipeline, window, summary)
        for window, summaries in windows.items()
        for summary in summaries
        if (pipeline := own(summary.pipeline)) is not None
    ]
    slots = [
        ((pipeline, *slot_labels(slot.slot), window), slot)
        for pipeline, window, summary in shown
        for slot in summary.slots
    ]
    numbers: Mapping[str, _Numbers] = {
        "ragmon_window_mean": _known((labels, slot.mean) for labels, slot in slots),
        "ragmon_window_count": _known((labels, slot.count or None) for labels, slot in slots),
        "ragmon_window_coverage_ratio": _known((labels, slot.coverage) for labels, slot in slots),
        "ragmon_label_coverage_ratio": _known(
            ((pipeline, window), summary.label_coverage) for pipeline, window, summary in shown
        ),
        "ragmon_window_latency_seconds": {
            labels: seconds
            for pipeline, window, summary in shown
            for labels, seconds in _latencies(pipeline, window, summary).items()
        },
    }
    for name, series in numbers.items():
        tables.numbers[name].replace(series)


def _known(series: Iterable[tuple[tuple[str, ...], float | None]]) -> _Numbers:
    return {labels: float(value) for labels, value in series if value is not None}


def _latencies(pipeline: str, window: str, summary: WindowSummary) -> _Numbers:
    return {
        (pipeline, stage, statistic, window): seconds
        for stage, latency in summary.latencies.items()
        for statistic, seconds in (("p50", latency.p50_s), ("p95", latency.p95_s))
    }
