"""A report as a table for the terminal, made with rich."""

from typing import Final

from rich.table import Column, Table
from rich.text import Text

from ragmon.metrics.spec import Better
from ragmon.summary.report import MetricSummary, Report
from ragmon.summary.views.words import amount, counted, quantile, reasons, shown, titled

_ARROWS: Final = {
    Better.HIGHER: "\N{UPWARDS ARROW}",
    Better.LOWER: "\N{DOWNWARDS ARROW}",
    Better.NONE: " ",
}


def to_table(report: Report) -> Table:
    """One row a metric, stage by stage; the arrow says which direction is good."""
    table = Table(
        Column("metric", no_wrap=True),
        Column("value", justify="right", no_wrap=True),
        Column("P50", justify="right", no_wrap=True),
        Column("P95", justify="right", no_wrap=True),
        Column("count", justify="right", no_wrap=True),
        Column("not measured", overflow="fold"),
        title=Text(shown(report.title)),
        box=None,
        pad_edge=False,
    )
    for stage in report.stages:
        table.add_row(Text(titled(stage.stage), style="bold"))
        for metric in stage.metrics:
            table.add_row(*_cells(metric), style="dim" if metric.value is None else "")
        for note, count in stage.notes.items():
            table.add_row(Text(f"  note: {shown(note)}"), str(count))
    return table


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
