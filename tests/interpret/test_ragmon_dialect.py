"""ragmon's own spans, one by one."""

from collections.abc import Callable
from typing import Any

import pytest

from ragmon.interpret.dialects import ragmon, read_span
from ragmon.interpret.meaning import Field, RawDocument, Role
from ragmon.model.record import Absence
from ragmon.model.span import Span

MakeSpan = Callable[..., Span]
Rag = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("stage", "role"),
    [
        ("request", Role.REQUEST),
        ("chunking", Role.CHUNKING),
        ("embedding", Role.EMBEDDING),
        ("retrieval", Role.RETRIEVAL),
        ("reranking", Role.RERANKING),
        ("augmentation", Role.AUGMENTATION),
        ("generation", Role.GENERATION),
    ],
)
def test_the_stage_is_the_role(stage: str, role: Role, span: MakeSpan, rag: Rag) -> None:
    """Each stage that the decorators write is read as that role."""
    assert ("ragmon", role) == read_span(span("s", None, rag(stage)))[:2]


@pytest.mark.parametrize("stage", [None, "", "other", 7, ("request",), {"request": 1}])
def test_a_span_without_a_stage_is_not_ragmons(stage: object, span: MakeSpan) -> None:
    """A stage that is none, of whatever type, is no stage."""
    assert ragmon.read(span("s", None, {"ragmon.stage": stage})) is None


def test_documents_are_parallel_arrays(span: MakeSpan, rag: Rag) -> None:
    """An empty id and a NaN score say that a document has none."""
    meaning = read_span(
        span(
            "s",
            None,
            rag(
                "retrieval",
                documents_id=("a", "", 3),
                documents_text=("A", "B", "C"),
                documents_score=(0.5, float("nan"), 1),
            ),
        )
    )

    assert (
        RawDocument("a", "A", 0.5),
        RawDocument(None, "B", None),
        RawDocument("3", "C", 1.0),
    ) == meaning.documents


def test_arrays_of_different_lengths_are_filled_up(span: MakeSpan, rag: Rag) -> None:
    """A missing text or score is None; a score without a document is nothing."""
    meaning = read_span(
        span(
            "s",
            None,
            rag(
                "retrieval",
                documents_id=("a", "b"),
                documents_text=(7,),
                documents_score=(0.5, 0.25, 0.125),
            ),
        )
    )

    assert (RawDocument("a", None, 0.5), RawDocument("b", None, 0.25)) == meaning.documents


def test_arrays_of_another_type_are_no_documents(span: MakeSpan, rag: Rag) -> None:
    """A text where an array should be is not a list of documents."""
    assert read_span(span("s", None, rag("retrieval", documents_id="abc"))).documents is None


def test_standard_names_are_read_where_one_exists(span: MakeSpan, rag: Rag) -> None:
    """The model that answered is believed before the one that was asked for."""
    meaning = read_span(
        span(
            "s",
            None,
            {
                "gen_ai.response.model": "m-2024",
                "gen_ai.request.model": "m",
                "gen_ai.usage.input_tokens": 10,
                "gen_ai.usage.output_tokens": 5,
                "gen_ai.response.time_to_first_chunk": 0.5,
                "gen_ai.retrieval.query.text": "why?",
                **rag("generation", cost_usd=0.25, citations=("a", "", 2)),
            },
        )
    )

    assert ("m-2024", 10, 5, 0.5, "why?", 0.25, ("a", "2")) == (
        meaning.model,
        meaning.input_tokens,
        meaning.output_tokens,
        meaning.first_token_s,
        meaning.query,
        meaning.cost_usd,
        meaning.citations,
    )


@pytest.mark.parametrize("reverse", [False, True])
def test_the_order_of_attributes_does_not_matter(reverse: bool, span: MakeSpan, rag: Rag) -> None:
    """Of two names for one thing the same one wins in any order."""
    attributes = {
        "gen_ai.request.model": "asked for",
        "gen_ai.response.model": "answered",
        **rag("retrieval", query="ours"),
        "gen_ai.retrieval.query.text": "standard",
    }
    ordered = dict(reversed(attributes.items())) if reverse else attributes

    meaning = read_span(span("s", None, ordered))

    assert ("answered", "ours") == (meaning.model, meaning.query)


