"""One table per declared family, by name."""

from itertools import product
from typing import TypeAlias

from ragmon.export.tables import HistogramTable, Table
from ragmon.telemetry import FAMILIES, FamilyType, find

__all__ = ["AnyTable", "Tables"]

AnyTable: TypeAlias = Table | HistogramTable


class Tables:
    """The accumulators of every family of the catalogue."""

    def __init__(self) -> None:
        self.histograms = {
            family.name: HistogramTable(family)
            for family in FAMILIES
            if family.type is FamilyType.HISTOGRAM
        }
        self.numbers = {
            family.name: Table(family)
            for family in FAMILIES
            if family.type is not FamilyType.HISTOGRAM
        }

    def all(self) -> tuple[AnyTable, ...]:
        """Every table, in the order of the catalogue."""
        tables: dict[str, AnyTable] = {**self.histograms, **self.numbers}
        return tuple(tables[family.name] for family in FAMILIES)

    def start(self, name: str, *values: str) -> None:
        """Put series of a counter at zero: those with these first label values.

        The labels that follow must have closed sets.
        """
        family = find(name)
        closed = [family.closed[label] for label in family.labels[len(values) :]]
        for rest in product(*closed):
            self.numbers[name].cell(*values, *rest)
