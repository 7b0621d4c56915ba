"""Exact quantiles by linear interpolation, bounded in the number of values they read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Latency", "latency"]

EXACT_VALUES: Final = 1_000_000
"""Up to this many values quantiles are exact."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Durations of one stage: how many, and their median and 95th percentile in seconds.

    approximate: there were too many to read them all.
    """

    count: int
    p50_s: float
    p95_s: float
    approximate: bool = False


def latency(
    parts: Sequence[NDArray[np.float64]], exact_values: int = EXACT_VALUES
) -> Latency | None:
    """Quantiles over all values of all parts; None where there are none.

    parts: (n,) seconds each. Above `exact_values` every n-th of each part's sorted values
    is read, so the answer depends on no order within a part; its rank is off by at most n
    per part.

    >>> latency([np.array([1.0, 1000.0])]).p95_s
    950.05
    """
    count = sum(part.size for part in parts)
    if not count:
        return None
    step = -(-count // exact_values)
    values = np.concatenate(parts if step == 1 else [np.sort(part) for part in parts])[::step]
    p50_s, p95_s = np.percentile(values, (50, 95))
    return Latency(count, float(p50_s), float(p95_s), approximate=step > 1)
