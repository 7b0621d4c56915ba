"""What one commit's first values move."""

from collections.abc import Callable
from math import inf, nan
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragmon.metrics.spec import Unit
from ragmon.model.measurement import Kind, NotMeasured, Slot
from ragmon.model.objective import Objective
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import Cause, Evaluation, Fresh, Observation, RequestKey, Result
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import merge

Make = Callable[..., Any]


def seen(family: str, value: object, name: str = "", qualifier: str = "") -> dict[str, object]:
    """One observation as a field of a Fresh."""
    return {"observations": ((Observation(family, name, qualifier), value),)}


def test_a_request_counts_by_outcome_and_weight(bench: Make, fresh: Make) -> None:
    """Counters have weight 1; the sampling weight moves the estimate where it is known."""
    desk = bench()
    for weight in (4.0, None):
        desk.exporter.observe(fresh(weight=weight, **seen("outcome", str(Outcome.ANSWERED))))
    assert desk.value("ragmon_requests_total", pipeline="demo", outcome="answered") == 2
    assert desk.value("ragmon_requests_estimated_total", pipeline="demo") == 4


def test_durations_go_to_the_request_and_to_its_stages(bench: Make, fresh: Make) -> None:
    """The stage end_to_end is the request, and no stage of its own."""
    desk = bench()
    desk.exporter.observe(fresh(**seen("duration", 0.3, Stage.END_TO_END)))
    desk.exporter.observe(fresh(**seen("duration", 0.25, Stage.RETRIEVAL)))
    stages = desk.read("ragmon_stage_duration_seconds_sum")
    assert desk.value("ragmon_request_duration_seconds_sum", pipeline="demo") == 0.3
    assert stages == {frozenset({("pipeline", "demo"), ("stage", "retrieval")}): 0.25}


def test_a_value_on_a_bound_lies_in_that_bucket(bench: Make, fresh: Make) -> None:
    """Buckets are cumulative and hold their own bound."""
    desk = bench()
    desk.exporter.observe(fresh(**seen("duration", 0.25, Stage.END_TO_END)))
    name = "ragmon_request_duration_seconds_bucket"
    counted = [desk.value(name, pipeline="demo", le=bound) for bound in ("0.1", "0.25", "+Inf")]
    assert counted == [0, 1, 1]


@pytest.mark.parametrize(
    ("observation", "name", "labels", "value"),
    [
        (
            seen("tokens", 12, "m", "input"),
            "ragmon_tokens_total",
            {"model": "m", "direction": "input"},
            12,
        ),
        (seen("cost", 0.5, "m"), "ragmon_cost_usd_total", {"model": "m"}, 0.5),
        (seen("cost", 0.5), "ragmon_cost_usd_total", {"model": "unknown"}, 0.5),
        (seen("first_token", 0.5), "ragmon_time_to_first_token_seconds_sum", {}, 0.5),
        (seen("retrieved_chunks", 0), "ragmon_empty_retrievals_total", {}, 1),
        (seen("retrieved_chunks", 7), "ragmon_retrieved_chunks_sum", {}, 7),
        (seen("context_tokens", 900), "ragmon_context_tokens_sum", {}, 900),
        (
            seen("stage_error", 1, "retrieval", "TimeoutError"),
            "ragmon_stage_errors_total",
            {"stage": "retrieval", "error_type": "TimeoutError"},
            1,
        ),
    ],
)
def test_each_observation_moves_its_family(
    bench: Make,
    fresh: Make,
    observation: dict[str, object],
    name: str,
    labels: dict[str, str],
    value: float,
) -> None:
    """What was observed of a request is counted under its own name."""
    desk = bench()
    desk.exporter.observe(fresh(**observation))
    assert desk.value(name, pipeline="demo", **labels) == value


def test_only_ratios_are_scores(bench: Make, fresh: Make) -> None:
    """Milliseconds and dollars have families of their own, and still count as evaluated."""
    desk = bench()
    slots = [desk.slot(key) for key in ("end_to_end.cost_usd", "generation.context_grounding")]
    desk.exporter.observe(
        fresh(
            scores=tuple((slot, 0.5) for slot in slots),
            evaluations=tuple((slot, Evaluation.MEASURED) for slot in slots),
        )
    )
    scored = {dict(labels)["metric"] for labels in desk.read("ragmon_score_count")}
    evaluated = {dict(labels)["metric"] for labels in desk.read("ragmon_evaluations_total")}
    assert scored == {"context_grounding"}
    assert evaluated == {"cost_usd", "context_grounding"}


