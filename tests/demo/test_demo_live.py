import io
from dataclasses import replace

import httpx
import pytest
from rich.console import Console

from ragmon.demo.labels import LabelCounts
from ragmon.demo.live import LineScreen, View, as_line, as_table, open_screen
from ragmon.demo.monitor import Monitor
from ragmon.demo.reading import Reading, between, last_hour
from ragmon.demo.scrape import Snapshot, read_snapshot
from ragmon.demo.traffic import TrafficCounts

EXPOSITION = """\
# TYPE ragmon_requests counter
ragmon_requests_total{pipeline="p",outcome="answered"} 8
ragmon_requests_total{pipeline="p",outcome="error"} 2
ragmon_requests_total{pipeline="other",outcome="answered"} 99
# TYPE ragmon_request_duration_seconds histogram
ragmon_request_duration_seconds_bucket{pipeline="p",le="0.1"} 5
ragmon_request_duration_seconds_bucket{pipeline="p",le="0.5"} 10
ragmon_request_duration_seconds_bucket{pipeline="p",le="+Inf"} 10
# TYPE ragmon_score histogram
ragmon_score_sum{pipeline="p",stage="generation",metric="context_grounding"} 7.5
ragmon_score_count{pipeline="p",stage="generation",metric="context_grounding"} 10
ragmon_score_sum{pipeline="p",stage="retrieval",metric="recall_at_k",k="5"} 3
ragmon_score_count{pipeline="p",stage="retrieval",metric="recall_at_k",k="5"} 4
# TYPE ragmon_metric_info gauge
ragmon_metric_info{stage="generation",metric="context_grounding",needs="label_free"} 1
ragmon_metric_info{stage="retrieval",metric="recall_at_k",needs="gold"} 1
# TYPE ragmon_evaluations counter
ragmon_evaluations_total{pipeline="p",stage="generation",metric="context_grounding",result="measured"} 9
ragmon_evaluations_total{pipeline="p",stage="generation",metric="context_grounding",result="failed"} 1
ragmon_evaluations_total{pipeline="p",stage="retrieval",metric="recall_at_k",k="5",result="measured"} 2
ragmon_evaluations_total{pipeline="p",stage="retrieval",metric="recall_at_k",k="5",result="measured_late"} 2
ragmon_evaluations_total{pipeline="p",stage="retrieval",metric="recall_at_k",k="5",result="missing"} 6
ragmon_evaluations_total{pipeline="p",stage="retrieval",metric="recall_at_k",k="5",result="undefined"} 7
# TYPE ragmon_window_mean gauge
ragmon_window_mean{pipeline="p",stage="generation",metric="context_grounding",window="1h"} 0.7
ragmon_window_mean{pipeline="p",stage="generation",metric="context_grounding",window="24h"} 0.2
ragmon_window_count{pipeline="p",stage="end_to_end",metric="latency_ms",window="1h"} 40
ragmon_window_coverage_ratio{pipeline="p",stage="generation",metric="context_grounding",window="1h"} 0.9
ragmon_window_coverage_ratio{pipeline="p",stage="retrieval",metric="recall_at_k",k="5",window="1h"} 0.4
ragmon_window_latency_seconds{pipeline="p",stage="end_to_end",statistic="p50",window="1h"} 0.11
ragmon_window_latency_seconds{pipeline="p",stage="end_to_end",statistic="p95",window="1h"} 0.3
ragmon_window_latency_seconds{pipeline="p",stage="retrieval",statistic="p50",window="1h"} 9
"""  # noqa: E501 -- an exposition has long lines

NOTHING = Reading(0, None, None, None, None, None, None)
SOME = Reading(10, 0.1, 0.46, 0.75, 0.75, 0.9, 0.5)


def view(last_minute: Reading | None = SOME, problem: str | None = None) -> View:
    return View("none", TrafficCounts(12, 1), LabelCounts(3, 0, 2), last_minute, None, problem)


def test_the_last_minute_is_read_from_the_counters() -> None:
    """Quantiles are linear within a bucket, means are sum over count, shares follow coverage."""
    reading = between(Snapshot(), read_snapshot(EXPOSITION, "p"))
    assert pytest.approx((10, 0.1, 0.46, 0.75, 0.75, 0.9, 0.5)) == (
        reading.requests,
        reading.p50_s,
        reading.p95_s,
        reading.grounding,
        reading.recall,
        reading.measured,
        reading.labelled,
    )


