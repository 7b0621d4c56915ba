"""One minute's results, summed so that windows over them stay exact."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite

import numpy as np
from numpy.typing import NDArray

from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured
from ragmon.model.record import Stage
from ragmon.model.result import Result
from ragmon.model.window import Column, RollUp

__all__ = ["LARGEST", "known_weight", "roll_up"]

_KINDS = (Kind.UNDEFINED, Kind.MISSING, Kind.NOT_KEPT, Kind.FAILED)
"""In the order of the last columns of `RollUp.sums`."""
LARGEST = 1e100
"""A number beyond it is a fault of its metric or sender, and would spoil every sum it is in."""


def roll_up(rows: Iterable[Result], minute: int, pipeline: str) -> tuple[RollUp, ...]:
    """Sum the results of one minute of one pipeline, one roll-up per layout.

    rows: all results of that minute and pipeline, in any order; the roll-ups do not
    depend on it. minute: of event time, minutes since the epoch. No rows give `()`.
    """
    by_layout: dict[Layout, list[Result]] = defaultdict(list)
    for row in rows:
        by_layout[row.layout].append(row)
    return tuple(
        _of_layout(by_layout[key], minute, pipeline) for key in sorted(by_layout, key=_order)
    )


def _order(layout: Layout) -> list[tuple[str, str, int, int]]:
    return [(slot.stage, slot.metric, slot.k or 0, slot.version) for slot in layout]


def _of_layout(rows: list[Result], minute: int, pipeline: str) -> RollUp:
    weights = [known_weight(row.weight) for row in rows]
    columns = zip(*(row.values for row in rows), strict=True)
    sums = [_slot_sums(values, weights) for values in columns]
    return RollUp(
        minute=minute,
        pipeline=pipeline,
        layout=rows[0].layout,
        requests=len(rows),
        labelled=sum(row.labelled for row in rows),
        sums=np.array(sums, dtype=np.float64).reshape(len(sums), len(Column)),
        latencies=_latencies(rows),
    )


def _slot_sums(values: Sequence[Measured], weights: Sequence[float | None]) -> tuple[float, ...]:
    """One row of `RollUp.sums`; what is not measured enters no sum."""
    measured = [
        (value, weight)
        for value, weight in zip(values, weights, strict=True)
        if not isinstance(value, NotMeasured) and abs(value) <= LARGEST
    ]
    known = [(value, weight) for value, weight in measured if weight is not None]
    kinds = Counter(map(_kind, values))
    return (
        len(measured),
        fsum(value for value, _ in measured),
        fsum(value * weight for value, weight in known),
        fsum(weight for _, weight in known),
        len(measured) - len(known),
        *(kinds[kind] for kind in _KINDS),
    )


def _kind(value: Measured) -> Kind | None:
    """Why a value is none; NaN, infinity and what is beyond all bounds is a failure."""
    if isinstance(value, NotMeasured):
        return value.kind
    return None if abs(value) <= LARGEST else Kind.FAILED


def known_weight(weight: float | None) -> float | None:
    """The weight, or None where it says nothing about how many requests this one stands for."""
    return weight if weight is not None and 0 < weight <= LARGEST else None


def _latencies(rows: Iterable[Result]) -> Mapping[Stage, NDArray[np.float64]]:
    """Per stage the durations that are known, sorted so that order of arrival leaves no trace."""
    durations: dict[Stage, list[float]] = defaultdict(list)
    for row in rows:
        for stage, seconds in row.durations.items():
            if isfinite(seconds) and seconds >= 0:
                durations[stage].append(seconds)
    return {
        stage: np.array(sorted(durations[stage]), dtype=np.float64) for stage in sorted(durations)
    }
