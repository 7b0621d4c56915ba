"""Real traces: what each says, written down by reading it."""

from collections.abc import Callable
from typing import Any

import pytest

from ragmon.model.record import (
    Absence,
    ContextSource,
    Document,
    ModelUsage,
    Outcome,
    RequestRecord,
    Stage,
)
from ragmon.text import Text

ReadFile = Callable[[str], tuple[RequestRecord, ...]]

QUESTION = "How many days do customers have to return a damaged blender?"
ANSWER = (
    "Customers have 30 days to return a damaged blender, and return shipping is free "
    "[doc-returns-2]."
)
TEXTS = {
    "doc-returns-1": "Standard returns: most unopened items can be returned within 14 days of "
    "delivery.",
    "doc-returns-2": "Damaged goods: customers have 30 days to return a damaged blender or other "
    "appliance, and return shipping is free.",
    "doc-warranty-1": "Warranty: appliances such as the blender carry a two-year limited warranty "
    "against defects.",
    "doc-recipe-1": "Recipe: put banana, oats and milk in the blender and mix for 40 seconds.",
    "doc-account-1": "Accounts: customers can change their e-mail address in the account settings.",
}


def documents(*scored: tuple[str, float | None]) -> tuple[Document, ...]:
    return tuple(Document(id_, Text(TEXTS[id_]), score) for id_, score in scored)


def one_text(text: str) -> tuple[Document, ...]:
    return (Document(None, Text(text)),)


LANGCHAIN_CONTEXT = (
    f"[doc-returns-2] {TEXTS['doc-returns-2']}\n\n[doc-warranty-1] {TEXTS['doc-warranty-1']}"
)
LANGCHAIN_PROMPT = (
    "Answer only from the context. Cite the source id in square brackets.\n"
    f"Context:\n{LANGCHAIN_CONTEXT}\n\nQuestion: {QUESTION}"
)
LANGCHAIN_RETRIEVED = documents(
    ("doc-returns-2", None),
    ("doc-recipe-1", None),
    ("doc-returns-1", None),
    ("doc-warranty-1", None),
)
LANGCHAIN_RERANKED = documents(("doc-returns-2", 0.7273), ("doc-warranty-1", 0.1818))
LLAMAINDEX_CONTEXT = (
    f"source: policy/returns.md\npage: 2\n\n{TEXTS['doc-returns-2']}\n\n"
    f"source: blog/recipes.md\npage: 3\n\n{TEXTS['doc-recipe-1']}"
)
HAYSTACK_PROMPT = (
    "Answer only from the context. Cite the source id in square brackets.\nContext:\n"
    f"[doc-returns-2] {TEXTS['doc-returns-2']}\n[doc-warranty-1] {TEXTS['doc-warranty-1']}\n\n"
    f"Question: {QUESTION}"
)

GOLDENS: dict[str, dict[str, Any]] = {
    "openinference_langchain": {
        "span_id": "8081f6e413118001",
        "dialect": "openinference",
        "pipeline": "ragmon-example",
        "outcome": Outcome.ANSWERED,
        "query": Text(QUESTION),
        "retrieved": LANGCHAIN_RETRIEVED,
        "reranked": LANGCHAIN_RERANKED,
        "context": one_text(LANGCHAIN_CONTEXT),
        "context_source": ContextSource.PACKED,
        "prompt": Text(LANGCHAIN_PROMPT),
        "answer": Text(ANSWER),
        "model": None,
        "usage": (ModelUsage(None, 96, 16, None),),
        "absent": {},
        "weight": None,
    },
    "openinference_langchain_llm_error": {
        "span_id": "99c7793e52fb6cfa",
        "outcome": Outcome.ERROR,
        "error_type": "TimeoutError",
        "query": Text(QUESTION),
        "retrieved": LANGCHAIN_RETRIEVED,
        "reranked": LANGCHAIN_RERANKED,
        "context": one_text(LANGCHAIN_CONTEXT),
        "answer": None,
        "usage": (),
        "absent": {},
    },
    "openinference_langchain_empty_retrieval": {
        "outcome": Outcome.ABSTAINED,
        "query": Text("What is the CEO's shoe size?"),
        "retrieved": (),
        "reranked": None,
        "context": (),
        "context_source": ContextSource.PACKED,
        "answer": Text("I don't know based on the provided documents."),
        "prompt": Text(
            "Answer only from the context.\nContext:\n\n\nQuestion: What is the CEO's shoe size?"
        ),
        "usage": (ModelUsage(None, 30, 9, None),),
    },
    "openinference_langchain_masked": {
        "outcome": Outcome.UNKNOWN,
        "query": None,
        "retrieved": None,
        "reranked": None,
        "context": None,
        "context_source": None,
        "prompt": None,
        "answer": None,
        "usage": (ModelUsage(None, 96, 16, None),),
        "absent": dict.fromkeys(
            ("query", "retrieved", "context", "prompt", "answer"), Absence.MASKED
        ),
    },
    "openinference_llamaindex": {
        "span_id": "a570cbd60e86c070",
        "outcome": Outcome.ANSWERED,
        "query": Text(QUESTION),
        "retrieved": documents(
            ("doc-returns-2", 0.9192770904606897),
            ("doc-recipe-1", 0.8795933025379968),
            ("doc-returns-1", 0.7855533190649869),
            ("doc-account-1", 0.7302968724392499),
        ),
        "reranked": documents(("doc-returns-2", 0.7273), ("doc-recipe-1", 0.0909)),
        "context": one_text(LLAMAINDEX_CONTEXT),
        "context_source": ContextSource.PACKED,
        "answer": Text(ANSWER),
        "model": "fake-llm-1",
        "usage": (ModelUsage("fake-llm-1", 73, 17, None),),
    },
    "openinference_haystack": {
        "query": Text(QUESTION),
        "retrieved": documents(
            ("doc-returns-2", 0.8662492140999388),
            ("doc-recipe-1", 0.6851601597031488),
            ("doc-returns-1", 0.6761234037828133),
            ("doc-warranty-1", 0.6324555320336759),
        ),
        "reranked": LANGCHAIN_RERANKED,
        "context": LANGCHAIN_RERANKED,
        "context_source": ContextSource.RERANKED,
        "prompt": Text(HAYSTACK_PROMPT),
        "answer": Text(ANSWER),
        "model": "fake-gen-1",
        "usage": (ModelUsage("fake-gen-1", 64, 17, None),),
    },
    "openinference_openai": {
        "span_id": "5596dfd7449c43b8",
        "outcome": Outcome.ANSWERED,
        "query": None,
        "retrieved": None,
        "reranked": None,
        "context": one_text(LANGCHAIN_PROMPT),
        "context_source": ContextSource.PROMPT,
        "prompt": Text(LANGCHAIN_PROMPT),
        "answer": Text(ANSWER),
        "model": "gpt-4o-mini-2024-07-18",
        "usage": (ModelUsage("gpt-4o-mini-2024-07-18", 64, 17, None),),
        "absent": {},
    },
    "edge_openinference_llamaindex_manydocs": {
        "outcome": Outcome.ANSWERED,
        "query": Text(QUESTION),
        "retrieved": None,
        "reranked": None,
        "context_source": ContextSource.PACKED,
        "answer": Text(ANSWER),
        "absent": {
            "retrieved": Absence.DROPPED_ATTRIBUTES,
            "reranked": Absence.DROPPED_ATTRIBUTES,
        },
    },
    "edge_remote_parent_tracestate": {
        "span_id": "8c29ae098dda7ef3",
        "outcome": Outcome.ANSWERED,
        "query": Text(QUESTION),
        "retrieved": LANGCHAIN_RETRIEVED,
        "reranked": LANGCHAIN_RERANKED,
        "answer": Text(ANSWER),
        "weight": 2.0,
    },
}


