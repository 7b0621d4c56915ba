"""A report as GitHub-flavoured Markdown, for pull requests and wikis."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ragmon.summary.report import MetricSummary, Report, StageReport
from ragmon.summary.views.funnel import Step, funnel
from ragmon.summary.views.words import (
    NOT_MEASURED,
    amount,
    counted,
    direction,
    plain,
    quantile,
    reasons,
    shown,
    titled,
)

_LIVE: Final = re.compile(r"([\\`*_\[\]<>|~&!$#@])")
_METRIC_COLUMNS: Final = ("Metric", "Better", "Value", "P50", "P95", "Count", "Not measured")


def to_markdown(report: Report) -> str:
    """Scorecard, evidence funnel, and per stage its metrics, worst rows and notes."""
    parts = [
        f"# {escaped(report.title)}",
        *_funnel(funnel(report)),
        *(part for stage in report.stages for part in _stage(stage)),
    ]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    r"""A text on one line, cut, in which nothing is Markdown or HTML.

    >>> escaped("<b>a|b")
    '\\<b\\>a\\|b'
    """
    return _LIVE.sub(r"\\\1", shown(text))


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are Markdown already."""
    head = tuple(columns)
    return "\n".join(
        f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *map(tuple, rows))
    )


def _funnel(steps: tuple[Step, ...]) -> Iterator[str]:
    if steps:
        yield "## Evidence funnel\n\nDistinct documents of a request after each stage, on average."
        yield table(("Step", "Documents", "Requests"), map(_step, steps))


def _step(step: Step) -> tuple[str, ...]:
    documents = NOT_MEASURED if step.documents is None else plain(step.documents)
    return step.name, documents, str(step.count)


def _stage(stage: StageReport) -> Iterator[str]:
    yield f"## {titled(stage.stage)}"
    yield table(_METRIC_COLUMNS, map(_metric, stage.metrics))
    worst = [(metric.label, stage.worst(metric)) for metric in stage.row_metrics]
    if any(rows for _, rows in worst):
        cells = ((f"`{label}`", _names(rows)) for label, rows in worst if rows)
        yield table(("Metric", "Worst rows"), cells)
    if stage.notes:
        cells = ((escaped(name), str(count)) for name, count in stage.notes.items())
        yield table(("Note", "Count"), cells)


def _metric(metric: MetricSummary) -> tuple[str, ...]:
    unit = metric.spec.unit
    return (
        f"`{metric.label}`",
        direction(metric.spec.better),
        amount(metric.value, unit),
        quantile(metric.p50, unit),
        quantile(metric.p95, unit),
        counted(metric),
        escaped_reasons(metric),
    )


def escaped_reasons(metric: MetricSummary) -> str:
    """Why records have no value, as Markdown."""
    return _LIVE.sub(r"\\\1", reasons(metric))


def _names(rows: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{escaped(name)} ({plain(value)})" for name, value in rows)
