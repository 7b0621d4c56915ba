"""One table per declared family, by name."""

from collections.abc import Iterable
from itertools import product
from typing import TypeAlias

from ragmon.export.tables import HistogramTable, Table
from ragmon.telemetry import Family, FamilyType

__all__ = ["AnyTable", "Tables"]

AnyTable: TypeAlias = Table | HistogramTable


class Tables:
    """The accumulators of every family."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = {family.name: family for family in families}
        self.histograms = {
            family.name: HistogramTable(family)
            for family in self._families.values()
            if family.type is FamilyType.HISTOGRAM
        }
        self.numbers = {
            family.name: Table(family)
            for family in self._families.values()
            if family.type is not FamilyType.HISTOGRAM
        }

    def all(self) -> tuple[AnyTable, ...]:
        """Every table, in the order in which the families were given."""
        tables: dict[str, AnyTable] = {**self.histograms, **self.numbers}
        return tuple(tables[name] for name in self._families)

    def start(self, name: str, *values: str) -> None:
        """Put series of a counter at zero: those with these first label values.

        The labels that follow must have closed sets.
        """
        family = self._families[name]
        closed = [family.closed[label] for label in family.labels[len(values) :]]
        for rest in product(*closed):
            self.numbers[name].cell(*values, *rest)
