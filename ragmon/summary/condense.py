"""Many roll-ups as few, so that a long window is never in memory as a whole."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import fsum

import numpy as np
from numpy.typing import NDArray

from ragmon.model.measurement import Layout
from ragmon.model.record import Stage
from ragmon.model.window import Column, RollUp

__all__ = ["condensed"]

_DAY: int = 1440


def condensed(roll_ups: Iterable[RollUp], most: int = _DAY) -> Iterator[RollUp]:
    """Sum roll-ups of any minutes, so many at a time, into one per pipeline and layout.

    Every sum is rounded once per portion, which a window over them does not notice.

    roll_ups: none twice. most: of a portion. The minute of a sum is the first of its own.
    """
    remaining = iter(roll_ups)
    while portion := list(islice(remaining, most)):
        together: dict[tuple[str, Layout], list[RollUp]] = defaultdict(list)
        for one in portion:
            together[one.pipeline, one.layout].append(one)
        yield from map(_summed, together.values())


def _summed(ones: Sequence[RollUp]) -> RollUp:
    first = ones[0]
    if len(ones) == 1:
        return first
    return RollUp(
        minute=first.minute,
        pipeline=first.pipeline,
        layout=first.layout,
        requests=sum(one.requests for one in ones),
        labelled=sum(one.labelled for one in ones),
        sums=_sums(np.stack([one.sums for one in ones])),
        latencies=_latencies(ones),
    )


def _sums(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """(roll-ups, slots, columns) to (slots, columns)."""
    cells = table.transpose(1, 2, 0).tolist()
    summed = [[fsum(column) for column in columns] for columns in cells]
    return np.array(summed, dtype=np.float64).reshape(len(summed), len(Column))


def _latencies(ones: Sequence[RollUp]) -> dict[Stage, NDArray[np.float64]]:
    parts: dict[Stage, list[NDArray[np.float64]]] = defaultdict(list)
    for one in ones:
        for stage, seconds in one.latencies.items():
            parts[stage].append(seconds)
    return {stage: np.concatenate(parts[stage]) for stage in sorted(parts)}
