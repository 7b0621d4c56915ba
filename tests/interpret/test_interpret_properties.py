"""What holds for any trace at all."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon import semconv
from ragmon.interpret import interpret
from ragmon.interpret.dialects import DIALECTS
from ragmon.model.record import RequestRecord
from ragmon.model.span import AttributeValue, Span, SpanEvent, SpanKind, StatusCode, Trace

STAGES = (
    "request",
    "chunking",
    "embedding",
    "retrieval",
    "reranking",
    "augmentation",
    "generation",
)
KINDS = ("CHAIN", "RETRIEVER", "RERANKER", "EMBEDDING", "PROMPT", "LLM", "TOOL")
IDS = st.sampled_from("abcdefghij")
VALUES: st.SearchStrategy[AttributeValue] = st.sampled_from(
    (
        *(None, True, 0, 7, -1, 2**63, 0.5, float("nan"), float("inf"), b"", b"\xff"),
        *("", "a", "why?", "Alpha.", "Beta. why?", "__REDACTED__", "\ud800", "f()"),
        *(
            '{"query": "why?"}',
            '{"documents": [{"id": 1, "content": "Alpha."}]}',
            '{"documents": [',
        ),
        *('{"context": "Alpha."}', '{"messages": [[{"content": []}]]}', "[[[]]]", "null", "1e999"),
        *((1.0, 2), (1e308, -1.0), (10**400,), (-1, 2**62), (2**70, True), b"\x00\x00\xc0\x7f"),
        *((), ("a", "b"), ("Alpha.", "Beta."), ("", None, 7), (0.5, float("nan")), ((), {})),
        *({}, {"a": ("b", {"c": None})}),
        *(("ragmon.query", "ragmon.documents.text"), ("ragmon.answer",)),
    )
)
NAMES = st.sampled_from(
    [
        *(
            value
            for name, value in vars(semconv).items()
            if name.isupper() and isinstance(value, str)
        ),
        "input.mime_type",
        "output.mime_type",
        "retrieval.documents.0.document.id",
        "retrieval.documents.0.document.content",
        "retrieval.documents.0.document.metadata",
        "retrieval.documents.1.document.score",
        "reranker.output_documents.0.document.id",
        "reranker.input_documents.999999999999.document.id",
        "llm.input_messages.0.message.content",
        "llm.input_messages.0.message.role",
        "llm.output_messages.0.message.contents.0.message_content.text",
        "llm.choices.0.completion.text",
        "llm.prompts.0.prompt.text",
        "embedding.embeddings.0.embedding.text",
        "embedding.embeddings.0.embedding.vector",
    ]
)
MEANINGFUL: st.SearchStrategy[dict[str, str]] = st.one_of(
    st.sampled_from(STAGES).map(lambda stage: {semconv.STAGE: stage}),
    st.sampled_from(KINDS).map(
        lambda kind: {
            semconv.OPENINFERENCE_SPAN_KIND: kind,
            "input.mime_type": "application/json",
        }
    ),
    st.just({}),
)
ATTRIBUTES = st.builds(
    lambda noise, meaning: {**noise, **meaning},
    st.dictionaries(NAMES, VALUES, max_size=6),
    MEANINGFUL,
)
TIMES = st.integers(0, 40)


@st.composite
def _span(draw: st.DrawFn, span_id: str) -> Span:
    return Span(
        trace_id="t",
        span_id=span_id,
        parent_id=draw(st.one_of(st.none(), IDS, st.sampled_from(["missing", "gone"]))),
        name="PromptBuilder.run" if span_id == "a" else "s",
        kind=draw(st.sampled_from(SpanKind)),
        start_ns=draw(TIMES),
        end_ns=draw(TIMES),
        attributes=draw(ATTRIBUTES),
        events=tuple(
            SpanEvent(name, draw(TIMES), {"exception.type": draw(VALUES)})
            for name in draw(
                st.lists(st.sampled_from(["exception", "First Token Stream Event"]), max_size=2)
            )
        ),
        status=draw(st.sampled_from(StatusCode)),
        status_message="",
        parent_is_remote=draw(st.booleans()),
        trace_state=draw(st.sampled_from(["", "ot=th:8", "ot=th:", "x=y,,="])),
        resource={"service.name": draw(VALUES)},
        scope_name="",
        dropped=draw(st.sampled_from([0, 0, 0, 3])),
    )


@st.composite
def _spans(draw: st.DrawFn) -> list[Span]:
    ids = draw(st.lists(IDS, min_size=1, max_size=6, unique=True))
    return [draw(_span(span_id)) for span_id in ids]


def _read(spans: list[Span]) -> tuple[RequestRecord, ...]:
    return interpret(Trace("t", tuple(spans), 10**6))


def _plain(record: RequestRecord) -> list[str]:
    # Compared as text: a NaN in a record would not equal itself.
    return [f"{one.name}={getattr(record, one.name)!r}" for one in fields(record)]


@given(_spans(), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_any_trace_is_read_whatever_the_order_of_its_spans(spans: list[Span], random: Any) -> None:
    """Nothing a sender sends raises, and the order of the spans says nothing."""
    shuffled = list(spans)
    random.shuffle(shuffled)

    assert list(map(_plain, _read(spans))) == list(map(_plain, _read(shuffled)))


@given(_spans())
@settings(max_examples=60, deadline=None)
def test_each_span_is_part_of_one_request_at_most(spans: list[Span]) -> None:
    """Requests have keys of their own, and share no span."""
    records = _read(spans)

    keys = [record.span_id for record in records]
    parts = [span_id for record in records for span_id in record.span_ids]
    assert len(set(keys)) == len(keys)
    assert len(set(parts)) == len(parts)
    assert {span.span_id for span in spans}.issuperset(parts)


@given(_spans())
@settings(max_examples=60, deadline=None)
def test_a_cause_stands_only_where_a_field_is_missing(spans: list[Span]) -> None:
    """`absent` explains fields that are None, or empty for usage, and no others."""
    for record in _read(spans):
        explained = [getattr(record, name) for name in record.absent]
        assert [None if value != () else () for value in explained] == explained


@given(_spans())
@settings(max_examples=60, deadline=None)
def test_equal_texts_are_one_object(spans: list[Span]) -> None:
    """A text is tokenised once for all the places in a record where it stands."""
    for record in _read(spans):
        lists = (record.retrieved, record.reranked, record.context)
        texts = [document.text for found in lists for document in found or ()]
        known = [text for text in (*texts, record.query, record.answer, record.prompt) if text]
        assert len({text.raw for text in known}) == len({id(text) for text in known})


def test_the_dialects_are_in_order_of_precedence() -> None:
    """ragmon's own spans are known before another instrumentation's."""
    assert ["ragmon", "openinference"] == [dialect.name for dialect in DIALECTS]


def test_a_huge_trace_is_read_in_bounded_time(
    span: Callable[..., Span], rag: Callable[..., Any], read: Callable[..., Any]
) -> None:
    """Thousands of requests and thousands of lost parts are no square."""
    requests = [span(f"r{n}", "batch", rag("request"), at=(n, n + 1)) for n in range(3000)]
    parts = [span(f"o{n}", f"lost{n}", rag("generation"), at=(n, n + 1)) for n in range(3000)]

    records = read(span("batch"), *requests, *parts)

    assert [2] == sorted({len(record.span_ids) for record in records})