def test_signed_values_move_three_counters(bench: Make, fresh: Make) -> None:
    """Gains and losses are summed apart, so that neither counter ever falls."""
    desk = bench()
    slot = desk.slot("reranking.ndcg_gain")
    for value in (0.5, -0.25, -0.25, 0.0):
        desk.exporter.observe(fresh(scores=((slot, value),)))
    labels = {"pipeline": "demo", "stage": "reranking", "metric": "ndcg_gain", "k": "5"}
    parts = ("positive", "negative", "observations")
    read = [desk.value(f"ragmon_score_delta_{part}_total", **labels) for part in parts]
    assert read == [0.5, 0.5, 4.0]
    assert desk.read("ragmon_score_count") == {}


@pytest.mark.parametrize("value", [nan, inf, -inf, None, "0.5"])
def test_a_signed_value_is_finite(bench: Make, fresh: Make, value: object) -> None:
    """What is no number is an error of export, for signed metrics as well."""
    desk = bench()
    desk.exporter.observe(fresh(scores=((desk.slot("reranking.ndcg_gain"), value),)))
    assert desk.read("ragmon_score_delta_observations_total") == {}
    assert desk.value("ragmon_processor_errors_total", stage="export") == 1


def test_a_count_has_a_histogram_of_its_own(bench: Make, fresh: Make) -> None:
    """Counts of documents are no scores: their family is named by stage and metric."""
    desk = bench()
    slot = desk.slot("generation.used_documents")
    desk.exporter.observe(fresh(scores=((slot, 3.0),)))
    name = "ragmon_generation_used_documents"
    assert desk.value(f"{name}_sum", pipeline="demo") == 3
    assert desk.value(f"{name}_bucket", pipeline="demo", le="2.0") == 0
    assert desk.value(f"{name}_bucket", pipeline="demo", le="3.0") == 1
    assert desk.read("ragmon_score_count") == {}


def test_a_slot_of_another_registry_has_no_series(bench: Make, fresh: Make) -> None:
    """A metric that is not declared any more is counted nowhere, and no error."""
    desk = bench()
    desk.exporter.observe(fresh(scores=((Slot("retrieval", "gone", None, 1), 0.5),)))
    assert desk.read("ragmon_score_count") == {}
    assert desk.value("ragmon_processor_errors_total", stage="export") == 0


def test_k_is_a_label_only_where_a_metric_has_one(bench: Make, fresh: Make) -> None:
    """The label is absent, not empty, where the metric has no cut-off."""
    desk = bench()
    slots = [desk.slot(key) for key in ("retrieval.hit_at_k", "generation.context_grounding")]
    desk.exporter.observe(fresh(scores=tuple((slot, 1.0) for slot in slots)))
    ks = {
        dict(labels)["metric"]: dict(labels).get("k") for labels in desk.read("ragmon_score_count")
    }
    assert ks == {"hit_at_k": "5", "context_grounding": None}


def test_corrections_and_label_lags_are_counted(bench: Make, fresh: Make) -> None:
    """A changed value moves one counter only; a label's lag is observed when first used."""
    desk = bench()
    desk.exporter.observe(
        fresh(first=False, corrections=3, cause=Cause.LABEL, label_lags_s=(600.0,))
    )
    assert desk.value("ragmon_corrections_total", pipeline="demo", cause="label") == 3
    assert desk.value("ragmon_label_lag_seconds_sum", pipeline="demo") == 600
    assert desk.read("ragmon_score_count") == {}


def test_reasons_are_counted_by_stage(bench: Make, fresh: Make) -> None:
    """Why a metric has no value is a counter of its stage."""
    desk = bench()
    slot = desk.slot("retrieval.recall_at_k")
    desk.exporter.observe(fresh(not_measured=((slot, "missing:gold_ids"),)))
    value = desk.value(
        "ragmon_not_measured_total", pipeline="demo", stage="retrieval", reason="missing:gold_ids"
    )
    assert value == 1


def test_a_metric_that_raised_is_an_error_of_measure(bench: Make, fresh: Make) -> None:
    """A failed evaluation also shows in the monitor's own errors."""
    desk = bench()
    slot = desk.slot("retrieval.recall_at_k")
    desk.exporter.observe(fresh(evaluations=((slot, Evaluation.FAILED),)))
    assert desk.value("ragmon_processor_errors_total", stage="measure") == 1


@pytest.mark.parametrize("value", [nan, inf, -inf, -0.5, None, "0.5"])
@pytest.mark.parametrize("family", ["score", "duration", "tokens", "cost", "label_lag"])
def test_what_is_no_finite_number_never_reaches_an_accumulator(
    bench: Make, promise: Callable[..., Objective], fresh: Make, family: str, value: object
) -> None:
    """A refused value is an error of export, and no series is born of it."""
    desk = bench(promise())
    before = desk.exporter.exposition().body
    special: dict[str, dict[str, object]] = {
        "score": {"scores": ((desk.slot("generation.context_grounding"), value),)},
        "label_lag": {"label_lags_s": (value,)},
    }
    facts = special.get(family, seen(family, value, Stage.RETRIEVAL, "input"))
    desk.exporter.observe(fresh(**facts))
    one_error = b'ragmon_processor_errors_total{stage="export"} '
    assert desk.exporter.exposition().body == before.replace(one_error + b"0.0", one_error + b"1.0")


