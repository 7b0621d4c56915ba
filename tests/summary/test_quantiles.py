"""Quantiles by linear interpolation."""

import json
from pathlib import Path

import numpy as np
import pytest

from ragmon.summary.quantiles import Latency, latency

VECTORS = json.loads(
    (Path(__file__).parents[1] / "fixtures/vectors/stage_percentiles.json").read_text()
)["vectors"]


@pytest.mark.parametrize("vector", VECTORS)
def test_quantiles_are_those_of_the_metric_reference(
    vector: dict[str, list[float | None] | float | None],
) -> None:
    """p50 and p95 interpolate linearly over what is known; of nothing there is none."""
    values = vector["values"]
    assert isinstance(values, list)
    found = latency([np.array([value for value in values if value is not None])])
    given = (None, None) if found is None else (found.p50_s, found.p95_s)
    assert given == pytest.approx((vector["p50"], vector["p95"]))


def test_parts_are_pooled() -> None:
    """A window's quantile is over all its values, never a mean of the minutes' quantiles."""
    found = latency([np.array([1.0]), np.array([], dtype=float), np.array([2.0, 3.0])])
    assert found == Latency(3, 2.0, 2.9)


def test_too_many_values_are_sampled_and_said_to_be() -> None:
    """Above the bound a quantile is approximate, near, and free of the order of values."""
    parts = [np.arange(start, 10_000, 10, dtype=float) for start in range(10)]
    found = latency(parts, exact_values=1000)
    turned = latency([part[::-1] for part in parts], exact_values=1000)
    assert found is not None
    assert found == turned
    assert (found.count, found.approximate) == (10_000, True)
    assert found.p95_s == pytest.approx(9500, rel=0.01)
