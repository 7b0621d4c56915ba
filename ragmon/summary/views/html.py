"""A report as one self-contained HTML page: no script, nothing from elsewhere."""

from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, StrictUndefined, Template

from ragmon.metrics.spec import Better
from ragmon.summary.report import MetricSummary, Report
from ragmon.summary.views.bars import bar
from ragmon.summary.views.funnel import funnel
from ragmon.summary.views.words import (
    NOT_MEASURED,
    amount,
    counted,
    direction,
    finite,
    plain,
    quantile,
    reasons,
    shown,
    titled,
)

_TEMPLATE: Final = "report.html.jinja"


def to_html(report: Report) -> str:
    """The page: scorecard, evidence funnel, and per stage its metrics, worst rows and notes.

    It is read with a browser in light or dark, on paper, or by a screen reader.
    """
    return _template().render(report=report, steps=funnel(report), not_measured=NOT_MEASURED)


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    for function in (amount, bar, counted, direction, plain, quantile, reasons, shown, titled):
        environment.filters[function.__name__] = function
    environment.tests["measured"] = _measured
    environment.tests["lower_is_better"] = _lower_is_better
    source = files(__package__).joinpath(_TEMPLATE).read_text(encoding="utf-8")
    return environment.from_string(source)


def _measured(metric: MetricSummary) -> bool:
    return finite(metric.value) is not None


def _lower_is_better(metric: MetricSummary) -> bool:
    return metric.spec.better is Better.LOWER
