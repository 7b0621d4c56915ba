"""Roll-ups: the results of one minute of one pipeline, summed so that windows stay exact."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ragmon.model.measurement import Layout
from ragmon.model.record import Stage


class Column(IntEnum):
    """The columns of `RollUp.sums`."""

    COUNT = 0
    SUM = 1
    WEIGHTED_SUM = 2
    WEIGHTS = 3
    UNKNOWN_WEIGHTS = 4
    UNDEFINED = 5
    MISSING = 6
    NOT_KEPT = 7
    FAILED = 8


@dataclass(frozen=True, slots=True)
class Dirty:
    """A minute (of event time, minutes since the epoch) whose roll-up is out of date.

    `mark` moves with every commit that touches the minute.
    """

    minute: int
    pipeline: str
    mark: int


@dataclass(frozen=True, slots=True, eq=False)
class RollUp:
    """All requests of one (minute, pipeline, layout).

    sums: (len(layout), len(Column)) float64. latencies: per stage the durations in
    seconds of the requests that have one, in no order; END_TO_END is the request.
    """

    minute: int
    pipeline: str
    layout: Layout
    requests: int
    labelled: int
    sums: NDArray[np.float64]
    latencies: Mapping[Stage, NDArray[np.float64]]