def test_the_last_hour_is_read_from_the_window_gauges() -> None:
    """Gauges of other windows and stages do not count."""
    reading = last_hour(read_snapshot(EXPOSITION, "p"))
    assert Reading(40, 0.11, 0.3, 0.7, None, 0.9, 0.4) == reading


def test_nothing_new_is_not_measured() -> None:
    """Between two equal scrapes there is no mean, and no zero in its place."""
    snapshot = read_snapshot(EXPOSITION, "p")
    assert NOTHING == between(snapshot, snapshot)


def test_requests_beyond_the_last_bound_are_at_that_bound() -> None:
    """A quantile in the open bucket is the last finite bound, as in Prometheus."""
    reading = between(Snapshot(), Snapshot(buckets={0.5: 1.0, float("inf"): 100.0}))
    assert 0.5 == reading.p50_s


def test_a_line_has_every_number_and_what_was_sent() -> None:
    """Without a terminal the same numbers stand in one line."""
    assert (
        "last minute: requests 10, p50_s 0.10 s, p95_s 0.46 s, grounding 0.750, recall 0.750, "
        "measured 90%, labelled 50% | sent 12 requests (1 failed), labels 3 accepted, 0 refused, "
        "2 not delivered"
    ) == as_line(view())


def test_what_is_not_measured_is_a_dash() -> None:
    """A missing number is never shown as zero."""
    assert "grounding -, recall -" in as_line(view(NOTHING))


def test_a_problem_stands_in_place_of_the_numbers() -> None:
    """Where the processor is gone, the line says so."""
    assert as_line(view(None, "no answer from x: ConnectError")).startswith("no answer from x")


def test_the_table_has_every_number() -> None:
    """The terminal's table shows both spans of time, what was sent, and the problem."""
    console = Console(file=io.StringIO(), width=100)
    with console.capture() as shown:
        console.print(as_table(view(problem="processor restarted")))
    wanted = ("0.46 s", "0.750", "90%", "50%", "sent 12 requests", "processor restarted")
    assert [] == [text for text in wanted if text not in shown.get()]


def test_without_a_terminal_there_are_lines() -> None:
    """A file gets the first view, then every few, and the last, as a plain line."""
    out = io.StringIO()
    with open_screen(out) as screen:
        assert isinstance(screen, LineScreen)
        for asked in range(8):
            screen.show(replace(view(), traffic=TrafficCounts(asked, 0)))
    sent = [line.split("sent ")[1].split(" ")[0] for line in out.getvalue().splitlines()]
    assert ["0", "5", "7"] == sent


class Processor:
    """A processor's /metrics whose answers a test chooses."""

    def __init__(self) -> None:
        self.requests: float | None = 0.0
        self.now = 0.0
        client = httpx.Client(transport=httpx.MockTransport(self._reply), base_url="http://here")
        self.monitor = Monitor(client, "p", lambda: self.now)

    def _reply(self, request: httpx.Request) -> httpx.Response:
        if self.requests is None:
            raise httpx.ConnectError("gone", request=request)
        name = "ragmon_requests_total"
        text = f'# TYPE {name} counter\n{name}{{pipeline="p",outcome="answered"}} {self.requests}\n'
        return httpx.Response(200, text=text)

    def look(self, now: float, requests: float | None) -> tuple[float, float | None, str | None]:
        self.now, self.requests = now, requests
        look = self.monitor.look()
        minute = None if look.last_minute is None else look.last_minute.requests
        return look.settled, minute, look.problem


def test_the_monitor_compares_with_a_minute_ago() -> None:
    """Requests of before the demo do not count, older scrapes are forgotten."""
    processor = Processor()
    assert (0, 0, None) == processor.look(0, 100)
    assert (30, 30, None) == processor.look(30, 130)
    assert (90, 60, None) == processor.look(90, 190)


def test_a_restarted_processor_is_counted_anew() -> None:
    """A counter that went back is a new process, not a negative number."""
    processor = Processor()
    processor.look(0, 100)
    assert (5, 0, None) == processor.look(1, 5)
    assert (7, 2, None) == processor.look(2, 7)


def test_an_absent_processor_is_a_problem_not_an_error() -> None:
    """The view goes on, and the numbers come back with the processor."""
    processor = Processor()
    processor.look(0, 100)
    assert (0.0, None, "no answer from http://here: ConnectError") == processor.look(1, None)
    assert (10, 10, None) == processor.look(2, 110)
