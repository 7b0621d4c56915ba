"""The prompt, and the context in it that an answer could rest on."""

from collections.abc import Callable
from typing import Any

import pytest

from ragmon.model.record import Absence, ContextSource, RequestRecord
from ragmon.model.span import Span

MakeSpan = Callable[..., Span]
Rag = Callable[..., dict[str, Any]]
ReadOne = Callable[..., RequestRecord]


def context(record: RequestRecord) -> tuple[ContextSource | None, list[tuple[str | None, str]]]:
    found = [(one.id, one.text.raw if one.text else "") for one in record.context or ()]
    return record.context_source, found


FOUND = {"documents_id": ("a", "b", "c"), "documents_text": ("Alpha.", "Beta.", "Gamma.")}


@pytest.fixture
def retrieval(span: MakeSpan, rag: Rag) -> tuple[Span, ...]:
    """A request that retrieved a, b and c and kept c and b."""
    return (
        span("ask", None, rag("request", query="why?"), at=(0, 100)),
        span("search", "ask", rag("retrieval", **FOUND), at=(0, 10)),
        span("rerank", "ask", rag("reranking", documents_id=("c", "b")), at=(10, 20)),
    )


def test_what_the_prompt_builder_returned_is_packed(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Documents that the builder returns are the context, with texts found by id."""
    builder = rag("augmentation", documents_id=("b",), input_documents_id=("c", "b"))
    record = read_one(*retrieval, span("build", "ask", builder, at=(20, 30)))

    assert (ContextSource.PACKED, [("b", "Beta.")]) == context(record)


def test_else_what_of_its_input_stands_in_the_prompt(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Without returned documents, those input documents are packed whose text occurs."""
    builder = rag("augmentation", input_documents_id=("c", "b"), prompt="Use: Beta. why?")
    record = read_one(*retrieval, span("build", "ask", builder, at=(20, 30)))

    assert (ContextSource.PACKED, [("b", "Beta.")]) == context(record)


def test_the_model_calls_prompt_shows_what_was_packed(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A builder whose own prompt was not captured is held against what the model was sent."""
    record = read_one(
        *retrieval,
        span("build", "ask", rag("augmentation", input_documents_id=("c", "b")), at=(20, 30)),
        span("model", "ask", rag("generation", prompt="Gamma. why?"), at=(30, 40)),
    )

    assert (ContextSource.PACKED, [("c", "Gamma.")]) == context(record)


def test_a_prompt_that_shows_no_document_packs_none(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A builder that rewrote every text says nothing of what it packed."""
    builder = rag("augmentation", input_documents_id=("c",), prompt="Summary of the third: why?")
    record = read_one(*retrieval, span("build", "ask", builder, at=(20, 30)))

    assert (ContextSource.RERANKED, [("c", "Gamma."), ("b", "Beta.")]) == context(record)


def test_a_prompt_cut_short_says_nothing(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """What stood behind the cut cannot be seen: the packed list would be what is left of it."""
    builder = rag("augmentation", input_documents_id=("c", "b"), prompt="Gamma. …truncated")
    record = read_one(*retrieval, span("build", "ask", builder, at=(20, 30)))

    assert ContextSource.RERANKED == record.context_source


def test_a_prompt_builder_that_lost_attributes_packed_nothing_known(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """What is left of a torn span is not taken for what was packed."""
    builder = rag("augmentation", documents_id=("b",))
    record = read_one(*retrieval, span("build", "ask", builder, at=(20, 30), dropped=1))

    assert ContextSource.RERANKED == record.context_source


def test_an_annotated_context_overrides(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """What the application names as context wins over everything that can be inferred."""
    builder = rag("augmentation", documents_id=("b",))
    named = rag("generation", context_id=("a", ""), context_text=("", "a note"))
    record = read_one(
        *retrieval,
        span("build", "ask", builder, at=(20, 30)),
        span("model", "ask", named, at=(30, 40)),
    )

    assert (ContextSource.PACKED, [("a", "Alpha."), (None, "a note")]) == context(record)


def test_documents_handed_to_the_model_call_are_packed(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A generation that is given documents instead of a prompt has them as its context."""
    record = read_one(
        *retrieval,
        span("model", "ask", rag("generation", input_documents_id=("c",)), at=(30, 40)),
    )

    assert (ContextSource.PACKED, [("c", "Gamma.")]) == context(record)


def test_else_the_reranked_list(retrieval: tuple[Span, ...], read_one: ReadOne) -> None:
    """Without a packed context it is the reranked list."""
    assert (ContextSource.RERANKED, [("c", "Gamma."), ("b", "Beta.")]) == context(
        read_one(*retrieval)
    )


def test_else_the_retrieved_list(retrieval: tuple[Span, ...], read_one: ReadOne) -> None:
    """Without a reranked list it is the retrieved one."""
    assert (ContextSource.RETRIEVED, ["a", "b", "c"]) == (
        read_one(*retrieval[:2]).context_source,
        [document.id for document in read_one(*retrieval[:2]).context or ()],
    )


def test_else_the_prompt_without_the_query(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """Without any list it is the prompt, from which the query is taken, as one entry."""
    record = read_one(
        span("ask", None, rag("request", query="why?")),
        span("model", "ask", rag("generation", prompt="Alpha.\nwhy?")),
    )

    assert (ContextSource.PROMPT, [(None, "Alpha.\n")]) == context(record)


def test_a_prompt_that_is_the_query_is_no_context(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A model asked without any context has none."""
    record = read_one(
        span("ask", None, rag("request", query="why?")),
        span("model", "ask", rag("generation", prompt="why?")),
    )

    assert (None, None) == (record.context, record.context_source)


def test_a_list_without_texts_is_no_context(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """A list of which a text is missing is passed over: it would measure what is left."""
    record = read_one(
        span("ask", None, rag("request", query="why?")),
        span(
            "search", "ask", rag("retrieval", documents_id=("a", "b"), documents_text=("Alpha.",))
        ),
        span("model", "ask", rag("generation", prompt="Alpha. Beta. why?")),
    )

    assert ContextSource.PROMPT == record.context_source


def test_an_empty_retrieval_is_an_empty_context(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Retrieved nothing: the context is known, and empty."""
    record = read_one(span("search", None, rag("retrieval", documents_id=())))

    assert (ContextSource.RETRIEVED, ()) == (record.context_source, record.context)


def test_withheld_texts_leave_ids_and_no_context(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """With content off, lists keep their ids, and the context says that it was masked."""
    hidden = rag("retrieval", documents_id=("a",)) | {"ragmon.masked": ("ragmon.documents.text",)}
    record = read_one(span("search", None, hidden))

    assert ["a"] == [document.id for document in record.retrieved or ()]
    assert (None, {"context": Absence.MASKED}) == (record.context, record.absent)


def test_the_budget_is_read_from_any_span(
    retrieval: tuple[Span, ...], span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The context budget stands wherever the application put it."""
    builder = span("build", "ask", rag("augmentation", max_context_tokens=800), at=(20, 30))

    assert 800 == read_one(*retrieval, builder).max_context_tokens


def test_more_documents_than_can_be_looked_for_are_not_captured(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Documents times prompt is bounded: one body may not hold the loop for minutes."""
    many = {
        "id": tuple(map(str, range(3000))),
        "text": tuple(f"{number} " + "ab" * 50 for number in range(3000)),
    }
    given = {f"input_documents_{name}": values for name, values in many.items()}
    found = {f"documents_{name}": values for name, values in many.items()}
    record = read_one(
        span("ask", None, rag("request"), at=(0, 100)),
        span("search", "ask", rag("retrieval", **found), at=(0, 10)),
        span(
            "build",
            "ask",
            rag("augmentation", **given, prompt="ab" * 50_000),
            at=(10, 20),
        ),
    )

    assert ContextSource.RETRIEVED is record.context_source


def test_a_query_inside_of_words_stays_in_the_prompt(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Only the question itself is left out of the prompt, at its last place."""
    record = read_one(
        span("ask", None, rag("request", query="Paris"), at=(0, 100)),
        span(
            "write",
            "ask",
            rag("generation", prompt="Paris is big. Parisians live in Paris"),
            at=(0, 9),
        ),
    )

    assert (ContextSource.PROMPT, [(None, "Paris is big. Parisians live in ")]) == context(record)


@pytest.mark.parametrize(
    ("query", "prompt", "rest"),
    [
        ("Paris", "On Paris: Parisians live here", "On : Parisians live here"),
        ("why?", "A text. why?Answer:", "A text. Answer:"),
        ("巴黎在哪里", "资料。问题是巴黎在哪里请回答", "资料。问题是请回答"),
        ("Paris", "Parisians", "Parisians"),
    ],
)
def test_the_last_place_where_the_query_stands_alone_is_left_out(
    query: str, prompt: str, rest: str, span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Places inside of words are passed over; not every script or mark parts words by spaces."""
    record = read_one(
        span("ask", None, rag("request", query=query), at=(0, 100)),
        span("write", "ask", rag("generation", prompt=prompt), at=(0, 9)),
    )

    assert (ContextSource.PROMPT, [(None, rest)]) == context(record)
