"""What a Prometheus family is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class FamilyType(StrEnum):
    """The type of a family, as the exposition names it; an info is a gauge that is 1."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Family:
    """One Prometheus family.

    name: as queries write it, a counter with `_total`, an info with `_info`. labels: in
    the order in which values are given; one whose value is empty is left out of a series.
    closed: the values of the labels that have a closed set. buckets: upper bounds of a
    histogram without +Inf; empty where each series brings its own. exemplars: whether a
    bucket may point at a trace.
    """

    name: str
    type: FamilyType
    help: str
    labels: tuple[str, ...] = ()
    closed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    buckets: tuple[float, ...] = ()
    exemplars: bool = False

    @property
    def series(self) -> tuple[str, ...]:
        """Names of the series that queries can read of this family."""
        if self.type is FamilyType.HISTOGRAM:
            return (f"{self.name}_bucket", f"{self.name}_count", f"{self.name}_sum")
        return (self.name,)
