"""OpenInference's spans, as its instrumentations of LangChain, LlamaIndex and others write them."""

from collections.abc import Callable, Mapping
from typing import Final

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.dialects import json_content
from ragmon.interpret.dialects.openinference_content import (
    Absent,
    answer_of,
    input_of,
    output_of,
    query_of,
)
from ragmon.interpret.dialects.openinference_documents import (
    reranker_documents,
    retrieved_documents,
    side_documents,
)
from ragmon.interpret.dialects.openinference_messages import (
    model_answer,
    model_prompt,
    read_flattened,
    template_prompt,
    template_variables,
)
from ragmon.interpret.meaning import Role, SpanMeaning
from ragmon.model.span import Span

name: Final = "openinference"


def read(span: Span) -> SpanMeaning | None:
    """What a span with `openinference.span.kind` means."""
    kind = scalars.text(span.attributes.get(semconv.OPENINFERENCE_SPAN_KIND))
    if kind is None:
        return None
    read_kind = _READERS.get(kind.upper(), _other)
    return _prompt(span) if read_kind is _llm and "PromptBuilder" in span.name else read_kind(span)


def _chain(span: Span) -> SpanMeaning:
    absent: Absent = {}
    return SpanMeaning(
        dialect=name,
        role=Role.CHAIN,
        query=query_of(span.attributes, absent),
        answer=answer_of(span.attributes, absent),
        absent=absent,
    )


def _retriever(span: Span) -> SpanMeaning:
    absent: Absent = {}
    return SpanMeaning(
        dialect=name,
        role=Role.RETRIEVAL,
        query=query_of(span.attributes, absent),
        documents=retrieved_documents(span.attributes, absent),
        absent=absent,
    )


def _reranker(span: Span) -> SpanMeaning:
    absent: Absent = {}
    query = scalars.text(span.attributes.get(semconv.RERANKER_QUERY))
    given, returned = reranker_documents(span.attributes, absent)
    return SpanMeaning(
        dialect=name,
        role=Role.RERANKING,
        query=None if query == semconv.OPENINFERENCE_MASK else query,
        documents=returned,
        input_documents=given,
        absent=absent,
    )


def _embedding(span: Span) -> SpanMeaning:
    key = "embedding.embeddings.{}.embedding.text"
    text = scalars.text(span.attributes.get(key.format(0)))
    several = key.format(1) in span.attributes
    return SpanMeaning(
        dialect=name,
        role=Role.EMBEDDING,
        query=None if several or text == semconv.OPENINFERENCE_MASK else text,
    )


def _prompt(span: Span) -> SpanMeaning:
    absent: Absent = {}
    given, returned = side_documents(span.attributes, absent)
    return SpanMeaning(
        dialect=name,
        role=Role.AUGMENTATION,
        documents=returned,
        input_documents=given,
        variables=template_variables(span.attributes)
        or json_content.read_variables(input_of(span.attributes).json),
        prompt=template_prompt(output_of(span.attributes), absent),
        absent=absent,
    )


def _llm(span: Span) -> SpanMeaning:
    absent: Absent = {}
    attributes = span.attributes
    sent, received = read_flattened(attributes)
    models = (
        semconv.LLM_MODEL_NAME,
        semconv.LLM_RESPONSE_MODEL_NAME,
        semconv.LLM_REQUEST_MODEL_NAME,
    )
    return SpanMeaning(
        dialect=name,
        role=Role.GENERATION,
        variables=template_variables(attributes),
        prompt=model_prompt(span, sent, absent),
        answer=model_answer(span, received, absent),
        model=next((model for key in models if (model := scalars.name(attributes.get(key)))), None),
        input_tokens=scalars.count(attributes.get(semconv.LLM_TOKENS_PROMPT)),
        output_tokens=scalars.count(attributes.get(semconv.LLM_TOKENS_COMPLETION)),
        cost_usd=scalars.amount(attributes.get(semconv.LLM_COST_TOTAL)),
        first_token_s=_first_token_s(span),
        absent=absent,
    )


def _first_token_s(span: Span) -> float | None:
    times = [
        event.time_ns
        for event in span.events
        if event.name == semconv.OPENINFERENCE_FIRST_TOKEN_EVENT
    ]
    return scalars.amount((min(times) - span.start_ns) / 1e9) if times else None


def _other(span: Span) -> SpanMeaning:
    del span
    return _OTHER


_OTHER: Final = SpanMeaning(dialect=name, role=Role.OTHER)
_READERS: Final[Mapping[str, Callable[[Span], SpanMeaning]]] = {
    "CHAIN": _chain,
    "AGENT": _chain,
    "RETRIEVER": _retriever,
    "RERANKER": _reranker,
    "EMBEDDING": _embedding,
    "PROMPT": _prompt,
    "LLM": _llm,
}
