"""The families that single metrics have to themselves."""

from collections.abc import Iterable
from typing import Final

from ragmon.metrics.spec import MetricSpec, Unit
from ragmon.telemetry.family import Family, FamilyType

_SUFFIXES: Final = {
    Unit.COUNT: "",
    Unit.AMOUNT: "",
    Unit.TOKENS: "_tokens",
    Unit.MILLISECONDS: "_seconds",
    Unit.USD: "_usd",
}


def family_of(spec: MetricSpec) -> Family | None:
    """The histogram of a metric whose unit no common family has; None for all others.

    A metric without buckets is one whose values the common families hold already. Milliseconds
    are exposed as seconds.
    """
    if spec.unit not in _SUFFIXES or not spec.buckets:
        return None
    suffix = _SUFFIXES[spec.unit]
    return Family(
        f"ragmon_{spec.stage}_{spec.name.removesuffix('_ms').removesuffix(suffix)}{suffix}",
        FamilyType.HISTOGRAM,
        spec.summary,
        ("pipeline", "k") if spec.takes_k else ("pipeline",),
        buckets=spec.buckets,
        exemplars=True,
    )


def families_of(metrics: Iterable[MetricSpec]) -> tuple[Family, ...]:
    """The families that these metrics have to themselves, in their order."""
    return tuple(family for spec in metrics if (family := family_of(spec)) is not None)
