"""Bars: where a value lies on the scale of its unit, as percent of the width."""

from dataclasses import dataclass

from ragmon.metrics.spec import Unit
from ragmon.summary.report import MetricSummary


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from `start`, `width` wide, both in percent; middle: the scale is -1 to 1."""

    start: float
    width: float
    middle: bool = False


def bar(metric: MetricSummary) -> Bar | None:
    """The bar of a metric; None where it was not measured or its unit has no upper end."""
    value = metric.value
    if value is None:
        return None
    if metric.spec.unit in (Unit.RATIO, Unit.BINARY) and 0 <= value <= 1:
        return Bar(0.0, 100 * value)
    if metric.spec.unit is Unit.SIGNED and -1 <= value <= 1:
        return Bar(50 + min(50 * value, 0.0), abs(50 * value), middle=True)
    return None
