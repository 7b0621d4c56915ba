"""OpenInference's spans and the quirks of its instrumentations."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ragmon.interpret.dialects import openinference, read_span
from ragmon.interpret.meaning import Field, RawDocument, Role
from ragmon.model.record import Absence, RequestRecord
from ragmon.model.span import Span, SpanEvent

MakeSpan = Callable[..., Span]
Kind = Callable[..., dict[str, Any]]
ReadOne = Callable[..., RequestRecord]

JSON = {"input.mime_type": "application/json", "output.mime_type": "application/json"}


def given(value: object) -> dict[str, Any]:
    return {"input.value": json.dumps(value), "input.mime_type": JSON["input.mime_type"]}


def returned(value: object) -> dict[str, Any]:
    return {"output.value": json.dumps(value), "output.mime_type": JSON["output.mime_type"]}


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("CHAIN", Role.CHAIN),
        ("AGENT", Role.CHAIN),
        ("chain", Role.CHAIN),
        ("RETRIEVER", Role.RETRIEVAL),
        ("RERANKER", Role.RERANKING),
        ("EMBEDDING", Role.EMBEDDING),
        ("PROMPT", Role.AUGMENTATION),
        ("LLM", Role.GENERATION),
        ("TOOL", Role.OTHER),
        ("GUARDRAIL", Role.OTHER),
        ("SOMETHING NEW", Role.OTHER),
    ],
)
def test_the_kind_is_the_role(name: str, role: Role, span: MakeSpan, kind: Kind) -> None:
    """Each kind of the convention has its role; an unknown one has none."""
    assert ("openinference", role) == read_span(span("s", None, kind(name)))[:2]


@pytest.mark.parametrize("name", [None, 7, ("LLM",)])
def test_a_span_without_a_kind_is_another_dialects(name: object, span: MakeSpan) -> None:
    """A kind that is no text is none."""
    assert openinference.read(span("s", None, {"openinference.span.kind": name})) is None


def test_haystacks_prompt_builder_is_no_model_call(span: MakeSpan, kind: Kind) -> None:
    """It has the kind LLM, but builds a prompt."""
    attributes = kind("LLM", {"output.value": "the prompt"})

    meaning = read_span(span("s", None, attributes, name="PromptBuilder.run"))

    assert (Role.AUGMENTATION, "the prompt") == (meaning.role, meaning.prompt)


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ({"query": "why?"}, "why?"),
        ({"question": "why?", "chat_history": []}, "why?"),
        ({"input": {"question": "why?"}}, "why?"),
        ({"query_bundle": {"query_str": "why?", "embedding": None}}, "why?"),
        ({"data": {"embedder": {"text": "x"}, "ranker": {"query": "why?"}}}, "why?"),
        ({"data": {"prompt_builder": {"question": "why?"}}}, "why?"),
        ({"input": "why?", "config": {"query": "deeper"}}, "why?"),
        (
            {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "why?"}]},
            "why?",
        ),
        ([{"type": "human", "content": "why?"}, {"type": "ai", "content": "so"}], "why?"),
        ({"messages": [[{"kwargs": {"type": "human", "content": "why?"}}]]}, "why?"),
        ("why?", "why?"),
        ({"query_embedding": "<16-dimensional vector>", "top_k": 4}, None),
        ({"documents": [{"query": "inside a document"}]}, None),
        ({"a": {"b": {"c": {"d": {"e": {"query": "too deep"}}}}}}, None),
        ([1, None, "x"], None),
        (None, None),
        (7, None),
    ],
)
def test_the_question_is_found_in_a_chains_input(
    value: object, query: str | None, span: MakeSpan, kind: Kind
) -> None:
    """The shallowest field named like a question, else the last thing the user said."""
    assert query == read_span(span("s", None, kind("CHAIN", given(value)))).query


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ({"answer": "so", "context": [{"text": "x"}]}, "so"),
        ({"response": "so", "source_nodes": ["<NodeWithScore(...)>"]}, "so"),
        ({"llm": {"replies": ["so"], "meta": [{"model": "m"}]}}, "so"),
        ({"type": "ai", "data": {"content": "so"}}, "so"),
        ({"messages": [{"type": "human", "content": "q"}, {"type": "ai", "content": "so"}]}, "so"),
        ({"llm": {"replies": ["ChatMessage(_role=<ChatRole.ASSISTANT>, _content=[])"]}}, None),
        ({"context": "c", "question": "q"}, None),
        ({"replies": []}, None),
    ],
)
def test_the_answer_is_found_in_a_chains_output(
    value: object, answer: str | None, span: MakeSpan, kind: Kind
) -> None:
    """The shallowest field named like an answer; the `repr` of an object is never one."""
    assert answer == read_span(span("s", None, kind("CHAIN", returned(value)))).answer


def test_json_that_was_cut_short_is_not_captured(span: MakeSpan, kind: Kind) -> None:
    """A limit on the length of values leaves no mark, but JSON that no longer parses."""
    cut = {"input.value": '{"query": "wh', "output.value": '{"answer', **JSON}

    meaning = read_span(span("s", None, kind("CHAIN", cut)))

    assert (None, None) == (meaning.query, meaning.answer)
    assert {Field.QUERY: Absence.UNPARSABLE, Field.ANSWER: Absence.UNPARSABLE} == meaning.absent


def test_text_is_the_default_type(span: MakeSpan, kind: Kind) -> None:
    """Without a type a value is text, whatever it looks like."""
    meaning = read_span(span("s", None, kind("CHAIN", {"input.value": '{"query": "why?"}'})))

    assert '{"query": "why?"}' == meaning.query


def test_ids_and_scores_are_read_where_they_stand(span: MakeSpan, kind: Kind, listed: Kind) -> None:
    """An integer id is read as text; an empty one, a NaN score are none."""
    found = listed(
        "retrieval.documents",
        {"id": 7, "content": "A", "score": 0.5},
        {"id": "", "content": "B", "score": float("nan")},
    )

    assert (RawDocument("7", "A", 0.5), RawDocument(None, "B", None)) == read_span(
        span("s", None, kind("RETRIEVER", found))
    ).documents


def test_langchain_ids_come_from_the_return_value(span: MakeSpan, kind: Kind, listed: Kind) -> None:
    """The flattened list has none: the JSON beside it has, with a score in the metadata."""
    found = listed("retrieval.documents", {"content": "A"}, {"content": "B"})
    value = {
        "documents": [
            {"id": "a", "page_content": "A", "metadata": {"doc_id": "m", "relevance_score": 0.5}},
            {"id": None, "page_content": "B", "metadata": {"chunk_id": 9, "score": 0.25}},
        ]
    }

    assert (RawDocument("a", "A", 0.5), RawDocument("9", "B", 0.25)) == read_span(
        span("s", None, kind("RETRIEVER", found | returned(value)))
    ).documents


@pytest.mark.parametrize("value", ["{cut", '{"documents": []}', "[]", "7"])
def test_else_from_the_metadata(value: str, span: MakeSpan, kind: Kind, listed: Kind) -> None:
    """Where the return value was cut, or is of another length, the metadata has to do."""
    found = listed(
        "retrieval.documents",
        {"content": "A", "metadata": '{"doc_id": "a", "relevance_score": 0.5}'},
        {"content": "B", "metadata": '{"doc_id": "b'},
    )
    attributes = kind("RETRIEVER", {**found, "output.value": value, **JSON})

    assert (RawDocument("a", "A", 0.5), RawDocument(None, "B", None)) == read_span(
        span("s", None, attributes)
    ).documents


@pytest.mark.parametrize(
    ("document", "id_"),
    [
        ({"id": "1", "node_id": "2", "id_": "3", "metadata": {"doc_id": "4"}}, "1"),
        ({"node_id": "2", "id_": "3", "metadata": {"doc_id": "4"}}, "2"),
        ({"id_": "3", "metadata": {"doc_id": "4"}}, "3"),
        ({"metadata": {"doc_id": "4", "id": "5", "chunk_id": "6"}}, "4"),
        ({"metadata": {"id": "5", "chunk_id": "6"}}, "5"),
        ({"metadata": {"chunk_id": "6"}}, "6"),
        ({"metadata": {"source": "7"}}, None),
        ({"metadata": "8"}, None),
    ],
)
def test_the_order_of_id_candidates(
    document: dict[str, Any], id_: str | None, span: MakeSpan, kind: Kind
) -> None:
    """A document's own id, then a node's, then what its metadata has."""
    attributes = kind("RETRIEVER", returned({"documents": [document]}))

    assert (RawDocument(id_, None, None),) == read_span(span("s", None, attributes)).documents


@pytest.mark.parametrize(
    ("attributes", "documents"),
    [
        ({"retrieval.documents": ()}, ()),
        (returned({"documents": []}), ()),
        (returned([]), ()),
        (returned(["<NodeWithScore(node=TextNode(id_=a), score=0.5)>"]), None),
        (returned({"documents": ["Document(id=a)"]}), None),
        ({}, None),
    ],
)
def test_an_empty_list_is_told_from_none(
    attributes: dict[str, Any],
    documents: tuple[RawDocument, ...] | None,
    span: MakeSpan,
    kind: Kind,
) -> None:
    """An empty list is a bare name or an empty return value; the `repr` of nodes is no list."""
    assert documents == read_span(span("s", None, kind("RETRIEVER", attributes))).documents


@pytest.mark.parametrize(
    ("name", "field", "role"),
    [
        ("retrieval.documents", "RETRIEVER", "documents"),
        ("reranker.output_documents", "RERANKER", "documents"),
    ],
)
@pytest.mark.parametrize("indices", [(1, 2), (0, 2)])
def test_a_list_with_a_gap_was_torn(
    name: str, field: str, role: str, indices: tuple[int, int], span: MakeSpan, kind: Kind
) -> None:
    """A list that does not start at 0, or skips an index, lost documents."""
    found = {f"{name}.{index}.document.id": "a" for index in indices}

    meaning = read_span(span("s", None, kind(field, found)))

    assert (None, {Field.DOCUMENTS: Absence.DROPPED_ATTRIBUTES}) == (
        meaning.documents,
        meaning.absent,
    )


def test_a_list_counts_in_numbers_not_in_letters(span: MakeSpan, kind: Kind) -> None:
    """The tenth document comes after the second, in whatever order attributes come."""
    found = {
        f"retrieval.documents.{index}.document.id": f"d{index}" for index in reversed(range(12))
    }
    noise = {"retrieval.documents.x.document.id": "x", "retrieval.documents.²": "y"}

    assert [f"d{index}" for index in range(12)] == [
        document.id
        for document in read_span(span("s", None, kind("RETRIEVER", found | noise))).documents or ()
    ]


def test_masked_documents_keep_what_was_not_masked(
    span: MakeSpan, kind: Kind, listed: Kind
) -> None:
    """Withheld texts leave the ids; where nothing is left there is no list."""
    hidden = "__REDACTED__"
    ids = listed("retrieval.documents", {"id": "a", "content": hidden})
    nothing = listed("retrieval.documents", {"id": hidden, "content": hidden, "metadata": hidden})

    kept = read_span(span("s", None, kind("RETRIEVER", ids)))
    gone = read_span(span("s", None, kind("RETRIEVER", nothing)))
    bare = read_span(span("s", None, kind("RETRIEVER", {"retrieval.documents": hidden})))

    assert ((RawDocument("a", None),), {Field.DOCUMENT_TEXTS: Absence.MASKED}) == (
        kept.documents,
        kept.absent,
    )
    assert (None, Absence.MASKED) == (gone.documents, gone.absent[Field.DOCUMENTS])
    assert (None, Absence.MASKED) == (bare.documents, bare.absent[Field.DOCUMENTS])


def test_a_reranker_tells_both_lists(span: MakeSpan, kind: Kind, listed: Kind) -> None:
    """Its query and its input may be all that is known of the retrieval."""
    attributes = kind(
        "RERANKER",
        {
            "reranker.query": "why?",
            **listed("reranker.input_documents", {"id": "a"}, {"id": "b"}),
            **listed("reranker.output_documents", {"id": "b", "score": 1}),
        },
    )

    meaning = read_span(span("s", None, attributes))

    assert ("why?", ["a", "b"], (RawDocument("b", None, 1.0),)) == (
        meaning.query,
        [document.id for document in meaning.input_documents or ()],
        meaning.documents,
    )


def test_a_reranker_that_kept_nothing_returns_an_empty_list(span: MakeSpan, kind: Kind) -> None:
    """Without a flattened list its return value tells."""
    attributes = kind("RERANKER", {"reranker.query": "__REDACTED__", **returned({"documents": []})})

    meaning = read_span(span("s", None, attributes))

    assert (None, ()) == (meaning.query, meaning.documents)


def test_messages_become_one_prompt(span: MakeSpan, kind: Kind) -> None:
    """Texts joined by a newline, without roles, a repeated system text once, parts in order."""
    part = "llm.input_messages.2.message.contents.{}.message_content.{}"
    attributes = kind(
        "LLM",
        {
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": "Be brief.",
            "llm.input_messages.1.message.role": "system",
            "llm.input_messages.1.message.content": "Be brief.",
            "llm.input_messages.2.message.role": "user",
            part.format(10, "text"): "third",
            part.format(0, "type"): "text",
            part.format(0, "text"): "first",
            part.format(1, "image.image.url"): "data:",
            part.format(2, "text"): "second",
            part.format("x", "text"): "no part",
            "llm.input_messages.3.message.role": "user",
            "llm.input_messages.3.message.content": "Be brief.",
        },
    )

    assert (
        "Be brief.\nfirst\nsecond\nthird\nBe brief."
        == read_span(span("s", None, attributes)).prompt
    )


@pytest.mark.parametrize(
    ("attributes", "prompt"),
    [
        ({"llm.prompts": ("one", "two")}, "one\ntwo"),
        ({"llm.prompts.0.prompt.text": "one", "llm.prompts.1.prompt.text": "two"}, "one\ntwo"),
        ({"input.value": "one"}, "one"),
        (given({"prompt": "one", "generation_kwargs": None}), "one"),
        (
            given({"messages": [{"role": "user", "content": [{"type": "text", "text": "one"}]}]}),
            "one",
        ),
        (given({"prompts": ["one"]}), "one"),
        (given({"prompt": "Template(metadata={})"}), None),
        ({"llm.prompts": 7}, None),
    ],
)
def test_prompts_come_in_several_forms(
    attributes: dict[str, Any], prompt: str | None, span: MakeSpan, kind: Kind
) -> None:
    """Lists of prompts, one array of them, or the input value; never an object's `repr`."""
    assert prompt == read_span(span("s", None, kind("LLM", attributes))).prompt


