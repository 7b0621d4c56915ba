"""How long it took, how it ended, when it was, whose it is, and how much it stands for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ragmon.interpret import interpret, interpret_whole
from ragmon.model.record import Outcome, RequestRecord, Stage, StageRun
from ragmon.model.span import Span, SpanEvent, StatusCode, Trace

MakeSpan = Callable[..., Span]
Rag = Callable[..., dict[str, Any]]
ReadOne = Callable[..., RequestRecord]


def test_parallel_retrievers_count_as_their_union(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Overlapping siblings are not summed, and gaps between them do not count."""
    record = read_one(
        span("ask", None, rag("request")),
        span("one", "ask", rag("retrieval"), at=(0, 20)),
        span("two", "ask", rag("retrieval"), at=(10, 30)),
        span("three", "ask", rag("retrieval"), at=(50, 60)),
    )

    assert StageRun(0.04) == record.stages[Stage.RETRIEVAL]


def test_reranking_inside_a_retriever_is_not_retrieval(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The outermost retriever's duration, less that of the reranker inside it."""
    record = read_one(
        span("search", None, rag("retrieval"), at=(0, 100)),
        span("inner", "search", rag("retrieval"), at=(0, 60)),
        span("rerank", "search", rag("reranking"), at=(60, 90)),
    )

    assert (StageRun(0.07), StageRun(0.03)) == (
        record.stages[Stage.RETRIEVAL],
        record.stages[Stage.RERANKING],
    )


def test_reranking_beside_a_retriever_takes_nothing_from_it(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Only a reranker inside the retriever is taken out of its time."""
    record = read_one(
        span("ask", None, rag("request")),
        span("first", "ask", rag("retrieval"), at=(0, 10)),
        span("rerank", "ask", rag("reranking"), at=(5, 20)),
        span("second", "ask", rag("retrieval"), at=(20, 30)),
    )

    assert StageRun(0.02) == record.stages[Stage.RETRIEVAL]


def test_a_reranker_is_taken_out_of_the_retriever_around_it(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Of several retrievers the second may be the one that reranks."""
    record = read_one(
        span("ask", None, rag("request")),
        span("first", "ask", rag("retrieval"), at=(0, 10)),
        span("second", "ask", rag("retrieval"), at=(20, 50)),
        span("rerank", "second", rag("reranking"), at=(30, 40)),
    )

    assert StageRun(0.03) == record.stages[Stage.RETRIEVAL]


def test_stages_that_did_not_run_are_absent(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """A stage without a span has no duration, and the request is none of the stages."""
    record = read_one(
        span("ask", None, rag("request")),
        span("embed", "ask", rag("embedding"), at=(0, 10)),
        span("build", "ask", rag("augmentation"), at=(10, 20)),
    )

    assert {Stage.EMBEDDING: StageRun(0.01), Stage.AUGMENTATION: StageRun(0.01)} == record.stages


@pytest.mark.parametrize("stage", ["retrieval", "generation"])
def test_a_clock_set_back_gives_no_duration(
    stage: str, span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A span that ends before it starts has no duration, and the fault is named."""
    record = read_one(
        span("ask", None, rag("request")), span("stage", "ask", rag(stage), at=(20, 10))
    )

    assert (StageRun(None), ("negative",), 0.1) == (
        record.stages[Stage(stage)],
        record.clock_faults,
        record.latency_s,
    )


def test_a_stage_of_more_than_a_week_has_no_duration(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Only a wrong clock takes so long, and one such value would hide every other in a sum."""
    long_ms = 8 * 86_400_000
    record = read_one(
        span("ask", None, rag("request"), at=(0, long_ms)),
        span("stage", "ask", rag("generation"), at=(0, long_ms)),
    )

    assert (None, StageRun(None)) == (record.latency_s, record.stages[Stage.GENERATION])


def test_a_request_that_ends_before_it_starts_has_no_latency(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The request's own clock may run backwards too."""
    record = read_one(span("ask", None, rag("request"), at=(20, 10)))

    assert (None, ("negative",)) == (record.latency_s, record.clock_faults)


@pytest.mark.parametrize(
    ("ahead_s", "event_ns", "faults"),
    [(300, 300 * 10**9, ()), (301, 0, ("future",))],
)
def test_an_end_far_ahead_of_arrival_is_not_believed(
    ahead_s: int,
    event_ns: int,
    faults: tuple[str, ...],
    span: MakeSpan,
    rag: Rag,
    read_one: ReadOne,
) -> None:
    """More than five minutes ahead of its arrival a request is dated by that, and counted."""
    record = read_one(span("ask", None, rag("request"), at=(0, ahead_s * 1000)), arrival_ns=0)

    assert (event_ns, faults) == (record.event_ns, record.clock_faults)


def test_the_requests_end_is_its_time(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """A span that outlives its request does not move it."""
    record = read_one(
        span("ask", None, rag("request"), at=(0, 50)),
        span("late", "ask", rag("generation"), at=(0, 80)),
    )

    assert (50 * 10**6, 0.05) == (record.event_ns, record.latency_s)


def test_a_failed_request_is_an_error_even_with_an_answer(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The request span's status decides before the answer does."""
    failed = span("ask", None, rag("request", answer="partial"), status=StatusCode.ERROR)

    assert (Outcome.ERROR, "_OTHER") == (read_one(failed).outcome, read_one(failed).error_type)


def test_an_error_type_alone_is_a_failure(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """Some sources set no status, only what went wrong."""
    record = read_one(span("ask", None, rag("request") | {"error.type": "Timeout"}))

    assert (Outcome.ERROR, "Timeout") == (record.outcome, record.error_type)


def test_a_failure_below_a_request_that_answered_is_none_of_its(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A stage may fail and be made up for; the stage says so, the request does not."""
    record = read_one(
        span("ask", None, rag("request", answer="all the same")),
        span("search", "ask", rag("retrieval"), status=StatusCode.ERROR),
    )

    assert (Outcome.ANSWERED, None, "_OTHER") == (
        record.outcome,
        record.error_type,
        record.stages[Stage.RETRIEVAL].error_type,
    )


def test_an_exception_event_names_the_error(
    span: MakeSpan,
    rag: Rag,
    read_one: ReadOne,
    exception: Callable[[str], SpanEvent],
) -> None:
    """Without `error.type` the last exception recorded on the span is the error."""
    record = read_one(
        span(
            "ask",
            None,
            rag("request"),
            status=StatusCode.ERROR,
            events=(exception("First"), SpanEvent("other", 0, {}), exception("Last")),
        )
    )

    assert "Last" == record.error_type


def test_a_request_that_names_no_error_takes_that_of_a_span_below(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """An HTTP handler knows only that it failed; the call below it knows why."""
    record = read_one(
        span("ask", None, rag("request"), status=StatusCode.ERROR),
        span("model", "ask", rag("generation") | {"error.type": "RateLimit"}),
    )

    assert "RateLimit" == record.error_type


def test_an_empty_answer_is_an_abstention(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """Captured and empty is not missing: nothing was said."""
    record = read_one(span("ask", None, rag("request", answer="")))

    assert (Outcome.ABSTAINED, "") == (record.outcome, record.answer and record.answer.raw)


@pytest.mark.parametrize(
    ("state", "weight"),
    [
        ("ot=th:0", 1.0),
        ("ot=th:8", 2.0),
        ("vendor=th:8, ot=rv:12345678901234;th:c", 4.0),
        ("ot=th:fd70a", 99.99771123402633),
        ("", None),
        ("ot=p:8;r:62", None),
        ("ot=th:", None),
        ("ot=th:xyz", None),
        ("ot=th:123456789012345", None),
        ("ot", None),
    ],
)
def test_the_sampling_threshold_gives_the_weight(
    state: str, weight: float | None, span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The adjusted count is 2^56 / (2^56 - T), and unknown, not one, without a threshold."""
    record = read_one(span("ask", None, rag("request"), trace_state=state))

    assert weight == record.weight


def test_the_largest_threshold_of_any_span_counts(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Children may lack the threshold, and the later sampler's is the larger one."""
    record = read_one(
        span("ask", None, rag("request")),
        span("one", "ask", trace_state="ot=th:8"),
        span("two", "ask", trace_state="ot=th:c"),
    )

    assert 4.0 == record.weight


@pytest.mark.parametrize(
    ("own", "child", "resource", "pipeline"),
    [
        ("own", "child", {"ragmon.pipeline": "res", "service.name": "svc"}, "own"),
        (None, "child", {"ragmon.pipeline": "res", "service.name": "svc"}, "child"),
        (None, None, {"ragmon.pipeline": "res", "service.name": "svc"}, "res"),
        (None, None, {"service.name": "svc"}, "svc"),
        ("", 7.5, {"service.name": ("not", "a", "name")}, "unknown"),
    ],
)
def test_the_pipeline_is_the_nearest_name(
    own: str | None,
    child: object,
    resource: dict[str, Any],
    pipeline: str,
    span: MakeSpan,
    rag: Rag,
    read_one: ReadOne,
) -> None:
    """`ragmon.pipeline` on a span, else on a resource, else the service, else unknown."""
    record = read_one(
        span("ask", None, rag("request", pipeline=own), resource=resource),
        span("model", "ask", rag("generation", pipeline=child), resource=resource),
    )

    assert pipeline == record.pipeline


def test_the_applications_own_id_may_stand_on_any_span(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The request id is found below the request, and an integer is read as text."""
    record = read_one(
        span("ask", None, rag("request", pipeline_version="v2")),
        span("model", "ask", rag("generation", request_id=4711)),
    )

    assert ("4711", "v2") == (record.request_id, record.pipeline_version)


def test_a_late_request_of_a_long_trace_keeps_its_own_time(span: MakeSpan, rag: Rag) -> None:
    """An end is held against the arrival of its own span, not of the first of the trace."""
    minute_ns = 60 * 10**9
    turns = [
        replace(
            span(f"turn{n}", None, rag("request"), at=(n * 600_000, n * 600_000 + 1000)),
            arrival_ns=n * 10 * minute_ns + 10**9,
        )
        for n in range(3)
    ]
    records = interpret(Trace("t", tuple(turns), arrival_ns=10**9))

    ends_ns = [n * 10 * minute_ns + 10**9 for n in range(3)]
    assert ends_ns == [record.event_ns for record in records]
    assert {()} == {record.clock_faults for record in records}


@pytest.mark.parametrize("stage", ["request", "chunking"])
@pytest.mark.parametrize("on_span", [True, False])
@pytest.mark.parametrize(
    ("name", "cut"), [("x" * 256, "x" * 256), ("x" * 257, "x" * 246 + "…truncated")]
)
def test_a_long_name_of_a_pipeline_is_cut(
    stage: str, on_span: bool, name: str, cut: str, span: MakeSpan, rag: Rag
) -> None:
    """A request's or run's pipeline is stored all over: its name has at most 256 characters."""
    named = {"ragmon.pipeline": name}
    one = span("s", None, rag(stage) | (named if on_span else {}), resource=named)
    read = interpret_whole(Trace("t", (one,), arrival_ns=0))

    names = [record.pipeline for record in read.records] + [run.pipeline for run in read.runs]
    assert [cut] == names
