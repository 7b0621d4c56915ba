"""How names and numbers are written in every view."""

from math import isfinite
from typing import Final

from ragmon.metrics.spec import Better, Unit
from ragmon.summary.compare import Comparison, MetricComparison
from ragmon.summary.report import MetricSummary
from ragmon.summary.scorecard import Scorecard, StageScore

NOT_MEASURED: Final = "not measured"
"""What stands where a value would: never 0, never a blank."""
DASH: Final = "\N{EN DASH}"
"""What stands where there can be nothing."""

_NOT_EVALUATED: Final = "not evaluated"
_NAME_LENGTH: Final = 80
_THOUSAND: Final = 1000
_SUFFIX: Final = {Unit.MILLISECONDS: " ms", Unit.USD: " USD"}
_DIRECTION: Final = {
    Better.HIGHER: "\N{UPWARDS ARROW} higher",
    Better.LOWER: "\N{DOWNWARDS ARROW} lower",
    Better.NONE: DASH,
}


def shown(name: str) -> str:
    r"""A name on one line, cut to 80 characters, what cannot be printed as its escape.

    >>> shown("a\nb")
    'a\\nb'
    """
    ellipsis = "\N{HORIZONTAL ELLIPSIS}"
    cut = name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 1] + ellipsis
    return "".join(one if one.isprintable() else _escape(one) for one in cut)


def finite(value: float | None) -> float | None:
    """The value, or None where it is none that can be written."""
    return value if value is not None and isfinite(value) else None


def plain(value: float) -> str:
    """Four significant digits below a thousand, whole numbers from there.

    >>> plain(0.71234), plain(12345.6), plain(2.0)
    ('0.7123', '12,346', '2')
    """
    return f"{value:.4g}" if abs(value) < _THOUSAND else f"{value:,.0f}"


def amount(value: float | None, unit: Unit) -> str:
    """A value with its unit; `not measured` where there is none.

    >>> amount(290.0, Unit.MILLISECONDS), amount(None, Unit.RATIO)
    ('290 ms', 'not measured')
    """
    known = finite(value)
    return NOT_MEASURED if known is None else plain(known) + _SUFFIX.get(unit, "")


def quantile(value: float | None, unit: Unit) -> str:
    """A quantile with its unit; a dash where the metric has no values per record."""
    return DASH if finite(value) is None else amount(value, unit)


def score(value: float | None) -> str:
    """A score in [0, 1]; `not measured` where there is none."""
    return amount(value, Unit.RATIO)


def stage_score(one: StageScore) -> str:
    """The score of a stage; `not evaluated` where the report has nothing of it."""
    return score(one.score) if one.evaluated else _NOT_EVALUATED


def made_of(one: Scorecard | StageScore) -> str:
    """Of how many metrics a score is made, of how many it could be: `3 / 7`; else a dash."""
    return f"{one.measured} / {one.possible}" if one.possible else DASH


def difference(metric: MetricComparison) -> str:
    """How much greater the value has become, with its sign; a dash where nobody can say."""
    change = finite(metric.difference)
    return DASH if change is None else _signed(change) + _SUFFIX.get(metric.spec.unit, "")


def interval(metric: MetricComparison) -> str:
    """Where 95 % of the resampled mean differences lie; a dash without enough pairs."""
    if metric.interval is None:
        return DASH
    low, high = metric.interval
    return f"{_signed(low)} to {_signed(high)}"


def compared(comparison: Comparison) -> tuple[MetricComparison, ...]:
    """The metrics that were measured in either report."""
    return tuple(
        one for one in comparison.metrics if (finite(one.before), finite(one.after)) != (None, None)
    )


def direction(better: Better) -> str:
    """The direction that is good, with an arrow, so that colour is never needed to see it."""
    return _DIRECTION[better]


def counted(metric: MetricSummary) -> str:
    """How many records have a value, of how many that could: `8/10`."""
    return f"{metric.count}/{metric.possible}"


def reasons(metric: MetricSummary) -> str:
    """Why records have no value, the commonest first: `missing:gold_ids (2)`."""
    ordered = sorted(metric.reasons.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{shown(reason)} ({count})" for reason, count in ordered)


def cut(k: int | None) -> str:
    """A cut-off behind the key of its metric: `@5`."""
    return "" if k is None else f"@{k}"


def titled(stage: str) -> str:
    """A stage's name as a heading: `End to end`."""
    return stage.replace("_", " ").capitalize()


def _signed(value: float) -> str:
    return f"+{plain(value)}" if value > 0 else plain(value)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