@pytest.mark.parametrize(
    ("attributes", "answer"),
    [
        ({"llm.output_messages.0.message.content": "so", "output.value": "raw"}, "so"),
        (
            {
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.1.message.content": "so",
            },
            "so",
        ),
        (
            {"llm.output_messages.0.message.contents.0.message_content.text": "so"},
            "so",
        ),
        ({"llm.output_messages.0.message.content": ""}, ""),
        ({"llm.choices.0.completion.text": "so", "llm.choices.1.completion.text": "or"}, "so"),
        ({"output.value": "so"}, "so"),
        (returned({"generations": [[{"text": "so"}]]}), "so"),
        (returned({"generations": [[]]}), None),
        (returned({"choices": [{"message": {"content": "so"}}]}), "so"),
        (returned({"choices": [{"text": "so"}]}), "so"),
        (returned({"replies": ["so"], "meta": [{}]}), "so"),
        (returned([]), None),
    ],
)
def test_answers_come_in_several_forms(
    attributes: dict[str, Any], answer: str | None, span: MakeSpan, kind: Kind
) -> None:
    """Messages, choices, or the output value as LangChain, OpenAI or Haystack write it."""
    assert answer == read_span(span("s", None, kind("LLM", attributes))).answer


def test_a_model_call_tells_what_it_used(span: MakeSpan, kind: Kind) -> None:
    """Model, tokens and cost; a model that has only a request name uses that."""
    attributes = kind(
        "LLM",
        {
            "llm.request.model_name": "asked",
            "llm.token_count.prompt": 10,
            "llm.token_count.completion": 5,
            "llm.cost.total": 0.5,
        },
    )
    asked = read_span(span("s", None, attributes))
    named = read_span(span("s", None, attributes | {"llm.model_name": "named"}))

    assert ("asked", 10, 5, 0.5, "named") == (
        asked.model,
        asked.input_tokens,
        asked.output_tokens,
        asked.cost_usd,
        named.model,
    )


