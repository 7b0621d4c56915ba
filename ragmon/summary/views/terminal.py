"""A report as a table for the terminal, made with rich."""

from typing import Final, TypedDict

from rich.table import Column, Table
from rich.text import Text

from ragmon.metrics.spec import Better
from ragmon.summary.compare import Comparison, MetricComparison, Verdict
from ragmon.summary.report import MetricSummary, Report
from ragmon.summary.scorecard import Scorecard
from ragmon.summary.views.words import (
    amount,
    compared,
    counted,
    cut,
    difference,
    interval,
    made_of,
    quantile,
    reasons,
    score,
    shown,
    stage_score,
    titled,
)

_ARROWS: Final = {
    Better.HIGHER: "\N{UPWARDS ARROW}",
    Better.LOWER: "\N{DOWNWARDS ARROW}",
    Better.NONE: " ",
}

_STYLES: Final = {
    Verdict.BETTER: "green",
    Verdict.WORSE: "red",
    Verdict.EQUAL: "",
    Verdict.UNCLEAR: "",
}


class _Layout(TypedDict):
    box: None
    pad_edge: bool


_PLAIN: Final[_Layout] = {"box": None, "pad_edge": False}


def to_table(report: Report) -> Table:
    """One row a metric, stage by stage; the arrow says which direction is good."""
    table = Table(
        Column("metric", no_wrap=True),
        *map(_right, ("value", "P50", "P95", "count")),
        Column("not measured", overflow="fold"),
        title=Text(shown(report.title)),
        **_PLAIN,
    )
    for stage in report.stages:
        table.add_row(Text(titled(stage.stage), style="bold"))
        for metric in stage.metrics:
            table.add_row(*_cells(metric), style="dim" if metric.value is None else "")
        for note, count in stage.notes.items():
            table.add_row(Text(f"  note: {shown(note)}"), str(count))
    return table


def scorecard_table(card: Scorecard) -> Table:
    """The score of each stage and over all, with how many metrics it is made of."""
    table = Table("stage", _right("score"), _right("measured / possible"), **_PLAIN)
    for one in card.stages:
        style = "dim" if one.score is None else ""
        table.add_row(titled(one.stage), stage_score(one), made_of(one), style=style)
    table.add_row("Overall", score(card.score), made_of(card), style="bold")
    return table


def comparison_table(comparison: Comparison) -> Table:
    """Every metric that either report has a value of, side by side."""
    table = Table(
        Column("metric", overflow="fold"),
        *map(_right, ("before", "after", "difference", "95 % interval", "pairs")),
        "verdict",
        title=Text(f"{shown(comparison.before)} \N{RIGHTWARDS ARROW} {shown(comparison.after)}"),
        **_PLAIN,
    )
    for metric in compared(comparison):
        table.add_row(*_compared(metric), style=_STYLES[metric.verdict])
    return table


def _right(name: str) -> Column:
    return Column(name, justify="right", no_wrap=True)


def _compared(metric: MetricComparison) -> tuple[Text, ...]:
    unit = metric.spec.unit
    cells = (
        f"{_ARROWS[metric.spec.better]} {metric.key}{cut(metric.k)}",
        amount(metric.before, unit),
        amount(metric.after, unit),
        difference(metric),
        interval(metric),
        str(metric.pairs),
        str(metric.verdict),
    )
    return tuple(map(Text, cells))


def _cells(metric: MetricSummary) -> tuple[Text, ...]:
    unit = metric.spec.unit
    cells = (
        f"{_ARROWS[metric.spec.better]} {metric.label}",
        amount(metric.value, unit),
        quantile(metric.p50, unit),
        quantile(metric.p95, unit),
        counted(metric),
        reasons(metric),
    )
    return tuple(map(Text, cells))
