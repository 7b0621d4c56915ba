"""Requests against objectives."""

from collections.abc import Callable
from typing import Any

import pytest

from ragmon.errors import ConfigError
from ragmon.model.objective import Objective

SLO = "ragmon_slo_requests_total"
GROUNDING = "generation.context_grounding"


def counts(desk: Any, name: str = "grounded") -> dict[str, float]:
    """Requests by how they were judged."""
    return {
        labels["result"]: value
        for labels, value in ((dict(key), number) for key, number in desk.read(SLO).items())
        if labels["slo"] == name
    }


def test_counters_start_at_zero_for_configured_pipelines(
    bench: Callable[..., Any], promise: Callable[..., Objective]
) -> None:
    """A series born at 1 would lose its first increment."""
    assert counts(bench(promise())) == {"good": 0, "bad": 0, "stale": 0}


@pytest.mark.parametrize(
    ("value", "age_s", "result"),
    [
        (0.7, 8.0, "good"),
        (0.69, 8.0, "bad"),
        (0.69, 900.0, "bad"),
        (0.69, 900.001, "stale"),
        (1.0, 5000.0, "stale"),
        (0.69, -60.0, "bad"),
    ],
)
def test_a_first_value_is_judged_once_by_its_age(
    bench: Callable[..., Any],
    promise: Callable[..., Objective],
    fresh: Callable[..., Any],
    value: float,
    age_s: float,
    result: str,
) -> None:
    """Good or bad where stored within slo_max_age_s of the request's end, else stale."""
    desk = bench(promise())
    desk.exporter.observe(fresh(age_s=age_s, scores=((desk.slot(GROUNDING), value),)))
    assert counts(desk) == {"good": 0, "bad": 0, "stale": 0, result: 1}


def test_a_request_without_the_value_counts_in_none(
    bench: Callable[..., Any], promise: Callable[..., Objective], fresh: Callable[..., Any]
) -> None:
    """No value is neither good nor bad; nor is another pipeline's value ours."""
    desk = bench(promise())
    slot = desk.slot(GROUNDING)
    desk.exporter.observe(fresh(not_measured=((slot, "missing:answer"),)))
    desk.exporter.observe(fresh("other-pipeline", scores=((slot, 0.1),)))
    assert counts(desk) == {"good": 0, "bad": 0, "stale": 0}


def test_a_latency_objective_judges_in_the_metrics_own_unit(
    bench: Callable[..., Any], promise: Callable[..., Objective], fresh: Callable[..., Any]
) -> None:
    """A bound on latency_ms is in milliseconds."""
    fast = promise(name="fast", metric="end_to_end.latency_ms", at_least=None, at_most=4000.0)
    desk = bench(fast)
    slot = desk.slot("end_to_end.latency_ms")
    for latency_ms in (4000.0, 4000.5):
        desk.exporter.observe(fresh(scores=((slot, latency_ms),)))
    assert counts(desk, "fast") == {"good": 1, "bad": 1, "stale": 0}


def test_what_was_promised_is_exposed(
    bench: Callable[..., Any], promise: Callable[..., Objective]
) -> None:
    """The share is the SLO, the bound the objective; a gold objective has the bound only."""
    gold = promise(name="found", metric="retrieval.recall_at_k", share=None, at_least=0.8)
    desk = bench(promise(), gold)
    shares = desk.read("ragmon_slo_objective_ratio")
    bound = desk.value(
        "ragmon_score_objective",
        pipeline="demo",
        stage="retrieval",
        metric="recall_at_k",
        k="5",
        direction="higher",
    )
    assert shares == {frozenset({("pipeline", "demo"), ("slo", "grounded")}): 0.9}
    assert bound == 0.8
    assert counts(desk, "found") == {}


def test_objectives_that_the_registry_cannot_serve_are_faults(
    bench: Callable[..., Any], promise: Callable[..., Objective]
) -> None:
    """Every fault is named at once: an unknown metric, a k not measured, a share on gold."""
    with pytest.raises(ConfigError) as raised:
        bench(
            promise(metric="generation.context_groundin"),
            promise(metric="retrieval.recall_at_k", k=7, share=None),
            promise(metric="retrieval.recall_at_k"),
        )
    unknown, not_measured, gold = raised.value.faults
    assert unknown.endswith("'generation.context_groundin'; did you mean '" + GROUNDING + "'?")
    assert not_measured.endswith("k=7 of retrieval.recall_at_k is not measured; measured: [5]")
    assert "retrieval.recall_at_k needs gold labels, so it takes no share" in gold