@pytest.mark.parametrize(("at_ns", "first_token_s"), [(10**9, 1.0), (-1, None)])
def test_the_first_token_is_an_event(
    at_ns: int, first_token_s: float | None, span: MakeSpan, kind: Kind
) -> None:
    """Seconds from the call's start; an event before it is a fault and no time."""
    events = (
        SpanEvent("other", 0, {}),
        SpanEvent("First Token Stream Event", at_ns, {}),
        SpanEvent("First Token Stream Event", at_ns + 5, {}),
    )

    assert first_token_s == read_span(span("s", None, kind("LLM"), events=events)).first_token_s


@pytest.mark.parametrize(
    ("attributes", "changes", "cause"),
    [
        ({"llm.input_messages.0.message.content": "__REDACTED__"}, {}, Absence.MASKED),
        ({"input.value": "__REDACTED__"}, {}, Absence.MASKED),
        ({"input.value": "{cut", **JSON}, {}, Absence.UNPARSABLE),
        ({"llm.input_messages.1.message.content": "b"}, {}, Absence.DROPPED_ATTRIBUTES),
        ({"llm.input_messages.0.message.content": "a"}, {"dropped": 3}, Absence.DROPPED_ATTRIBUTES),
    ],
)
def test_a_prompt_that_cannot_be_read_says_why(
    attributes: dict[str, Any],
    changes: dict[str, Any],
    cause: Absence,
    span: MakeSpan,
    kind: Kind,
    read_one: ReadOne,
) -> None:
    """Masked, cut short and torn are three different things, in the span and in the record."""
    call = span("s", None, kind("LLM", attributes), **changes)

    assert (None, cause) == (read_span(call).prompt, read_span(call).absent[Field.PROMPT])
    assert cause == read_one(call).absent["prompt"]


