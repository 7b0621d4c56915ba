"""Reports on the terminal."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rich.console import Console

from ragmon.cli.console import out
from ragmon.summary.compare import Comparison
from ragmon.summary.report import NO_WEIGHTS, Report
from ragmon.summary.views.terminal import comparison_table, scorecard_table

_LEAST_WIDTH: Final = 110
_PLAIN_WIDTH: Final = 140
"""Columns of a table on a narrow terminal, and in a file or a CI log: nothing is cut."""


def without_silent(report: Report) -> Report:
    """The report without the stages of which nothing was measured."""
    said = (one for one in report.stages if any(metric.count for metric in one.metrics))
    return replace(report, stages=tuple(said))


def show(
    report: Report,
    weights: Mapping[str, float] = NO_WEIGHTS,
    comparison: Comparison | None = None,
) -> None:
    """Print a report, its scorecard, and what it was compared with."""
    tables = [report.to_table(), scorecard_table(report.scorecard(weights))]
    if comparison is not None:
        tables.append(comparison_table(comparison))
    wide = Console(width=max(out.width, _LEAST_WIDTH) if out.is_terminal else _PLAIN_WIDTH)
    for table in tables:
        wide.print(table)
        wide.print()
