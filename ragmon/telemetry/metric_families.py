"""The families that single metrics have to themselves."""

from collections.abc import Iterable

from ragmon.metrics.spec import MetricSpec, Unit
from ragmon.telemetry.family import Family, FamilyType


def family_of(spec: MetricSpec) -> Family | None:
    """The histogram of a metric whose unit no common family has; None for all others."""
    if spec.unit is not Unit.COUNT:
        return None
    return Family(
        f"ragmon_{spec.stage}_{spec.name}",
        FamilyType.HISTOGRAM,
        spec.summary,
        ("pipeline", "k") if spec.takes_k else ("pipeline",),
        buckets=spec.buckets,
        exemplars=True,
    )


def families_of(metrics: Iterable[MetricSpec]) -> tuple[Family, ...]:
    """The families that these metrics have to themselves, in their order."""
    return tuple(family for spec in metrics if (family := family_of(spec)) is not None)
