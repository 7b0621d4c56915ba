"""Which spans make which request."""

from collections.abc import Callable
from typing import Any

import pytest

from ragmon.model.record import Outcome, RequestRecord
from ragmon.model.span import Span, SpanKind, StatusCode

MakeSpan = Callable[..., Span]
Rag = Callable[..., dict[str, Any]]
Read = Callable[..., tuple[RequestRecord, ...]]


def keys(records: tuple[RequestRecord, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(record.span_id, record.span_ids) for record in records]


def test_a_ragmon_request_span_is_the_request(span: MakeSpan, rag: Rag, read: Read) -> None:
    """The request is its span and what lies below it, not what lies above or beside it."""
    records = read(
        span("server"),
        span("ask", "server", rag("request")),
        span("search", "ask", rag("retrieval")),
        span("other", "server", rag("retrieval")),
    )

    assert [("ask", ("ask", "search"))] == keys(records)


def test_a_request_needs_no_call(span: MakeSpan, rag: Rag, read: Read) -> None:
    """A ragmon request span alone is a request: the application says so."""
    assert [("ask", ("ask",))] == keys(read(span("ask", None, rag("request"))))


def test_of_nested_requests_the_outermost_counts(span: MakeSpan, rag: Rag, read: Read) -> None:
    """A request inside a request is a part of it."""
    records = read(
        span("outer", None, rag("request")),
        span("inner", "outer", rag("request")),
        span("model", "inner", rag("generation")),
    )

    assert [("outer", ("inner", "model", "outer"))] == keys(records)


def test_a_trace_can_hold_several_requests(span: MakeSpan, rag: Rag, read: Read) -> None:
    """Request spans beside each other are requests of their own, in order of their ends."""
    records = read(
        span("batch"),
        span("late", "batch", rag("request"), at=(0, 50)),
        span("early", "batch", rag("request"), at=(0, 20)),
        span("model", "late", rag("generation"), at=(5, 40)),
    )

    assert [("early", ("early",)), ("late", ("late", "model"))] == keys(records)


@pytest.mark.parametrize("stage", ["retrieval", "reranking", "generation"])
def test_a_topmost_span_with_a_call_below_is_a_request(
    stage: str, span: MakeSpan, rag: Rag, read: Read
) -> None:
    """Without a request span the root of a tree that retrieves or calls a model is one."""
    records = read(span("root"), span("middle", "root"), span("call", "middle", rag(stage)))

    assert [("root", ("call", "middle", "root"))] == keys(records)


@pytest.mark.parametrize("stage", ["chunking", "embedding", "augmentation"])
def test_a_tree_without_a_call_is_no_request(
    stage: str, span: MakeSpan, rag: Rag, read: Read
) -> None:
    """An indexing run embeds and chunks, but answers nobody."""
    assert () == read(span("root"), span("work", "root", rag(stage)))


@pytest.mark.parametrize(
    "changes",
    [{"parent_is_remote": True}, {"kind": SpanKind.SERVER}, {"kind": SpanKind.CONSUMER}],
)
def test_an_entry_into_the_service_is_a_request(
    changes: dict[str, Any], span: MakeSpan, rag: Rag, read: Read
) -> None:
    """A topmost span whose parent is remote, or that serves one, is a request of its own."""
    (record,) = read(
        span("entry", "elsewhere", at=(0, 30), **changes), span("model", "entry", rag("generation"))
    )

    assert ("entry", 0.03) == (record.span_id, record.latency_s)


def test_a_missing_parent_is_the_key(span: MakeSpan, rag: Rag, read: Read) -> None:
    """A late root keeps the key that its children had without it."""
    children = (
        span("search", "root", rag("retrieval"), at=(1, 20)),
        span("model", "root", rag("generation"), at=(20, 90)),
    )

    (before,) = read(*children)
    (after,) = read(*children, span("root"))

    assert ("root", ("model", "search"), None) == (
        before.span_id,
        before.span_ids,
        before.latency_s,
    )
    assert ("root", ("model", "root", "search"), 0.1) == (
        after.span_id,
        after.span_ids,
        after.latency_s,
    )


def test_of_several_missing_parents_the_smallest_id_is_the_key(
    span: MakeSpan, rag: Rag, read: Read
) -> None:
    """Parts that hang from different missing spans are one request."""
    records = read(
        span("search", "b", rag("retrieval")),
        span("model", "a", rag("generation")),
    )

    assert [("a", ("model", "search"))] == keys(records)


def test_an_orphan_part_belongs_to_the_request_around_it(
    span: MakeSpan, rag: Rag, read: Read
) -> None:
    """A part whose parent was lost joins the one request span that contains its interval."""
    records = read(
        span("root", at=(0, 100)),
        span("model", "root", rag("generation"), at=(50, 90)),
        span("search", "lost", rag("retrieval"), at=(10, 40)),
    )

    assert [("root", ("model", "root", "search"))] == keys(records)


def test_an_orphan_part_joins_a_root_whose_calls_it_holds(
    span: MakeSpan, rag: Rag, read: Read
) -> None:
    """A root below which everything hangs from a lost span is the request all the same."""
    records = read(span("root"), span("model", "lost", rag("generation"), at=(50, 90)))

    assert [("root", ("model", "root"))] == keys(records)


@pytest.mark.parametrize("interval", [(10, 130), (110, 120)])
def test_an_orphan_part_outside_of_every_request_is_one_itself(
    interval: tuple[int, int], span: MakeSpan, rag: Rag, read: Read
) -> None:
    """A part that no request's interval contains is keyed by its missing parent."""
    records = read(
        span("ask", None, rag("request"), at=(0, 100)),
        span("model", "lost", rag("generation"), at=interval),
    )

    assert [("ask", ("ask",)), ("lost", ("model",))] == keys(records)


def test_an_orphan_part_inside_two_requests_joins_neither(
    span: MakeSpan, rag: Rag, read: Read
) -> None:
    """Where two requests ran at the time, nothing says whose the part is."""
    records = read(
        span("batch"),
        span("one", "batch", rag("request"), at=(0, 100)),
        span("two", "batch", rag("request"), at=(5, 95)),
        span("model", "lost", rag("generation"), at=(10, 90)),
    )

    assert [("lost", ("model",)), ("two", ("two",)), ("one", ("one",))] == keys(records)


def test_without_a_request_span_the_latest_end_is_the_time(
    span: MakeSpan, rag: Rag, read: Read
) -> None:
    """The event time of a request that never came is the latest end of its spans."""
    (record,) = read(
        span("model", "lost", rag("generation"), at=(0, 70)),
        span("search", "lost", rag("retrieval"), at=(0, 90)),
    )

    assert (90 * 10**6, None) == (record.event_ns, record.latency_s)


@pytest.mark.parametrize(
    ("answer", "status", "outcome"),
    [
        ("yes", StatusCode.UNSET, Outcome.ANSWERED),
        ("yes", StatusCode.ERROR, Outcome.ERROR),
        (None, StatusCode.UNSET, Outcome.UNKNOWN),
    ],
)
def test_without_a_request_span_topmost_spans_tell_the_outcome(
    answer: str | None,
    status: StatusCode,
    outcome: Outcome,
    span: MakeSpan,
    rag: Rag,
    read: Read,
) -> None:
    """Error if a topmost span failed, answered if an answer was captured, else unknown."""
    (record,) = read(
        span("model", "lost", rag("generation", answer=answer)),
        span("search", "lost", rag("retrieval"), status=status),
    )

    assert outcome == record.outcome


def test_a_loop_of_parents_is_cut(span: MakeSpan, rag: Rag, read: Read) -> None:
    """Spans that are each other's ancestors are read, each once."""
    records = read(
        span("a", "c", rag("generation")),
        span("b", "a"),
        span("c", "b"),
        span("d", "c", rag("retrieval")),
        span("self", "self", rag("retrieval")),
    )

    assert [("c", ("a", "b", "c", "d", "self"))] == keys(records)


def test_a_deep_tree_is_read_without_recursion(span: MakeSpan, rag: Rag, read: Read) -> None:
    """Ten thousand nested calls are one request."""
    deep = [
        span(
            f"{depth:05}",
            f"{depth - 1:05}" if depth else None,
            rag("generation"),
            at=(depth, depth),
        )
        for depth in range(10_000)
    ]

    (record,) = read(*deep)

    assert ("00000", 10_000) == (record.span_id, len(record.span_ids))


def test_two_roots_are_two_requests(span: MakeSpan, rag: Rag, read: Read) -> None:
    """Trees of one trace are read apart: trace ids are reused."""
    records = read(
        span("one", None, rag("generation"), at=(0, 1)),
        span("two", None, rag("generation"), at=(0, 2)),
    )

    assert [("one", ("one",)), ("two", ("two",))] == keys(records)
