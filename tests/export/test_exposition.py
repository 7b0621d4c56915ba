"""The answer to a scrape, byte for byte and as Prometheus reads it."""

import gzip
import subprocess
from collections.abc import Callable, Iterable
from io import StringIO
from typing import Any

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_fd_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as plain

from ragmon.model.flow import Unmatched
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.objective import Objective
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import Evaluation, Fresh, Observation, RequestKey, Result
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import merge
from ragmon.telemetry import FAMILIES, families_of

Make = Callable[..., Any]
OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"


def openmetrics(text: str) -> Iterable[Metric]:
    """The families of an exposition, by a parser that is strict."""
    return text_fd_to_metric_families(StringIO(text))  # type: ignore[no-untyped-call,no-any-return]


EXPECTED = """\
ragmon_requests_total{outcome="answered",pipeline="demo"} 2.0
ragmon_request_duration_seconds_bucket{le="0.05",pipeline="demo"} 0.0
ragmon_request_duration_seconds_bucket{le="0.1",pipeline="demo"} 0.0
ragmon_request_duration_seconds_bucket{le="0.25",pipeline="demo"} 0.0
ragmon_request_duration_seconds_bucket{le="0.5",pipeline="demo"} 1.0 # {trace_id="aa"} 0.4 8.0
ragmon_request_duration_seconds_bucket{le="1.0",pipeline="demo"} 1.0
ragmon_request_duration_seconds_bucket{le="2.5",pipeline="demo"} 2.0 # {trace_id="bb"} 2.0 9.0
ragmon_request_duration_seconds_bucket{le="5.0",pipeline="demo"} 2.0
ragmon_request_duration_seconds_bucket{le="10.0",pipeline="demo"} 2.0
ragmon_request_duration_seconds_bucket{le="20.0",pipeline="demo"} 2.0
ragmon_request_duration_seconds_bucket{le="40.0",pipeline="demo"} 2.0
ragmon_request_duration_seconds_bucket{le="+Inf",pipeline="demo"} 2.0
ragmon_request_duration_seconds_count{pipeline="demo"} 2.0
ragmon_request_duration_seconds_sum{pipeline="demo"} 2.4
ragmon_score_bucket{k="5",le="0.0",metric="hit_at_k",pipeline="demo",stage="retrieval"} 1.0 \
# {trace_id="bb"} 0.0 9.0
ragmon_score_bucket{k="5",le="+Inf",metric="hit_at_k",pipeline="demo",stage="retrieval"} 2.0 \
# {trace_id="aa"} 1.0 8.0
ragmon_score_count{k="5",metric="hit_at_k",pipeline="demo",stage="retrieval"} 2.0
ragmon_score_sum{k="5",metric="hit_at_k",pipeline="demo",stage="retrieval"} 1.0
ragmon_evaluations_total{k="5",metric="hit_at_k",pipeline="demo",result="measured",\
stage="retrieval"} 2.0
"""


@pytest.fixture
def two_requests(bench: Make, fresh: Make) -> Any:
    """An exporter that has counted two requests: one that hit, one that missed."""
    desk = bench()
    slot = desk.slot("retrieval.hit_at_k")
    for trace_id, committed_s, score, seconds in (("aa", 8, 1.0, 0.4), ("bb", 9, 0.0, 2.0)):
        desk.exporter.observe(
            fresh(
                key=RequestKey(trace_id, "01"),
                event_ns=0,
                committed_ns=committed_s * 1_000_000_000,
                evaluations=((slot, Evaluation.MEASURED),),
                scores=((slot, score),),
                observations=(
                    (Observation("outcome"), str(Outcome.ANSWERED)),
                    (Observation("duration", Stage.END_TO_END), seconds),
                ),
            )
        )
    return desk


