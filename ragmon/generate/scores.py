"""Panels of scores: gold metrics in event time, quality by direction, the spread of one."""

from typing import Final

from ragmon.generate.chosen import Chosen
from ragmon.generate.panels import Kind, Panel, Query, rising
from ragmon.generate.promql import mean_score, pooled_window_mean
from ragmon.generate.selectors import OF_PIPELINE, STEP

GOLD_WINDOW: Final = "24h"


def mean_of(metric: Chosen, window: str, by: str = "") -> str:
    """Mean of the metric's scores as they were first measured, within a window."""
    return mean_score(f"{OF_PIPELINE},{metric.matchers}", window, by)


def gold_tile(metric: Chosen, width: int) -> Panel:
    """The mean against gold labels over the last day of event time, pooled over stores."""
    matchers = f'{OF_PIPELINE},{metric.matchers},window="{GOLD_WINDOW}"'
    return Panel(
        kind=Kind.STAT,
        title=metric.title,
        description=f"{metric.spec.summary} Mean over the labelled requests of the last"
        f" {GOLD_WINDOW} of event time; a late label changes it.",
        unit=metric.unit,
        queries=(Query(pooled_window_mean(matchers)),),
        width=width,
        thresholds=rising(0.5, 0.7),
    )


def quality_graph(title: str, metrics: tuple[Chosen, ...], width: int) -> Panel:
    """Means over time of a few metrics of one direction."""
    return Panel(
        kind=Kind.TIME_SERIES,
        title=title,
        description="\n".join(f"- {metric.title}: {metric.spec.summary}" for metric in metrics),
        unit="percentunit",
        queries=tuple(
            Query(mean_of(metric, STEP), legend=metric.title, exemplars=True) for metric in metrics
        ),
        width=width,
        lowest=0,
        highest=1,
    )


def spread(title: str, metric: Chosen, width: int) -> Panel:
    """How many requests got which score, over time."""
    buckets = f"ragmon_score_bucket{{{OF_PIPELINE},{metric.matchers}}}"
    return Panel(
        kind=Kind.HEATMAP,
        title=title,
        description=f"{metric.spec.summary} Requests per bucket of the score; the lowest one"
        " holds the answers to look at.",
        unit=metric.unit,
        queries=(Query(f"sum by (le) (increase({buckets}[{STEP}]))", legend="{{le}}"),),
        width=width,
    )