@pytest.mark.parametrize(
    ("attribute", "field"),
    [
        ("ragmon.query", Field.QUERY),
        ("gen_ai.retrieval.query.text", Field.QUERY),
        ("ragmon.answer", Field.ANSWER),
        ("ragmon.prompt", Field.PROMPT),
        ("ragmon.documents.text", Field.DOCUMENT_TEXTS),
        ("ragmon.context.text", Field.CONTEXT),
    ],
)
def test_a_masked_attribute_is_no_content(
    attribute: str, field: Field, span: MakeSpan, rag: Rag
) -> None:
    """What the content setting withheld is None and says why, even where a hash stands."""
    attributes = rag("request") | {"ragmon.masked": (attribute,), attribute: "5f3c"}

    meaning = read_span(span("s", None, attributes))

    assert {field: Absence.MASKED} == meaning.absent
    assert (None, None, None) == (meaning.query, meaning.answer, meaning.prompt)


def test_an_annotation_on_another_dialects_span_wins(span: MakeSpan, rag: Rag, kind: Rag) -> None:
    """`ragmon.annotate` inside an instrumented call adds to what its span says."""
    annotated = rag("", citations=("a",), cost_usd=0.5, answer="ours") | {
        "gen_ai.usage.input_tokens": 99,
        "gen_ai.response.model": "m",
    }
    told = kind("LLM", {"output.value": "theirs", "llm.token_count.prompt": 10})

    meaning = read_span(span("s", None, annotated | told))

    assert ("openinference", "ours", ("a",), 0.5, 10, "m") == (
        meaning.dialect,
        meaning.answer,
        meaning.citations,
        meaning.cost_usd,
        meaning.input_tokens,
        meaning.model,
    )


def test_an_annotated_handler_tells_query_and_answer(
    span: MakeSpan, rag: Rag, read_one: Callable[..., Any]
) -> None:
    """A request span of no dialect may carry what the application said about it."""
    record = read_one(
        span("handler", None, {"ragmon.query": "why?", "ragmon.answer": "so"}),
        span("model", "handler", rag("generation", answer="raw")),
    )

    assert ("why?", "so") == (record.query.raw, record.answer.raw)


def test_the_query_of_a_request_is_its_own_else_that_of_its_search(
    span: MakeSpan, rag: Rag, read_one: Callable[..., Any]
) -> None:
    """A request that was not given a question still searched for one."""
    search = span("search", "ask", rag("retrieval", query="searched"))

    assert "asked" == read_one(span("ask", None, rag("request", query="asked")), search).query.raw
    assert "searched" == read_one(span("ask", None, rag("request")), search).query.raw


def test_citations_and_answer_come_with_the_record(
    span: MakeSpan, rag: Rag, read_one: Callable[..., Any]
) -> None:
    """Of several spans with citations the one that ended last is heard."""
    record = read_one(
        span("ask", None, rag("request"), at=(0, 100)),
        span("first", "ask", rag("generation", citations=("x",), answer="1"), at=(0, 10)),
        span("second", "ask", rag("generation", citations=("a",), answer="2"), at=(10, 20)),
    )

    assert (("a",), "2", "ragmon") == (record.citations, record.answer.raw, record.dialect)


def test_masked_citations_say_so(span: MakeSpan, rag: Rag, read_one: Callable[..., Any]) -> None:
    """A field that was withheld is told from one that was not captured."""
    attributes = rag("request") | {"ragmon.masked": ("ragmon.citations", "ragmon.query")}

    assert {"citations": Absence.MASKED, "query": Absence.MASKED} == read_one(
        span("ask", None, attributes)
    ).absent
