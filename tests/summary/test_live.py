"""A window of live traffic as a report."""

from dataclasses import replace

from ragmon.metrics.registry import build
from ragmon.model.measurement import Kind, Measured, NotMeasured, Slot
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import RequestKey, Result
from ragmon.summary.live import live_report
from ragmon.summary.quantiles import Latency
from ragmon.summary.report import Report
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import merge

REGISTRY = build((5,))
MISSING = NotMeasured(Kind.MISSING, "gold_ids")
RECALL = Slot("retrieval", "recall_at_k", 5, 1)
COST = Slot("end_to_end", "cost_usd", None, 1)


def result(values: dict[Slot, Measured], latency_s: float | None = None) -> Result:
    """A request that has these values and no others."""
    return Result(
        key=RequestKey("t", "s"),
        span_ids=("s",),
        pipeline="shop",
        pipeline_version=None,
        event_ns=0,
        outcome=Outcome.ANSWERED,
        weight=None,
        layout=REGISTRY.layout,
        values=tuple(values.get(slot, NotMeasured(Kind.UNDEFINED)) for slot in REGISTRY.layout),
        durations={} if latency_s is None else {Stage.END_TO_END: latency_s},
    )


def report(*results: Result) -> Report:
    """The report of one window of these requests."""
    (window,) = merge(roll_up(results, 0, "shop"), REGISTRY.slots)
    return live_report(window, REGISTRY, "shop, last hour")


def test_a_mean_stands_beside_its_counts_and_reasons() -> None:
    """What lacks an input is no zero, and is told from what is undefined."""
    found = report(result({RECALL: 0.5}), result({RECALL: 1.0}), result({RECALL: MISSING}))
    recall = found.metric("retrieval.recall_at_k")
    assert recall is not None
    assert (0.75, 2, 3, 5) == (recall.value, recall.count, recall.possible, recall.k)
    assert {"missing": 1} == recall.reasons
    undefined = found.metric("retrieval.precision_at_k")
    assert undefined is not None
    assert (None, 0, 0) == (undefined.value, undefined.count, undefined.possible)


def test_aggregates_are_those_of_the_window() -> None:
    """Exact quantiles of the durations; a mean that nothing was measured for is None."""
    found = report(result({COST: 0.5}, 0.1), result({COST: 0.25}, 0.3))
    values = {one.key: one.value for stage in found.stages for one in stage.metrics}
    assert 290.0 == values["end_to_end.p95_latency_ms"]
    assert 200.0 == values["end_to_end.p50_latency_ms"]
    assert 0.375 == values["end_to_end.mean_cost_usd"]
    assert values["end_to_end.mean_total_tokens"] is None
    assert "retrieval.p95_latency_ms" not in values


def test_stages_stand_in_their_order_once_each() -> None:
    """And a stage of which the window knows nothing is not there."""
    stages = [stage.stage for stage in report(result({})).stages]
    assert sorted(set(stages), key=list(Stage).index) == stages
    assert Stage.CHUNKING not in stages


def test_a_stage_says_which_means_are_not_weighted() -> None:
    """One request of unknown weight is enough; where all are known there is no note."""
    unknown, known = result({RECALL: 0.5}), replace(result({RECALL: 1.0}), weight=3.0)
    (stage,) = (one for one in report(unknown, known).stages if one.stage == Stage.RETRIEVAL)
    ((note, count),) = stage.notes.items()
    assert (True, 1) == (note.startswith("means that are not weighted"), count)
    (stage,) = (one for one in report(known).stages if one.stage == Stage.RETRIEVAL)
    assert {} == stage.notes


def test_a_stage_says_that_its_quantiles_are_approximate() -> None:
    """With the number of durations that there were."""
    (window,) = merge(roll_up([result({RECALL: 0.5}, 0.1)], 0, "shop"), REGISTRY.slots)
    many = {Stage.END_TO_END: Latency(2_000_000, 0.1, 0.2, approximate=True)}
    found = live_report(replace(window, latencies=many), REGISTRY, "shop")
    (stage,) = (one for one in found.stages if one.stage == Stage.END_TO_END)
    assert 2_000_000 in stage.notes.values()
