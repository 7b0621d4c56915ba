"""A report as one self-contained HTML page: no script, nothing from elsewhere."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, StrictUndefined, Template

from ragmon.metrics.spec import Better
from ragmon.summary.compare import Comparison
from ragmon.summary.report import NO_WEIGHTS, MetricSummary, Report
from ragmon.summary.scorecard import scorecard
from ragmon.summary.views.bars import bar
from ragmon.summary.views.funnel import funnel
from ragmon.summary.views.words import (
    NOT_MEASURED,
    amount,
    compared,
    counted,
    cut,
    difference,
    direction,
    finite,
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

_TEMPLATE: Final = "report.html.jinja"
_FILTERS: Final = (
    amount,
    bar,
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


def to_html(
    report: Report,
    weights: Mapping[str, float] = NO_WEIGHTS,
    comparison: Comparison | None = None,
) -> str:
    """The page: scorecard, comparison, funnel, and per stage metrics, worst rows and notes.

    It is read with a browser in light or dark, on paper, or by a screen reader.
    """
    return _template().render(
        report=report,
        card=scorecard(report, weights),
        comparison=comparison,
        steps=funnel(report),
        not_measured=NOT_MEASURED,
    )


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    for function in _FILTERS:
        environment.filters[function.__name__] = function
    environment.tests["measured"] = _measured
    environment.tests["lower_is_better"] = _lower_is_better
    source = files(__package__).joinpath(_TEMPLATE).read_text(encoding="utf-8")
    return environment.from_string(source)


def _measured(metric: MetricSummary) -> bool:
    return finite(metric.value) is not None


def _lower_is_better(metric: MetricSummary) -> bool:
    return metric.spec.better is Better.LOWER
