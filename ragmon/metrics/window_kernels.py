"""What an aggregate makes of all values of a window."""

from collections.abc import Iterable
from math import isfinite

import numpy as np

from ragmon.metrics.kernels import mean_of_known


def percentile(durations: Iterable[float | None], share: float) -> float | None:
    """The value below which a share of the durations lies, by linear interpolation.

    durations: in any order and unit; left out is what is no duration: None, NaN, infinity,
    and what is below 0, which clocks that disagree give. share: in percent. None where no
    duration is left.

    >>> percentile([100.0, None, 300.0, -5.0], 95)
    290.0
    """
    known = [value for value in _known(durations) if value >= 0]
    return float(np.percentile(known, share)) if known else None


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are known and finite, None where there are none."""
    return mean_of_known(_known(values))


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and isfinite(value)]