def test_a_handful_of_requests_gives_exactly_these_lines(two_requests: Any) -> None:
    """Each bucket points at its latest trace, at the time it was counted."""
    text = two_requests.exporter.exposition(OPENMETRICS).body.decode()
    lines = [line for line in text.splitlines() if '"demo"' in line]
    assert lines == EXPECTED.splitlines()
    assert text.endswith("# EOF\n")


def test_both_formats_say_the_same(two_requests: Any) -> None:
    """Read back by a parser, the formats differ in exemplars only."""
    exporter = two_requests.exporter
    texts = [exporter.exposition(accept).body.decode() for accept in (OPENMETRICS, "")]
    read = [
        {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        }
        for families in (openmetrics(texts[0]), plain(texts[1]))
    ]
    assert read[0] == read[1]
    assert "trace_id" not in texts[1]


def test_every_exposed_family_is_declared(two_requests: Any) -> None:
    """The catalogue is the only list: names, types' series, and labels in use."""
    families = (*FAMILIES, *families_of(two_requests.registry.metrics))
    declared = {name: set(family.labels) for family in families for name in family.series}
    for family in plain(two_requests.exporter.exposition().body.decode()):
        for sample in family.samples:
            assert set(sample.labels) - {"le"} <= declared[sample.name]


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        (OPENMETRICS, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
        ("", "text/plain; version=0.0.4; charset=utf-8"),
        ("*/*", "text/plain; version=0.0.4; charset=utf-8"),
        ("application/openmetrics-text;version=x", "text/plain; version=0.0.4; charset=utf-8"),
        ("text/plain;version=1.y", "text/plain; version=0.0.4; charset=utf-8"),
    ],
)
def test_the_format_is_the_one_asked_for(bench: Make, accept: str, content_type: str) -> None:
    """OpenMetrics on request, else plain; a header that makes no sense is no fault of ours."""
    answer = bench().exporter.exposition(accept)
    assert answer.content_type.startswith(content_type)
    assert answer.headers["Vary"] == "Accept, Accept-Encoding"


def test_gzip_on_request(bench: Make) -> None:
    """A scraper that takes gzip gets it, and the same bytes inside."""
    exporter = bench().exporter
    packed = exporter.exposition("", "deflate, gzip;q=0.9")
    bare = exporter.exposition("", "identity")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in bare.headers
    assert gzip.decompress(packed.body) == bare.body


class Broken:
    """A collector that raises at every scrape."""

    def describe(self) -> Iterable[Metric]:
        """One family."""
        return [Metric("ragmon_broken", "Always raises.", "gauge")]

    def collect(self) -> Iterable[Metric]:
        """Nothing but trouble."""
        yield Metric("ragmon_broken", "Always raises.", "gauge")
        raise RuntimeError("no")


def test_a_collector_that_raises_costs_its_own_families_only(two_requests: Any) -> None:
    """The others are exposed, and each fault is counted."""
    desk = two_requests
    desk.exporter.register(Broken())
    text = desk.exporter.exposition(OPENMETRICS).body.decode()
    assert [line for line in text.splitlines() if '"demo"' in line] == EXPECTED.splitlines()
    assert "ragmon_broken" not in text
    assert desk.value("ragmon_processor_errors_total", stage="export") == 1


def test_a_name_cannot_be_taken_twice(bench: Make) -> None:
    """Duplicates are found at the start, not by Prometheus."""

    class Taken(Broken):
        def describe(self) -> Iterable[Metric]:
            return [Metric("ragmon_score", "Ours already.", "histogram")]

    with pytest.raises(ValueError, match="Duplicated timeseries"):
        bench().exporter.register(Taken())


def test_an_exemplar_too_long_for_openmetrics_is_left_out(bench: Make, fresh: Make) -> None:
    """Its label set may have 128 characters; the observation counts all the same."""
    desk = bench()
    for letters, seconds in ((120, 15.0), (121, 30.0)):
        desk.exporter.observe(
            fresh(
                key=RequestKey("a" * letters, "01"),
                observations=((Observation("duration", Stage.END_TO_END), seconds),),
            )
        )
    text = desk.exporter.exposition(OPENMETRICS).body.decode()
    shown = [line.count("trace_id") for line in text.splitlines() if "request_duration" in line]
    assert sum(shown) == 1
    assert desk.value("ragmon_request_duration_seconds_count", pipeline="demo") == 2


