"""Where the first values of a metric are counted, by its unit."""

from math import isfinite
from typing import Protocol, TypeGuard

from ragmon.export.families import Tables
from ragmon.export.tables import Cell, measurable
from ragmon.metrics.spec import MetricSpec, Unit
from ragmon.model.measurement import Slot
from ragmon.telemetry import family_of

__all__ = ["DELTAS", "Accumulator", "accumulator", "countable", "slot_labels"]

DELTAS = tuple(
    f"ragmon_score_delta_{part}_total" for part in ("positive", "negative", "observations")
)
"""The counters of a signed metric."""


class Accumulator(Protocol):
    """What counts one value of a metric."""

    def observe(self, value: float, trace_id: str, time_ns: int) -> None:
        """Count one value, which must be countable."""


class Delta:
    """The counters of one signed metric: a histogram's sum may not fall, theirs never do."""

    __slots__ = ("negative", "observations", "positive")

    def __init__(self, positive: Cell, negative: Cell, observations: Cell) -> None:
        self.positive = positive
        self.negative = negative
        self.observations = observations

    def observe(self, value: float, _: str, __: int) -> None:
        """Count one value, which must be finite, on its side of 0."""
        side = self.positive if value > 0 else self.negative
        side.value += abs(value)
        self.observations.value += 1.0


class InSeconds:
    """Milliseconds, counted as seconds."""

    __slots__ = ("_seconds",)

    def __init__(self, seconds: Accumulator) -> None:
        self._seconds = seconds

    def observe(self, value: float, trace_id: str, time_ns: int) -> None:
        """Count one value in milliseconds."""
        self._seconds.observe(value / 1000, trace_id, time_ns)


def countable(value: object, spec: MetricSpec | None) -> TypeGuard[float]:
    """Whether a metric's value may be counted: finite, and below 0 only where it is signed."""
    if spec is not None and spec.unit is Unit.SIGNED:
        return isinstance(value, float | int) and isfinite(value)
    return measurable(value)


def accumulator(
    tables: Tables, pipeline: str, slot: Slot, spec: MetricSpec | None
) -> Accumulator | None:
    """What counts the values of a slot; None where other families hold them already."""
    if spec is None:  # a slot of another registry
        return None
    family = family_of(spec)
    if family is not None:
        k = () if slot.k is None else (str(slot.k),)
        cell = tables.histograms[family.name].cell(pipeline, *k)
        return InSeconds(cell) if spec.unit is Unit.MILLISECONDS else cell
    if spec.unit is Unit.SIGNED:
        cells = (tables.numbers[name].cell(pipeline, *slot_labels(slot)) for name in DELTAS)
        return Delta(*cells)
    if spec.unit in (Unit.RATIO, Unit.BINARY):
        scores = tables.histograms["ragmon_score"]
        return scores.cell(pipeline, *slot_labels(slot), bounds=spec.buckets)
    return None


def slot_labels(slot: Slot) -> tuple[str, str, str]:
    """The values of stage, metric and k; the last is empty where the metric has none."""
    return (slot.stage, slot.metric, "" if slot.k is None else str(slot.k))
