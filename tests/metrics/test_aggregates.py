"""Aggregates over a window: percentiles, means and rates.

RAGMON_VECTORS names another folder with files of the same form.
"""

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.metrics import end_to_end_window, generation_window, retrieval_window
from ragmon.metrics.registry import build
from ragmon.metrics.spec import MetricSpec, Scope
from ragmon.metrics.window_kernels import mean, percentile

_FOLDER = Path(
    os.environ.get("RAGMON_VECTORS") or Path(__file__).parents[1] / "fixtures" / "vectors"
)
REGISTRY = build()
STAGES = (retrieval_window, generation_window, end_to_end_window)


def _vectors() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        (_FOLDER / "stage_percentiles.json").read_text("utf-8")
    )["vectors"]
    return found


@pytest.mark.parametrize("vector", _vectors())
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__.rpartition(".")[2])
def test_percentiles_are_the_reference_s(vector: dict[str, Any], stage: Any) -> None:
    """Each stage's percentiles are those of the reference, what is no duration left out."""
    values = vector["values"]
    expected = [
        vector[name] if vector[name] is None else pytest.approx(vector[name], rel=1e-12)
        for name in ("p50", "p95")
    ]
    assert expected == [stage.p50_latency_ms(values), stage.p95_latency_ms(values)]


@settings(max_examples=60)
@given(st.lists(st.none() | st.floats(), max_size=9), st.sampled_from([50, 95]))
def test_percentiles_are_numpy_s_of_what_are_durations(
    values: list[float | None], share: float
) -> None:
    """None, NaN, infinity and negative values leave no trace; NaN never comes out."""
    known = [value for value in values if value is not None and 0 <= value < math.inf]
    expected = float(np.percentile(known, share)) if known else None
    assert expected == percentile(values, share)


def test_means_leave_out_what_is_not_known() -> None:
    """An unknown cost is not 0, and without any there is no mean."""
    assert 2.0 == mean([1.0, None, 3.0, math.nan, math.inf])
    assert mean([None]) is None
    assert end_to_end_window.task_success_rate([]) is None
    assert 2 / 3 == end_to_end_window.task_success_rate([1.0, 0.0, 1.0])
    assert 0.25 == end_to_end_window.mean_cost_usd([0.5, 0.0])
    assert 15.0 == end_to_end_window.mean_total_tokens([10.0, 20.0])


def test_the_registry_holds_every_aggregate() -> None:
    """Each aggregate is declared beside its stage, and is in the layout of no record."""
    expected = {
        *("retrieval.p50_latency_ms", "retrieval.p95_latency_ms"),
        *("generation.p50_latency_ms", "generation.p95_latency_ms"),
        *("end_to_end.p50_latency_ms", "end_to_end.p95_latency_ms"),
        *("end_to_end.task_success_rate", "end_to_end.mean_cost_usd"),
        "end_to_end.mean_total_tokens",
    }
    assert expected <= {spec.key for spec in REGISTRY.aggregates}
    assert expected.isdisjoint(slot.key for slot in REGISTRY.slots)
    assert {Scope.WINDOW} == {spec.scope for spec in REGISTRY.aggregates}


@pytest.mark.parametrize("spec", REGISTRY.aggregates, ids=lambda spec: spec.key)
def test_an_aggregate_names_a_metric_of_its_stage(spec: MetricSpec) -> None:
    """Its one parameter is a metric of the same stage and unit, and its docstring is whole."""
    (name,) = spec.inputs
    source = REGISTRY.find(f"{spec.stage}.{name}")
    assert source is not None
    assert Scope.REQUEST is source.scope
    assert spec.unit is source.unit or {"ratio", "binary"} == {spec.unit, source.unit}
    assert spec.better is source.better
    assert len(spec.summary) <= 80
    for part in (name, "Returns", "Source"):
        assert re.search(rf"^{part}: +\S", spec.doc, re.MULTILINE), part
    assert f">>> {spec.name}(" in spec.doc
