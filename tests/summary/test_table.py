"""Requests as rows of one table."""

from math import inf, nan

import pytest

from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured, Slot
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import RequestKey, Result
from ragmon.summary.table import RequestTable

RECALL = Slot("retrieval", "recall_at_k", 5, 2)
GROUNDING = Slot("generation", "context_grounding", None, 1)
TABLE = RequestTable((RECALL, GROUNDING))


def row(layout: Layout, *values: Measured, weight: float | None = 2.0) -> dict[str, object]:
    """The row of a request, by column."""
    result = Result(
        key=RequestKey("t", "s"),
        span_ids=("s",),
        pipeline="shop",
        pipeline_version=None,
        event_ns=7,
        outcome=Outcome.ANSWERED,
        weight=weight,
        layout=layout,
        values=values,
        durations={Stage.RETRIEVAL: 0.25},
    )
    return dict(zip(TABLE.columns, TABLE.row(result), strict=True))


def test_columns_are_named_after_stage_metric_and_cut_off() -> None:
    """Facts first, then durations, metrics and reasons."""
    assert TABLE.columns[-3:] == (
        "retrieval.recall_at_k@5",
        "generation.context_grounding",
        "reasons",
    )
    assert TABLE.columns[:3] == ("trace_id", "span_id", "pipeline")


def test_what_is_not_measured_is_null_with_its_reason() -> None:
    """Never 0; a duration that is not known is null too."""
    found = row((RECALL, GROUNDING), NotMeasured(Kind.MISSING, "gold_ids"), 0.0)
    assert found["retrieval.recall_at_k@5"] is None
    assert found["generation.context_grounding"] == 0.0
    assert found["reasons"] == {"retrieval.recall_at_k@5": "missing:gold_ids"}
    assert (found["retrieval.duration_s"], found["generation.duration_s"]) == (0.25, None)
    assert found["time"] == "1970-01-01T00:00:00.000000007Z"


def test_versions_never_mix() -> None:
    """A value of an earlier formula is not kept, wherever it stood."""
    found = row((GROUNDING, RECALL._replace(version=1)), 0.5, 1.0)
    assert found["generation.context_grounding"] == 0.5
    assert found["reasons"] == {"retrieval.recall_at_k@5": "not_kept"}


@pytest.mark.parametrize("value", [nan, inf, -inf, 1e308])
def test_a_number_that_no_mean_would_count_is_a_failure(value: float) -> None:
    """So that a mean over rows is the mean of the summary."""
    found = row((RECALL, GROUNDING), value, 1.0)
    assert found["retrieval.recall_at_k@5"] is None
    assert found["reasons"] == {"retrieval.recall_at_k@5": "failed"}


@pytest.mark.parametrize("weight", [None, nan, 0.0, -1.0])
def test_a_weight_that_says_nothing_is_null(weight: float | None) -> None:
    """As in a mean."""
    assert row((RECALL, GROUNDING), 1.0, 1.0, weight=weight)["weight"] is None