def test_configured_pipelines_start_their_closed_counters_at_zero(
    bench: Make, promise: Callable[..., Objective]
) -> None:
    """Counters with closed labels are born at 0; scores only with a value."""
    desk = bench(promise())
    outcomes = desk.read("ragmon_requests_total")
    evaluations = desk.read("ragmon_evaluations_total")
    assert {dict(labels)["outcome"] for labels in outcomes} == set(map(str, Outcome))
    assert len(evaluations) == len(desk.registry.slots) * len(Evaluation)
    deltas = desk.read("ragmon_score_delta_observations_total")
    units = [desk.registry.spec(slot).unit for slot in desk.registry.slots]
    assert len(deltas) == units.count(Unit.SIGNED)
    assert {*outcomes.values(), *evaluations.values(), *deltas.values()} == {0}
    assert desk.read("ragmon_score_count") == {}


def test_the_two_newest_versions_are_shown(bench: Make, fresh: Make) -> None:
    """Current and previous by the newest request of each; a straggler brings none back."""
    desk = bench()
    for event_ns, version in ((1, "a"), (2, "b"), (3, "c"), (1, "a"), (2, "b")):
        desk.exporter.observe(fresh(pipeline_version=version, event_ns=event_ns))
    assert {dict(one)["version"] for one in desk.read("ragmon_pipeline_info")} == {"b", "c"}


def test_counts_survive_threads(bench: Make, fresh: Make) -> None:
    """Nothing is lost where several threads observe while another scrapes."""
    desk = bench()
    one = fresh(**seen("outcome", str(Outcome.ANSWERED)))

    def observe() -> None:
        for _ in range(500):
            desk.exporter.observe(one)

    threads = [Thread(target=observe) for _ in range(4)]
    for thread in threads:
        thread.start()
    scrapes = [desk.exporter.exposition().body for _ in range(5)]
    for thread in threads:
        thread.join()
    assert all(scrapes)
    assert desk.value("ragmon_requests_total", pipeline="demo", outcome="answered") == 2000


measured = st.one_of(
    st.floats(min_value=0.0, max_value=1.0), st.sampled_from([NotMeasured(kind) for kind in Kind])
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=st.lists(st.lists(measured, min_size=3, max_size=3), min_size=1, max_size=12))
def test_not_measured_is_never_observed(bench: Make, rows: list[list[float | NotMeasured]]) -> None:
    """However values and reasons are mixed, each slot counts and sums its values only."""
    desk = bench()
    slots = [
        desk.slot(key)
        for key in ("retrieval.recall_at_k", "retrieval.hit_at_k", "generation.context_grounding")
    ]
    results = [_result(desk.registry.layout, dict(zip(slots, row, strict=True))) for row in rows]
    for result in results:
        desk.exporter.observe(_fresh(result))
    desk.exporter.set_windows({"1h": merge(roll_up(results, 0, "demo"), desk.registry.layout)})
    counts, windows = desk.read("ragmon_score_count"), desk.read("ragmon_window_count")
    sums = desk.read("ragmon_score_sum")
    for place, slot in enumerate(slots):
        known = [row[place] for row in rows if not isinstance(row[place], NotMeasured)]
        assert _of(counts, slot.metric) == _of(windows, slot.metric) == (len(known) or None)
        assert _of(sums, slot.metric) == (pytest.approx(sum(known)) if known else None)  # type: ignore[arg-type]


def _of(series: dict[frozenset[tuple[str, str]], float], metric: str) -> float | None:
    found = [value for labels, value in series.items() if dict(labels)["metric"] == metric]
    return found[0] if found else None


def _result(layout: Any, values: dict[Any, float | NotMeasured]) -> Result:
    return Result(
        key=RequestKey("t", "s"),
        span_ids=(),
        pipeline="demo",
        pipeline_version=None,
        event_ns=0,
        outcome=Outcome.ANSWERED,
        weight=None,
        layout=layout,
        values=tuple(values.get(slot, NotMeasured(Kind.MISSING)) for slot in layout),
    )


def _fresh(result: Result) -> Fresh:
    pairs = list(zip(result.layout, result.values, strict=True))
    return Fresh(
        key=result.key,
        pipeline=result.pipeline,
        pipeline_version=None,
        event_ns=0,
        committed_ns=0,
        weight=None,
        first=True,
        scores=tuple((s, v) for s, v in pairs if not isinstance(v, NotMeasured)),
        not_measured=tuple((s, v.reason) for s, v in pairs if isinstance(v, NotMeasured)),
    )
