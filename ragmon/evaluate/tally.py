"""Values of many records, gathered into the report of each stage."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

import numpy as np

from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import MetricSpec
from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured
from ragmon.model.record import Stage
from ragmon.summary.report import MetricSummary, Row, StageReport


class Names:
    """Names of rows, each once: a repeated one has the number of its time, `name #2`."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, name: str) -> str:
        """The name that the row has in the report."""
        self._seen[name] += 1
        times = self._seen[name]
        return name if times == 1 else self.of(f"{name} #{times}")


@dataclass(slots=True)
class Tally:
    """The values of records of one layout, in their order, and what was left out of them."""

    layout: Layout
    names: list[str] = field(default_factory=list)
    values: list[tuple[Measured, ...]] = field(default_factory=list)
    notes: dict[Stage, Counter[str]] = field(default_factory=dict)

    def add(self, name: str, values: tuple[Measured, ...]) -> None:
        """Take one record in, with its values in the order of the layout."""
        self.names.append(name)
        self.values.append(values)

    def note(self, stage: Stage, counts: Mapping[str, int]) -> None:
        """Count what was left out of a record, or is doubtful in it."""
        self.notes.setdefault(stage, Counter()).update(counts)

    def report(self, stage: Stage, registry: Registry) -> StageReport:
        """What all records say of one stage."""
        places = [place for place, slot in enumerate(self.layout) if slot.stage == stage]
        columns = {place: [values[place] for values in self.values] for place in places}
        metrics = tuple(
            summary(registry.spec(self.layout[place]), self.layout[place].k, columns[place])
            for place in places
        )
        aggregates = tuple(
            aggregate(spec, columns.values(), metrics)
            for spec in registry.aggregates
            if spec.stage == stage
        )
        rows = tuple(
            Row(name, tuple([values[place] for place in places]))
            for name, values in zip(self.names, self.values, strict=True)
        )
        return StageReport(stage, metrics + aggregates, metrics, rows, self.found(stage))

    def found(self, stage: Stage) -> dict[str, int]:
        """What was left out of a stage, by name; what never was is not there."""
        counts = self.notes.get(stage, Counter())
        return {name: counts[name] for name in sorted(counts) if counts[name]}


def summary(spec: MetricSpec, k: int | None, column: Sequence[Measured]) -> MetricSummary:
    """One metric over the records of a column: the mean of those that have a value."""
    values = numbers(column)
    p50, p95 = quantiles(values)
    return MetricSummary(
        spec=spec,
        k=k,
        value=fsum(values) / len(values) if values else None,
        count=len(values),
        possible=possible(column),
        p50=p50,
        p95=p95,
        reasons=reasons(column),
    )


def aggregate(
    spec: MetricSpec, columns: Iterable[Sequence[Measured]], metrics: Sequence[MetricSummary]
) -> MetricSummary:
    """One aggregate over all values of the metric that it is made of."""
    (name,) = spec.inputs
    pairs = zip(metrics, columns, strict=True)
    column = next((one for metric, one in pairs if metric.spec.name == name), ())
    values = numbers(column)
    return MetricSummary(
        spec=spec,
        k=None,
        value=spec.function(values) if values else None,
        count=len(values),
        possible=possible(column),
        reasons=reasons(column),
    )


def numbers(column: Iterable[Measured]) -> list[float]:
    """The values of a column."""
    return [value for value in column if not isinstance(value, NotMeasured)]


def possible(column: Iterable[Measured]) -> int:
    """How many records of a column could have had a value."""
    return sum(
        not isinstance(value, NotMeasured) or value.kind is not Kind.UNDEFINED for value in column
    )


def reasons(column: Iterable[Measured]) -> dict[str, int]:
    """Why records have no value, with how many of them, the most frequent first."""
    return dict(Counter(_reasons(column)).most_common())


def _reasons(column: Iterable[Measured]) -> Iterator[str]:
    return (value.reason for value in column if isinstance(value, NotMeasured))


def quantiles(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Median and 95th percentile by linear interpolation; None of nothing."""
    if not values:
        return None, None
    p50, p95 = np.percentile(values, (50, 95))
    return float(p50), float(p95)
