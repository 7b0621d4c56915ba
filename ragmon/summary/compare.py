"""Comparison: two reports metric by metric, and how far chance explains a difference."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ragmon.metrics.spec import Better, MetricSpec
from ragmon.model.measurement import Measured, NotMeasured
from ragmon.model.record import Stage
from ragmon.summary.report import MetricSummary, Report, Row, StageReport

__all__ = ["Comparison", "MetricComparison", "Verdict", "compare"]

_Place: TypeAlias = tuple[str, int | None]

_STAGES: Final = [str(stage) for stage in Stage]
_SHARES: Final = (2.5, 97.5)
_LARGEST: Final = 1e100
"""A number beyond it is a fault, and would spoil every mean it is in."""
_CELLS: Final = 1 << 20
"""Row numbers drawn at once: 8 MB."""


class Verdict(StrEnum):
    """Which of two reports is better in a metric."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric at one cut-off in both reports.

    before, after: its values, None where a report lacks it. difference: after - before, None
    where one is lacking or the formula has changed in between. pairs: records of one name
    that have a value in both. interval: 95 % of the mean difference of these pairs; None
    with fewer than 2, and for an aggregate, which has no values per record.
    """

    spec: MetricSpec
    k: int | None
    before: float | None
    after: float | None
    difference: float | None
    pairs: int
    interval: tuple[float, float] | None

    @property
    def key(self) -> str:
        """`stage.name`; K is never part of it."""
        return self.spec.key

    @property
    def verdict(self) -> Verdict:
        """Better or worse where the interval lies on one side of 0 and a side is good.

        Equal where every pair has the same value: only then nothing but 0 can be drawn.
        """
        if self.interval == (0.0, 0.0):
            return Verdict.EQUAL
        if self.interval is None or self.spec.better is Better.NONE:
            return Verdict.UNCLEAR
        low, high = self.interval
        if low <= 0 <= high:
            return Verdict.UNCLEAR
        return Verdict.BETTER if (low > 0) == (self.spec.better is Better.HIGHER) else Verdict.WORSE


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two reports side by side: their titles, and every metric that either has."""

    before: str
    after: str
    metrics: tuple[MetricComparison, ...]


class _Drawn(NamedTuple):
    """How many records were paired, and what resampling them gave."""

    pairs: int
    interval: tuple[float, float] | None


def compare(before: Report, after: Report, *, resamples: int = 2000, seed: int = 0) -> Comparison:
    """Compare two reports, by a paired bootstrap over the records that both have.

    Records pair by their name; of a repeated name the first with the first, and so on. The
    same reports and seed always give the same intervals; those of one metric depend on its
    own pairs only. resamples: how often the pairs are drawn anew.

    Raises:
        ValueError: if `resamples` is below 1.
    """
    if resamples < 1:
        raise ValueError(f"resamples={resamples} must be 1 or more")
    first, second = _summaries(before), _summaries(after)
    drawn = _drawn(before, after, resamples, seed)
    places = sorted(dict.fromkeys((*first, *second)), key=_stage_order)
    metrics = tuple(
        _compared(first.get(place), second.get(place), drawn.get(place, _Drawn(0, None)))
        for place in places
    )
    return Comparison(before.title, after.title, metrics)


def _summaries(report: Report) -> dict[_Place, MetricSummary]:
    return {(metric.key, metric.k): metric for stage in report.stages for metric in stage.metrics}


def _stage_order(place: _Place) -> int:
    return _STAGES.index(place[0].partition(".")[0])


def _compared(
    before: MetricSummary | None, after: MetricSummary | None, drawn: _Drawn
) -> MetricComparison:
    either = after if after is not None else before
    assert either is not None
    old = None if before is None else before.value
    new = None if after is None else after.value
    same = before is not None and before.spec.version == either.spec.version
    return MetricComparison(
        spec=either.spec,
        k=either.k,
        before=old,
        after=new,
        difference=None if old is None or new is None or not same else new - old,
        pairs=drawn.pairs,
        interval=drawn.interval,
    )


def _drawn(before: Report, after: Report, resamples: int, seed: int) -> dict[_Place, _Drawn]:
    """The pairs and the interval of every metric that has values per record in both."""
    others = {stage.stage: stage for stage in after.stages}
    drawn: dict[_Place, _Drawn] = {}
    for stage in before.stages:
        if stage.stage in others:
            drawn |= _of_stage(stage, others[stage.stage], resamples, seed)
    return drawn


def _of_stage(
    before: StageReport, after: StageReport, resamples: int, seed: int
) -> dict[_Place, _Drawn]:
    first, second = _columns(before), _columns(after)
    shared = [column for column in first if column in second]
    rows, others = _rows(before), _rows(after)
    names = [name for name in rows if name in others]
    differences = _values(
        [others[name] for name in names], [second[column] for column in shared]
    ) - _values([rows[name] for name in names], [first[column] for column in shared])
    drawn: dict[_Place, _Drawn] = {}
    for paired, columns in _by_pairs(differences):
        pairs = differences[paired][:, columns]
        for column, interval in zip(columns, _intervals(pairs, resamples, seed), strict=True):
            key, k, _ = shared[column]
            drawn[key, k] = _Drawn(len(pairs), interval)
    return drawn


def _columns(stage: StageReport) -> dict[tuple[str, int | None, int], int]:
    """The place in a row of every metric, by its key, cut-off and version."""
    return {
        (metric.key, metric.k, metric.spec.version): at
        for at, metric in enumerate(stage.row_metrics)
    }


def _rows(stage: StageReport) -> dict[tuple[str, int], Row]:
    """The rows by their name and how often it came before."""
    seen: Counter[str] = Counter()
    rows = {}
    for row in stage.rows:
        rows[row.name, seen[row.name]] = row
        seen[row.name] += 1
    return rows


def _values(rows: Sequence[Row], columns: Sequence[int]) -> NDArray[np.float64]:
    """(rows, columns), NaN where nothing was measured."""
    values = [[_number(row.values[column]) for column in columns] for row in rows]
    return np.array(values, dtype=np.float64).reshape(len(rows), len(columns))


def _number(value: Measured) -> float:
    if isinstance(value, NotMeasured) or abs(value) > _LARGEST:
        return np.nan
    return value


def _by_pairs(
    differences: NDArray[np.float64],
) -> Iterator[tuple[NDArray[np.bool_], list[int]]]:
    """Which rows have a value in both reports, and the columns of which that holds."""
    paired = ~np.isnan(differences)
    columns: dict[bytes, list[int]] = defaultdict(list)
    for column in range(differences.shape[1]):
        columns[paired[:, column].tobytes()].append(column)
    for alike in columns.values():
        yield paired[:, alike[0]], alike


def _intervals(
    pairs: NDArray[np.float64], resamples: int, seed: int
) -> Sequence[tuple[float, float] | None]:
    """95 % intervals of the means of (n, m) differences; None each where n < 2."""
    n, m = pairs.shape
    if n < 2:
        return [None] * m
    means = np.concatenate([counts @ pairs / n for counts in _resampled(n, resamples, seed)])
    low, high = np.percentile(means, _SHARES, axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _resampled(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """(b, n): how often each of n rows is drawn, in blocks b of all resamples."""
    generator = np.random.default_rng(seed)
    block = max(1, _CELLS // n)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = generator.integers(n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
