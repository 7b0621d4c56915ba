"""Windows that hold indexing runs beside requests."""

from typing import Any

from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured, Slot
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import RequestKey, Result
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import SlotWindow, WindowSummary, merge

HIT = Slot("retrieval", "hit_at_k", 5, 1)
COVERAGE = Slot("chunking", "coverage", None, 1)
NORM = Slot("embedding", "mean_vector_norm", None, 1)
EVERY = (HIT, COVERAGE, NORM)


def row(layout: Layout, *values: Measured, **changes: Any) -> Result:
    """One result of a minute."""
    plain: dict[str, Any] = {
        "key": RequestKey("t", "s"),
        "span_ids": ("s",),
        "pipeline": "demo",
        "pipeline_version": None,
        "event_ns": 0,
        "outcome": Outcome.UNKNOWN,
        "weight": None,
    }
    return Result(**{**plain, **changes}, layout=layout, values=values)


def window(*rows: Result) -> WindowSummary:
    """The window of one minute, merged over every slot."""
    (summary,) = merge(roll_up(rows, 0, "demo"), EVERY)
    return summary


def slot(summary: WindowSummary, wanted: Slot) -> SlotWindow:
    """The window of one metric."""
    return next(one for one in summary.slots if one.slot == wanted)


def test_runs_are_not_requests() -> None:
    """They raise neither the requests of a window nor those that metrics could be asked of."""
    requests = (row((HIT,), 1.0), row((HIT,), NotMeasured(Kind.MISSING)))
    alone = window(*requests)
    beside = window(*requests, row((COVERAGE,), 0.5), row((NORM,), 1.0), row((NORM,), 3.0))
    assert (beside.requests, slot(beside, HIT)) == (alone.requests, slot(alone, HIT))
    assert (slot(beside, COVERAGE).mean, slot(beside, COVERAGE).count) == (0.5, 1)
    assert (slot(beside, NORM).mean, slot(beside, NORM).count) == (2.0, 2)
    assert [one.not_kept for one in beside.slots] == [0, 0, 0]


def test_an_older_version_of_a_run_is_not_kept() -> None:
    """All five counts sum up to the runs of the stage, not to the requests."""
    old = COVERAGE._replace(version=0)
    found = slot(window(row((HIT,), 1.0), row((old,), 0.2), row((COVERAGE,), 0.5)), COVERAGE)
    assert (found.count, found.not_kept, found.mean) == (1, 1, 0.5)


def test_a_window_of_runs_alone_has_no_request() -> None:
    """Its label coverage is none, not zero, and a stage nobody ran has no coverage."""
    found = window(row((COVERAGE,), 0.5, durations={Stage.CHUNKING: 0.25}))
    assert (found.requests, found.label_coverage, slot(found, HIT).coverage) == (0, None, None)
    assert found.latencies[Stage.CHUNKING].p50_s == 0.25


def test_labels_of_runs_do_not_cover_requests() -> None:
    """Label coverage speaks of requests."""
    winner: Any = "a winner"
    found = window(row((HIT,), 1.0), row((COVERAGE,), 0.5, winners=(winner,)))
    assert (found.labelled, found.label_coverage) == (0, 0.0)


def test_a_run_without_metrics_still_has_its_time() -> None:
    """An empty layout counts for no metric and no request."""
    found = window(row((HIT,), 1.0), row((), durations={Stage.CHUNKING: 0.5}))
    assert (found.requests, slot(found, HIT).not_kept) == (1, 0)
    assert found.latencies[Stage.CHUNKING].count == 1