def test_a_torn_span_explains_what_it_lacks(span: MakeSpan, kind: Kind, read_one: ReadOne) -> None:
    """Fields that a span with thrown away attributes could have carried were perhaps captured."""
    record = read_one(span("s", None, kind("LLM"), dropped=3))

    assert (
        dict.fromkeys(("query", "context", "prompt", "answer", "usage"), Absence.DROPPED_ATTRIBUTES)
        == record.absent
    )


@pytest.mark.parametrize(
    ("variables", "context"),
    [
        ({"context": "[a] Alpha.", "question": "why?"}, ["[a] Alpha."]),
        ({"anything": "[a] Alpha.", "question": "why?"}, ["[a] Alpha."]),
        ({"context": ["Alpha.", "Beta."]}, ["Alpha.", "Beta."]),
        ({"documents": [{"id": "a", "page_content": "Alpha."}]}, ["Alpha."]),
        ({"documents": ["Document(id=a, content: 'Alpha.')"]}, ["Alpha.", "Gamma."]),
        ({"context": "why?"}, ["Alpha.", "Gamma."]),
        ({"context": 7, "question": "why?"}, ["Alpha.", "Gamma."]),
        ({"context": ""}, []),
    ],
)
def test_the_variable_that_held_the_context_is_packed(
    variables: dict[str, Any],
    context: list[str],
    span: MakeSpan,
    kind: Kind,
    listed: Kind,
    read_one: ReadOne,
) -> None:
    """Named like a context, else holding a retrieved text; it has to stand in the prompt."""
    found = listed(
        "retrieval.documents", {"id": "a", "content": "Alpha."}, {"id": "c", "content": "Gamma."}
    )
    record = read_one(
        span("root", None, kind("CHAIN", {"input.value": "why?"})),
        span("search", "root", kind("RETRIEVER", found)),
        span(
            "prompt",
            "root",
            kind("PROMPT", {**given(variables), "output.value": "[a] Alpha. Beta.\nwhy?"}),
        ),
    )

    texts = [document.text and document.text.raw for document in record.context or ()]
    assert context == texts


