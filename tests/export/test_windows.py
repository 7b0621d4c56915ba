"""Window gauges in event time."""

from collections.abc import Callable
from typing import Any

from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import RequestKey, Result
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import WindowSummary, merge

Make = Callable[..., Any]
HIT = "retrieval.hit_at_k"


def summary(desk: Any, *values: Measured, pipeline: str = "demo") -> tuple[WindowSummary, ...]:
    """The window of requests with these values of one metric; the others are undefined."""
    layout, slot = desk.registry.layout, desk.slot(HIT)
    others = NotMeasured(Kind.UNDEFINED)
    rows = [
        Result(
            key=RequestKey("t", "s"),
            span_ids=(),
            pipeline=pipeline,
            pipeline_version=None,
            event_ns=0,
            outcome=Outcome.ANSWERED,
            weight=None,
            layout=layout,
            values=tuple(value if one == slot else others for one in layout),
            durations={Stage.END_TO_END: 0.5 + place, Stage.RETRIEVAL: 0.1},
        )
        for place, value in enumerate(values)
    ]
    return merge(roll_up(rows, 0, pipeline), layout)


def of(desk: Any, name: str) -> list[float]:
    """All numbers of one family."""
    return list(desk.read(name).values())


def test_a_window_shows_mean_count_and_coverage(bench: Make) -> None:
    """Three gauges per metric and window, labelled as the score is."""
    desk = bench()
    desk.exporter.set_windows({"1h": summary(desk, 1.0, 0.0, 1.0, NotMeasured(Kind.MISSING))})
    labels = {"pipeline": "demo", "stage": "retrieval", "metric": "hit_at_k", "k": "5"}
    shown = [
        desk.value(f"ragmon_window_{name}", window="1h", **labels)
        for name in ("mean", "count", "coverage_ratio")
    ]
    assert shown == [2 / 3, 3, 0.75]


def test_latencies_are_shown_per_stage_and_statistic(bench: Make) -> None:
    """end_to_end is the request."""
    desk = bench()
    desk.exporter.set_windows({"1h": summary(desk, 1.0, 1.0)})
    labels = {"pipeline": "demo", "stage": "end_to_end", "window": "1h"}
    name = "ragmon_window_latency_seconds"
    assert desk.value(name, statistic="p50", **labels) == 1.0
    assert desk.value(name, statistic="p95", **labels) == 1.45
    assert len(of(desk, name)) == 4


def test_a_window_that_empties_has_no_series(bench: Make) -> None:
    """Neither zero nor the last value stands there once no request is in the window."""
    desk = bench()
    empty = desk.exporter.exposition().body
    desk.exporter.set_windows({"1h": summary(desk, 1.0), "24h": summary(desk, 1.0)})
    desk.exporter.set_windows({"1h": (), "24h": summary(desk, 1.0)})
    assert {dict(one)["window"] for one in desk.read("ragmon_window_mean")} == {"24h"}
    desk.exporter.set_windows({"1h": (), "24h": ()})
    assert desk.exporter.exposition().body == empty


def test_without_a_value_there_is_coverage_but_no_mean(bench: Make) -> None:
    """Nothing measured of what could have been is a coverage of 0, and no score."""
    desk = bench()
    desk.exporter.set_windows({"1h": summary(desk, NotMeasured(Kind.MISSING))})
    assert (of(desk, "ragmon_window_mean"), of(desk, "ragmon_window_count")) == ([], [])
    assert of(desk, "ragmon_window_coverage_ratio") == [0.0]


def test_a_pipeline_beyond_the_bound_has_no_window(bench: Make) -> None:
    """Means of several pipelines are never shown as one."""
    desk = bench(max_pipelines=1)
    windows = [*summary(desk, 1.0, pipeline="a"), *summary(desk, 0.0, pipeline="b")]
    desk.exporter.set_windows({"1h": windows})
    assert of(desk, "ragmon_window_mean") == [1.0]
