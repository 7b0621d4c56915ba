"""Accumulators: the numbers behind each family, by label values.

Nothing here locks: `Exporter` holds one lock around every change and every snapshot.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeGuard, TypeVar

from ragmon.telemetry import Family

__all__ = ["Cell", "Exemplar", "Histogram", "HistogramTable", "LazyCells", "Table", "measurable"]

K = TypeVar("K")
V = TypeVar("V")


Exemplar: TypeAlias = tuple[float, str, int]
"""A value that a bucket remembers, its trace, and the time (ns) at which it was counted."""
_NUMBERS = (int, float)
_LARGEST = 1e12


def measurable(value: object) -> TypeGuard[float]:
    """Whether a value may reach an accumulator: not negative, and none that hides all others."""
    return isinstance(value, _NUMBERS) and 0.0 <= value <= _LARGEST


class Cell:
    """The number of one series."""

    __slots__ = ("labels", "value")

    def __init__(self, labels: dict[str, str], value: float = 0.0) -> None:
        self.labels = labels
        self.value = value


class Histogram:
    """The buckets of one series, one more than bounds, and the latest exemplar of each."""

    __slots__ = ("bounds", "counts", "exemplars", "labels", "total")

    def __init__(self, labels: dict[str, str], bounds: tuple[float, ...]) -> None:
        self.labels = labels
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        self.exemplars: list[Exemplar | None] = [None] * (len(bounds) + 1)

    def observe(self, value: float, trace_id: str, time_ns: int) -> None:
        """Count one value, which must be finite, in the first bucket whose bound it keeps."""
        bucket = bisect_left(self.bounds, value)
        self.counts[bucket] += 1
        self.total += value
        self.exemplars[bucket] = (value, trace_id, time_ns)


class Table:
    """The cells of one counter, gauge or info family."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self._cells: dict[tuple[str, ...], Cell] = {}

    def cell(self, *values: str) -> Cell:
        """The cell with these label values, made at 0 where there is none."""
        found = self._cells.get(values)
        if found is None:
            found = self._cells[values] = Cell(named(self.family, values))
        return found

    def replace(self, numbers: Mapping[tuple[str, ...], float]) -> None:
        """Expose exactly these series from now on."""
        self._cells = {
            values: Cell(named(self.family, values), number) for values, number in numbers.items()
        }

    def snapshot(self) -> list[tuple[dict[str, str], float]]:
        """Label names and values with the number, per series; the labels are shared."""
        return [(cell.labels, cell.value) for cell in self._cells.values()]


class HistogramTable:
    """The histograms of one family."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self._cells: dict[tuple[str, ...], Histogram] = {}

    def cell(self, *values: str, bounds: tuple[float, ...] = ()) -> Histogram:
        """The histogram with these label values; `bounds` where the family has none."""
        found = self._cells.get(values)
        if found is None:
            labels = named(self.family, values)
            found = self._cells[values] = Histogram(labels, self.family.buckets or bounds)
        return found

    def snapshot(self) -> list[Histogram]:
        """Copies that do not change any more."""
        return list(map(_copy, self._cells.values()))


class LazyCells(dict[K, V]):
    """Cells by a key of the caller's, each looked up by its labels once."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        made = self[key] = self._make(key)
        return made


def named(family: Family, values: tuple[str, ...]) -> dict[str, str]:
    """Label names with their values; a label without a value is absent from its series."""
    return {label: value for label, value in zip(family.labels, values, strict=True) if value}


def _copy(histogram: Histogram) -> Histogram:
    copy = Histogram(histogram.labels, histogram.bounds)
    copy.counts = histogram.counts.copy()
    copy.total = histogram.total
    copy.exemplars = histogram.exemplars.copy()
    return copy