def test_llamaindex_keeps_its_context_on_the_outer_call(
    span: MakeSpan, kind: Kind, read_one: ReadOne
) -> None:
    """The template's variables stand on the call around the leaf that has the prompt."""
    variables = {"llm.prompt_template.variables": '{"context_str": "page: 2\\n\\nAlpha."}'}
    record = read_one(
        span("predict", None, kind("LLM", variables)),
        span("complete", "predict", kind("LLM", {"llm.prompts": ("page: 2\n\nAlpha.\nwhy?",)})),
    )

    assert ["page: 2\n\nAlpha."] == [
        document.text and document.text.raw for document in record.context or ()
    ]


def test_a_context_is_believed_without_a_prompt(
    span: MakeSpan, kind: Kind, read_one: ReadOne
) -> None:
    """One text named context needs no prompt to show it; a list of texts does."""
    one = span("p", "root", kind("PROMPT", given({"context": "Alpha."})))
    several = span("p", "root", kind("PROMPT", given({"context": ["Alpha.", "Beta."]})))
    root = span("root", None, kind("CHAIN"))
    call = span("model", "root", kind("LLM"))

    assert "Alpha." == str((read_one(root, one, call).context or ())[0].text.raw)  # type: ignore[union-attr]
    assert read_one(root, several, call).context is None


