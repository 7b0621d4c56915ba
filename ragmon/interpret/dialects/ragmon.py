"""ragmon's own spans: parallel arrays, standard names where they exist, explicit masks."""

from dataclasses import replace
from itertools import zip_longest
from typing import Final, NamedTuple

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.meaning import Field, RawDocument, RawDocuments, Role, SpanMeaning
from ragmon.model.record import Absence
from ragmon.model.span import Attributes, AttributeValue, Span

name: Final = "ragmon"

_ROLES: Final = {
    "request": Role.REQUEST,
    "chunking": Role.CHUNKING,
    "embedding": Role.EMBEDDING,
    "retrieval": Role.RETRIEVAL,
    "reranking": Role.RERANKING,
    "augmentation": Role.AUGMENTATION,
    "generation": Role.GENERATION,
}
_MASKABLE: Final = {
    semconv.QUERY: Field.QUERY,
    semconv.GEN_AI_RETRIEVAL_QUERY_TEXT: Field.QUERY,
    semconv.DOCUMENTS_ID: Field.DOCUMENTS,
    semconv.DOCUMENTS_TEXT: Field.DOCUMENT_TEXTS,
    semconv.INPUT_DOCUMENTS_TEXT: Field.DOCUMENT_TEXTS,
    semconv.CONTEXT_TEXT: Field.CONTEXT,
    semconv.PROMPT: Field.PROMPT,
    semconv.ANSWER: Field.ANSWER,
    semconv.CITATIONS: Field.CITATIONS,
}

_NOTES: Final = frozenset(
    {
        *_MASKABLE,
        semconv.INPUT_DOCUMENTS_ID,
        semconv.CONTEXT_ID,
        semconv.MAX_CONTEXT_TOKENS,
        semconv.COST_USD,
        semconv.MASKED,
        semconv.GEN_AI_RESPONSE_MODEL,
        semconv.GEN_AI_USAGE_INPUT_TOKENS,
        semconv.GEN_AI_USAGE_OUTPUT_TOKENS,
    }
)
_OVERRIDDEN: Final = (
    "query",
    "documents",
    "input_documents",
    "context",
    "max_context_tokens",
    "prompt",
    "answer",
    "citations",
    "cost_usd",
)
_FILLED: Final = ("model", "input_tokens", "output_tokens")


class _Columns(NamedTuple):
    """The parallel arrays of one list of documents."""

    id: str
    text: str
    score: str


_DOCUMENTS: Final = _Columns(semconv.DOCUMENTS_ID, semconv.DOCUMENTS_TEXT, semconv.DOCUMENTS_SCORE)
_INPUT_DOCUMENTS: Final = _Columns(
    semconv.INPUT_DOCUMENTS_ID, semconv.INPUT_DOCUMENTS_TEXT, score=""
)
_CONTEXT: Final = _Columns(semconv.CONTEXT_ID, semconv.CONTEXT_TEXT, score="")


def read(span: Span) -> SpanMeaning | None:
    """What a span with `ragmon.stage` means."""
    role = _ROLES.get(scalars.text(span.attributes.get(semconv.STAGE)) or "")
    return None if role is None else _read(span.attributes, role)


def annotated(span: Span, meaning: SpanMeaning) -> SpanMeaning:
    """Another dialect's span with what `ragmon.annotate` wrote to it.

    The annotation wins; where it speaks OpenTelemetry's names, which others write too, it
    only fills what the span's own dialect leaves open.
    """
    if span.attributes.keys().isdisjoint(_NOTES):
        return meaning
    notes = _read(span.attributes, meaning.role)
    return replace(
        meaning,
        **{field: value for field in _OVERRIDDEN if (value := getattr(notes, field)) is not None},
        **{field: getattr(notes, field) for field in _FILLED if getattr(meaning, field) is None},
        absent={**meaning.absent, **notes.absent},
    )


def _read(attributes: Attributes, role: Role) -> SpanMeaning:
    masked = frozenset(scalars.names(attributes.get(semconv.MASKED)) or ())
    shown = _without(attributes, masked) if masked else attributes
    return SpanMeaning(
        dialect=name,
        role=role,
        query=_first_text(shown, semconv.QUERY, semconv.GEN_AI_RETRIEVAL_QUERY_TEXT),
        documents=_documents(shown, _DOCUMENTS),
        input_documents=_documents(shown, _INPUT_DOCUMENTS),
        context=_documents(shown, _CONTEXT),
        max_context_tokens=scalars.count(shown.get(semconv.MAX_CONTEXT_TOKENS)),
        prompt=scalars.text(shown.get(semconv.PROMPT)),
        answer=scalars.text(shown.get(semconv.ANSWER)),
        citations=scalars.names(shown.get(semconv.CITATIONS)),
        model=scalars.name(shown.get(semconv.GEN_AI_RESPONSE_MODEL))
        or scalars.name(shown.get(semconv.GEN_AI_REQUEST_MODEL)),
        input_tokens=scalars.count(shown.get(semconv.GEN_AI_USAGE_INPUT_TOKENS)),
        output_tokens=scalars.count(shown.get(semconv.GEN_AI_USAGE_OUTPUT_TOKENS)),
        cost_usd=scalars.amount(shown.get(semconv.COST_USD)),
        first_token_s=scalars.amount(shown.get(semconv.GEN_AI_TIME_TO_FIRST_CHUNK)),
        absent={_MASKABLE[key]: Absence.MASKED for key in masked if key in _MASKABLE},
    )


def _without(attributes: Attributes, masked: frozenset[str]) -> Attributes:
    """A masked attribute may carry a hash: it is no content."""
    return {key: value for key, value in attributes.items() if key not in masked}


def _first_text(attributes: Attributes, *keys: str) -> str | None:
    found = (scalars.text(attributes.get(key)) for key in keys)
    return next((value for value in found if value is not None), None)


def _documents(attributes: Attributes, columns: _Columns) -> RawDocuments | None:
    ids = scalars.array(attributes.get(columns.id))
    texts = scalars.array(attributes.get(columns.text))
    if ids is None and texts is None:
        return None
    ids, texts = ids or (), texts or ()
    scores = (scalars.array(attributes.get(columns.score)) or ())[: max(len(ids), len(texts))]
    return tuple([_document(*row) for row in zip_longest(ids, texts, scores)])


def _document(id_: AttributeValue, text: AttributeValue, score: AttributeValue) -> RawDocument:
    return RawDocument(scalars.identifier(id_), scalars.text(text), scalars.number(score))