@pytest.mark.parametrize("name", GOLDENS)
def test_a_trace_is_read_as_it_was_written_down(name: str, read_file: ReadFile) -> None:
    """Each real trace holds one request, which says what a reader of the trace sees."""
    (record,) = read_file(name)

    expected = GOLDENS[name]
    assert expected == {field: getattr(record, field) for field in expected}


def test_stages_have_the_durations_of_their_spans(read_file: ReadFile) -> None:
    """Retrieval is the outer retriever, generation the inner model call, each as in the file."""
    (record,) = read_file("openinference_llamaindex")

    milliseconds = {
        stage: round((run.duration_s or 0) * 1000, 1) for stage, run in record.stages.items()
    }
    assert {
        Stage.EMBEDDING: 0.6,
        Stage.RETRIEVAL: 2.8,
        Stage.RERANKING: 2.7,
        Stage.GENERATION: 0.8,
    } == milliseconds


def test_a_failed_model_call_is_an_error_of_its_stage(read_file: ReadFile) -> None:
    """The stage that failed says with what; the others do not."""
    (record,) = read_file("openinference_langchain_llm_error")

    errors = {stage: run.error_type for stage, run in record.stages.items()}
    assert {
        Stage.RETRIEVAL: None,
        Stage.AUGMENTATION: None,
        Stage.GENERATION: "TimeoutError",
    } == errors


def test_a_sampled_file_gives_a_weighted_request_per_trace(read_file: ReadFile) -> None:
    """Five traces sampled at 25 % are five requests of which each stands for four."""
    records = read_file("edge_sampled_th_25pct")

    assert [(f"answer {n}", f"question {n}", 4.0) for n in (6, 13, 17, 21, 28)] == [
        (record.answer and record.answer.raw, record.query and record.query.raw, record.weight)
        for record in records
    ]


def test_an_indexing_run_is_no_request(read_file: ReadFile) -> None:
    """The LlamaIndex file has a trace that only embeds: the other one gives the only record."""
    assert ["d76b300a5815beec03016994af8aab2d"] == [
        record.trace_id for record in read_file("openinference_llamaindex")
    ]


OTHERS = (
    "edge_otel_complex_attributes",
    "haystack3_native",
    "haystack_native_nocontent",
    "langfuse_decorators",
    "langsmith_otel_langchain",
    "llamaindex_native_otel",
    "logfire_openai",
    "mlflow_decorators",
    "mlflow_decorators_semconv",
    "openlit_openai_chroma",
    "otel_genai_langchain",
    "otel_genai_langchain_nocontent",
    "otel_genai_llamaindex_openai",
    "otel_genai_llamaindex_openai_noparent",
    "otel_genai_openai",
    "otel_genai_openai_events",
    "traceloop_langchain",
    "traceloop_legacy_openai_chroma",
    "traceloop_legacy_openai_chroma_indexing",
    "traceloop_openai_chroma_indexing",
    "traceloop_sdk_openai_chroma",
    "trulens_otel",
)


@pytest.mark.parametrize("name", OTHERS)
def test_a_dialect_not_known_yet_is_not_guessed_at(name: str, read_file: ReadFile) -> None:
    """A trace in a dialect that no module reads gives no record."""
    assert () == read_file(name)
