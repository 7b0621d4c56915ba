"""One minute's sums."""

from math import inf, nan

import numpy as np
import pytest

from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured, Slot
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import RequestKey, Result, Winner
from ragmon.model.window import Column, RollUp
from ragmon.summary.roll_up import roll_up

RECALL = Slot("retrieval", "recall_at_k", 5, 1)
GROUNDING = Slot("generation", "context_grounding", None, 1)
LAYOUT = (RECALL, GROUNDING)
WINNER = Winner("relevant_ids", "ab", MatchKey(TargetKind.TRACE, "t"), 1)


def row(
    *values: Measured,
    weight: float | None = 1.0,
    layout: Layout = LAYOUT,
    durations: dict[Stage, float] | None = None,
    winners: tuple[Winner, ...] = (),
) -> Result:
    """A result with these values and nothing else of interest."""
    return Result(
        key=RequestKey("t", "s"),
        span_ids=("s",),
        pipeline="demo",
        pipeline_version=None,
        event_ns=0,
        outcome=Outcome.ANSWERED,
        weight=weight,
        layout=layout,
        values=values,
        durations=durations or {},
        winners=winners,
    )


def only(rows: list[Result]) -> RollUp:
    """The one roll-up of rows that share a layout."""
    (one,) = roll_up(rows, minute=7, pipeline="demo")
    return one


def test_values_and_weights_are_summed_per_metric() -> None:
    """Count, sum, weighted sum and sum of weights cover the measured rows."""
    one = only([row(0.5, 1.0, weight=2.0), row(0.25, 0.0, weight=4.0)])
    assert one.sums[:, : Column.UNKNOWN_WEIGHTS].tolist() == [
        [2, 0.75, 2.0, 6.0],
        [2, 1.0, 2.0, 6.0],
    ]


def test_reasons_are_counted_by_kind_and_enter_no_sum() -> None:
    """What is not measured counts under its kind, and neither as a value nor as zero."""
    values = [NotMeasured(kind, "x") for kind in Kind]
    one = only([row(value, 1.0) for value in values])
    assert one.sums[0].tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert one.sums[1, Column.COUNT] == 4


@pytest.mark.parametrize("value", [nan, inf, -inf, 1e308])
def test_a_number_that_would_spoil_a_sum_is_a_failure(value: float) -> None:
    """NaN, infinity and what overflows never enter a sum."""
    one = only([row(value, 1.0), row(0.5, 1.0)])
    assert one.sums[0].tolist() == [1, 0.5, 0.5, 1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("weight", [None, nan, inf, 0.0, -1.0])
def test_a_weight_that_says_nothing_is_unknown(weight: float | None) -> None:
    """Only a finite weight above 0 says how many requests one stands for."""
    one = only([row(0.5, NotMeasured(Kind.MISSING), weight=weight)])
    assert one.sums[:, Column.WEIGHTED_SUM : Column.UNDEFINED].tolist() == [[0, 0, 1], [0, 0, 0]]


def test_each_layout_has_a_roll_up_of_its_own() -> None:
    """Rows of two layouts are never summed into one table."""
    other = (Slot("retrieval", "recall_at_k", 5, 2),)
    ones = roll_up([row(0.5, 0.5), row(0.25, layout=other)], 7, "demo")
    assert {one.layout: one.requests for one in ones} == {LAYOUT: 1, other: 1}


def test_no_rows_make_no_roll_up() -> None:
    """An empty minute has nothing to store."""
    assert roll_up([], 7, "demo") == ()


def test_a_layout_without_metrics_still_counts_its_requests() -> None:
    """Requests and durations do not depend on what is measured."""
    one = only([row(layout=())])
    assert (one.requests, one.sums.shape) == (1, (0, len(Column)))


def test_labelled_requests_are_counted() -> None:
    """A request counts as labelled where any label won one of its fields."""
    assert only([row(1.0, 1.0, winners=(WINNER,)), row(1.0, 1.0)]).labelled == 1


def test_durations_are_kept_sorted_and_impossible_ones_left_out() -> None:
    """The roll-up does not depend on the order of rows; clocks that ran backwards drop out."""
    given = [2.0, 0.5, -1.0, nan]
    one = only([row(1.0, 1.0, durations={Stage.RETRIEVAL: seconds}) for seconds in given])
    assert np.array_equal(one.latencies[Stage.RETRIEVAL], [0.5, 2.0])
