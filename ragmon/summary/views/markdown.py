"""A report as GitHub-flavoured Markdown, for pull requests and wikis."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ragmon.summary.compare import Comparison, MetricComparison
from ragmon.summary.report import NO_WEIGHTS, MetricSummary, Report, StageReport
from ragmon.summary.scorecard import Scorecard, scorecard
from ragmon.summary.views.funnel import Step, funnel
from ragmon.summary.views.words import (
    NOT_MEASURED,
    amount,
    compared,
    counted,
    cut,
    difference,
    direction,
    interval,
    made_of,
    plain,
    quantile,
    reasons,
    score,
    shown,
    stage_score,
    titled,
)

_LIVE: Final = re.compile(r"([\\`*_\[\]<>|~&!$#@])")
_METRIC_COLUMNS: Final = ("Metric", "Better", "Value", "P50", "P95", "Count", "Not measured")


def to_markdown(
    report: Report,
    weights: Mapping[str, float] = NO_WEIGHTS,
    comparison: Comparison | None = None,
) -> str:
    """Scorecard, comparison, evidence funnel, and per stage metrics, worst rows and notes."""
    parts = [
        f"# {escaped(report.title)}",
        *_scorecard(scorecard(report, weights)),
        *(() if comparison is None else _comparison(comparison)),
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


def _scorecard(card: Scorecard) -> Iterator[str]:
    yield "## Scorecard"
    rows = [(titled(one.stage), stage_score(one), made_of(one)) for one in card.stages]
    overall = ("**Overall**", f"**{score(card.score)}**", made_of(card))
    yield table(("Stage", "Score", "Measured / possible"), [*rows, overall])


def _comparison(comparison: Comparison) -> Iterator[str]:
    before, after = escaped(comparison.before), escaped(comparison.after)
    yield f"## Compared with {before}"
    yield table(
        ("Metric", before, after, "Difference", "95 % interval", "Pairs", "Verdict"),
        map(_compared, compared(comparison)),
    )


def _compared(metric: MetricComparison) -> tuple[str, ...]:
    unit = metric.spec.unit
    return (
        f"`{metric.key}{cut(metric.k)}`",
        amount(metric.before, unit),
        amount(metric.after, unit),
        difference(metric),
        interval(metric),
        str(metric.pairs),
        str(metric.verdict),
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