def _everything(desk: Any, fresh: Make) -> None:
    """Put at least one series into every family that a request or a window can fill."""
    exporter, layout = desk.exporter, desk.registry.layout
    amounts = [
        Observation("duration", Stage.END_TO_END),
        Observation("duration", Stage.GENERATION),
        Observation("first_token"),
        Observation("stage_error", Stage.GENERATION, 'Weird"Error\\'),
        Observation("tokens", "model", "input"),
        Observation("cost", "model"),
        Observation("retrieved_chunks"),
        Observation("context_tokens"),
    ]
    one: Fresh = fresh(
        pipeline='odd "pipeline"\\ü',
        pipeline_version="v1",
        evaluations=tuple((slot, Evaluation.MEASURED) for slot in layout),
        scores=tuple((slot, 0.5) for slot in layout),
        not_measured=((layout[0], "missing:gold_ids"),),
        observations=tuple((name, 1.5) for name in amounts),
        label_lags_s=(5.0,),
    )
    exporter.observe(one)
    result = Result(
        key=one.key,
        span_ids=(),
        pipeline=one.pipeline,
        pipeline_version=None,
        event_ns=0,
        outcome=Outcome.ANSWERED,
        weight=None,
        layout=layout,
        values=(0.5,) * len(layout),
        durations={Stage.END_TO_END: 1.0},
    )
    windows = merge(roll_up([result], 0, one.pipeline), layout)
    exporter.set_windows({"1h": windows, "24h": windows})
    exporter.set_unmatched(Unmatched(1, 0), now_ns=5_000_000_000)
    exporter.settle_duration(0.1)
    exporter.watch("ragmon_processor_open_spans", lambda: 1)


@pytest.mark.engine("prometheus")
def test_promtool_accepts_the_exposition(
    bench: Make, fresh: Make, promise: Callable[..., Objective]
) -> None:
    """Nothing to lint but the name that the catalogue fixes for the number of values."""
    desk = bench(promise())
    _everything(desk, fresh)
    checked = subprocess.run(
        ["promtool", "check", "metrics"],
        input=desk.exporter.exposition().body,
        capture_output=True,
        check=False,
    )
    complaints = (checked.stdout + checked.stderr).decode().splitlines()
    assert complaints == [
        'ragmon_window_count non-histogram and non-summary metrics should not have "_count" suffix'
    ]


def test_every_series_reads_back_from_openmetrics(
    bench: Make, fresh: Make, promise: Callable[..., Objective]
) -> None:
    """A strict parser takes all families, whatever stands in a label."""
    desk = bench(promise())
    _everything(desk, fresh)
    families = list(openmetrics(desk.exporter.exposition(OPENMETRICS).body.decode()))
    pipelines = {sample.labels.get("pipeline") for one in families for sample in one.samples}
    assert pipelines == {None, "demo", 'odd "pipeline"\\ü'}
    assert len(families) > 30


def test_created_series_are_not_exposed(two_requests: Any) -> None:
    """Prometheus before 3 stores each as a series of its own."""
    assert b"_created" not in two_requests.exporter.exposition(OPENMETRICS).body


def test_not_measured_has_no_series(bench: Make, fresh: Make) -> None:
    """A reason creates no score, and no window value."""
    desk = bench()
    reason = NotMeasured(Kind.MISSING, "gold_ids").reason
    desk.exporter.observe(fresh(not_measured=((desk.slot("retrieval.hit_at_k"), reason),)))
    assert b"ragmon_score_bucket" not in desk.exporter.exposition().body
