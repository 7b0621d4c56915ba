"""A metric that a panel was made for, at one cut-off."""

from dataclasses import dataclass
from typing import Final

from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import MetricSpec, Unit

UNITS: Final = {
    Unit.RATIO: "percentunit",
    Unit.BINARY: "percentunit",
    Unit.SIGNED: "none",
    Unit.COUNT: "short",
    Unit.AMOUNT: "short",
    Unit.MILLISECONDS: "ms",
    Unit.USD: "currencyUSD",
    Unit.TOKENS: "short",
}
"""Grafana's name of each unit."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A metric with the cut-off it is shown at, None where it has none."""

    spec: MetricSpec
    k: int | None

    @property
    def title(self) -> str:
        """The metric's name as one says it, such as `recall@5`."""
        return self.spec.name.replace("_at_k", f"@{self.k}").replace("_", " ")

    @property
    def unit(self) -> str:
        """Grafana's name of the unit."""
        return UNITS[self.spec.unit]

    @property
    def matchers(self) -> str:
        """Matchers that pin one series; `k=""` is the absence of the label."""
        k = "" if self.k is None else str(self.k)
        return f'stage="{self.spec.stage}",metric="{self.spec.name}",k="{k}"'


def choose(registry: Registry, key: str) -> Chosen:
    """The metric of that key, at the first cut-off of the registry.

    Raises:
        KeyError: the registry has no such metric.
    """
    spec = registry.find(key)
    if spec is None:
        raise KeyError(f"no metric {key!r} in the registry")
    return Chosen(spec, next(slot.k for slot in registry.layout if slot.key == key))