def test_documents_on_a_prompt_span_are_packed(
    span: MakeSpan, kind: Kind, listed: Kind, read_one: ReadOne
) -> None:
    """Any kind may carry documents in and out; out of a prompt builder they are the context."""
    attributes = kind(
        "PROMPT",
        {
            **listed("input.documents", {"id": "a", "content": "A"}, {"id": "b", "content": "B"}),
            **listed("output.documents", {"id": "b"}),
        },
    )
    record = read_one(span("root"), span("p", "root", attributes), span("m", "root", kind("LLM")))

    assert [("b", "B")] == [
        (document.id, document.text and document.text.raw) for document in record.context or ()
    ]


def test_the_one_text_embedded_for_a_retrieval_is_its_query(
    span: MakeSpan, kind: Kind, read_one: ReadOne
) -> None:
    """An embedding retriever sees only a vector: the question is what was embedded."""
    text = "embedding.embeddings.{}.embedding.text"
    one = span("embed", "root", kind("EMBEDDING", {text.format(0): "why?"}))
    many = span("embed", "root", kind("EMBEDDING", {text.format(0): "a", text.format(1): "b"}))
    root, search = span("root"), span("search", "root", kind("RETRIEVER"))
    call = span("model", "root", kind("LLM"))

    assert ("why?", None, None) == tuple(
        record.query and record.query.raw
        for record in (
            read_one(root, one, search),
            read_one(root, many, search),
            read_one(root, one, call),
        )
    )


def test_the_topmost_chain_tells_question_and_answer(
    span: MakeSpan, kind: Kind, read_one: ReadOne
) -> None:
    """Chains inside a chain are its steps, and below a handler the topmost is heard."""
    record = read_one(
        span("handler"),
        span("chain", "handler", kind("CHAIN", {"input.value": "why?", "output.value": "so"})),
        span("step", "chain", kind("CHAIN", {"input.value": "other", "output.value": "else"})),
        span("model", "chain", kind("LLM", {"output.value": "raw"})),
    )

    assert ("why?", "so") == (
        record.query and record.query.raw,
        record.answer and record.answer.raw,
    )


def test_what_is_left_of_a_request_is_asked_last(
    span: MakeSpan, kind: Kind, read_one: ReadOne
) -> None:
    """Without the root, retriever and model call are believed before formatters and parsers."""
    record = read_one(
        span("format", "lost", kind("CHAIN", {"input.value": "docs", "output.value": "text"})),
        span("search", "lost", kind("RETRIEVER", {"input.value": "why?"})),
        span("model", "lost", kind("LLM", {"output.value": "so"})),
    )

    assert ("why?", "so") == (
        record.query and record.query.raw,
        record.answer and record.answer.raw,
    )


def test_a_chain_that_did_not_answer_is_not_answered_by_a_step(
    span: MakeSpan, kind: Kind, read_one: ReadOne
) -> None:
    """What a lost part of the chain put out is no answer of the request."""
    record = read_one(
        span("chain", None, kind("CHAIN", {"input.value": "why?"})),
        span("search", "chain", kind("RETRIEVER")),
        span("step", "lost", kind("CHAIN", {"output.value": "some documents"})),
    )

    assert (("chain", "search", "step"), None) == (tuple(record.span_ids), record.answer)
