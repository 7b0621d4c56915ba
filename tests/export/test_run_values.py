"""What indexing runs become in `/metrics`."""

from collections.abc import Callable
from typing import Any

from ragmon.metrics.spec import Scope
from ragmon.model.objective import Objective
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import Evaluation, Observation, RequestKey, Result
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import merge

Make = Callable[..., Any]
LABELS = {"pipeline": "demo", "stage": "embedding"}


def slot(desk: Any, name: str) -> Any:
    """The place of an embedding metric."""
    return next(one for one in desk.registry.layouts[Scope.INDEX] if one.metric == name)


def test_values_of_a_run_go_where_their_unit_says(bench: Make, fresh: Make) -> None:
    """Ratios into ragmon_score, amounts into a histogram of their own, signed into deltas."""
    desk = bench()
    names = ("zero_norm_rate", "mean_vector_norm", "similarity_margin")
    scores = tuple(
        (slot(desk, name), value) for name, value in zip(names, (0.5, 1.5, -0.25), strict=True)
    )
    desk.exporter.observe(fresh(scores=scores))
    labels = {**LABELS, "metric": "similarity_margin"}
    assert desk.value("ragmon_score_sum", metric="zero_norm_rate", **LABELS) == 0.5
    assert desk.value("ragmon_embedding_mean_vector_norm_sum", pipeline="demo") == 1.5
    assert desk.value("ragmon_score_delta_negative_total", **labels) == 0.25


def test_a_run_counts_as_evaluated_and_as_no_request(bench: Make, fresh: Make) -> None:
    """Evaluations, durations and errors of the stage move; requests do not."""
    desk = bench()
    seen = (
        (Observation("duration", Stage.EMBEDDING), 0.5),
        (Observation("stage_error", Stage.EMBEDDING, "Timeout"), 1),
    )
    evaluations = ((slot(desk, "zero_norm_rate"), Evaluation.MISSING),)
    desk.exporter.observe(fresh(evaluations=evaluations, observations=seen, weight=4.0))
    counted = {"metric": "zero_norm_rate", "result": "missing", **LABELS}
    assert desk.value("ragmon_evaluations_total", **counted) == 1
    assert desk.value("ragmon_stage_duration_seconds_count", **LABELS) == 1
    assert desk.value("ragmon_stage_errors_total", error_type="Timeout", **LABELS) == 1
    assert desk.read("ragmon_requests_total") == {}
    assert desk.read("ragmon_requests_estimated_total") == {}
    assert desk.read("ragmon_request_duration_seconds_count") == {}


def test_counters_of_runs_start_at_zero(bench: Make, promise: Callable[..., Objective]) -> None:
    """For configured pipelines, so that no first increment is lost."""
    desk = bench(promise())
    counted = {"metric": "zero_norm_rate", "result": "measured", **LABELS}
    assert desk.value("ragmon_evaluations_total", **counted) == 0


def test_windows_show_runs_by_themselves(bench: Make) -> None:
    """Gauges of the metrics of runs, and none that speaks of requests."""
    desk = bench()
    layout = desk.registry.layouts[Scope.INDEX]
    row = Result(
        key=RequestKey("t", "s"),
        span_ids=(),
        pipeline="demo",
        pipeline_version=None,
        event_ns=0,
        outcome=Outcome.UNKNOWN,
        weight=None,
        layout=layout,
        values=(0.25,) * len(layout),
        durations={Stage.EMBEDDING: 0.5},
    )
    desk.exporter.set_windows({"1h": merge(roll_up([row], 0, "demo"), desk.registry.slots)})
    shown = {**LABELS, "window": "1h"}
    assert desk.value("ragmon_window_mean", metric="zero_norm_rate", **shown) == 0.25
    assert desk.value("ragmon_window_latency_seconds", statistic="p95", **shown) == 0.5
    assert {dict(labels)["stage"] for labels in desk.read("ragmon_window_count")} == {"embedding"}
    assert desk.read("ragmon_label_coverage_ratio") == {}
