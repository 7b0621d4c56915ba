"""ragmon's own spans: parallel arrays, standard names where they exist, explicit masks."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat
from typing import Any, Final, NamedTuple, TypeAlias

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.meaning import NOTHING, Field, RawDocument, RawDocuments, Role, SpanMeaning
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
_Values: TypeAlias = tuple[AttributeValue, ...]


class _Scalar(NamedTuple):
    """One attribute: the field it fills, how it is read, whether it wins over another."""

    field: str
    read: Callable[[Any], object]
    preferred: bool = True


_SCALARS: Final = {
    semconv.QUERY: _Scalar("query", scalars.text),
    semconv.GEN_AI_RETRIEVAL_QUERY_TEXT: _Scalar("query", scalars.text, preferred=False),
    semconv.MAX_CONTEXT_TOKENS: _Scalar("max_context_tokens", scalars.count),
    semconv.PROMPT: _Scalar("prompt", scalars.text),
    semconv.ANSWER: _Scalar("answer", scalars.text),
    semconv.CITATIONS: _Scalar("citations", scalars.names),
    semconv.GEN_AI_RESPONSE_MODEL: _Scalar("model", scalars.name),
    semconv.GEN_AI_REQUEST_MODEL: _Scalar("model", scalars.name, preferred=False),
    semconv.GEN_AI_USAGE_INPUT_TOKENS: _Scalar("input_tokens", scalars.count),
    semconv.GEN_AI_USAGE_OUTPUT_TOKENS: _Scalar("output_tokens", scalars.count),
    semconv.COST_USD: _Scalar("cost_usd", scalars.amount),
    semconv.GEN_AI_TIME_TO_FIRST_CHUNK: _Scalar("first_token_s", scalars.amount),
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


_LISTS: Final = (
    (
        "documents",
        _Columns(semconv.DOCUMENTS_ID, semconv.DOCUMENTS_TEXT, semconv.DOCUMENTS_SCORE),
    ),
    (
        "input_documents",
        _Columns(semconv.INPUT_DOCUMENTS_ID, semconv.INPUT_DOCUMENTS_TEXT, score=""),
    ),
    ("context", _Columns(semconv.CONTEXT_ID, semconv.CONTEXT_TEXT, score="")),
)


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
    return meaning._replace(
        **{field: value for field in _OVERRIDDEN if (value := getattr(notes, field)) is not None},
        **{field: getattr(notes, field) for field in _FILLED if getattr(meaning, field) is None},
        absent={**meaning.absent, **notes.absent},
    )


def _read(attributes: Attributes, role: Role) -> SpanMeaning:
    absent: Mapping[Field, Absence] = NOTHING
    if semconv.MASKED in attributes:
        masked = frozenset(scalars.names(attributes[semconv.MASKED]) or ())
        absent = {_MASKABLE[key]: Absence.MASKED for key in masked if key in _MASKABLE}
        # A masked attribute may carry a hash: it is no content.
        attributes = {key: value for key, value in attributes.items() if key not in masked}
    found: dict[str, Any] = {}
    for key, value in attributes.items():
        known = _SCALARS.get(key)
        if known is not None and (read := known.read(value)) is not None:
            if known.preferred:
                found[known.field] = read
            else:
                found.setdefault(known.field, read)
    for field, columns in _LISTS:
        if columns.id in attributes or columns.text in attributes:
            found[field] = _documents(attributes, columns)
    return SpanMeaning(name, role, absent=absent, **found)


def _documents(attributes: Attributes, columns: _Columns) -> RawDocuments | None:
    ids = scalars.array(attributes.get(columns.id))
    texts = scalars.array(attributes.get(columns.text))
    if ids is None and texts is None:
        return None
    rows = max(len(ids or ()), len(texts or ()))
    scores = scalars.array(attributes.get(columns.score)) or ()
    table = zip(
        _column(ids or (), rows, _ids),
        _column(texts or (), rows, _texts),
        _column(scores, rows, _scores),
        strict=True,
    )
    return tuple(map(RawDocument._make, table))


def _column(
    values: _Values, rows: int, read: Callable[[_Values], Iterable[object]]
) -> Iterable[object]:
    """So many values: None where there are too few, too many are cut off."""
    if not values:
        return repeat(None, rows)
    return chain(read(values[:rows]), repeat(None, max(rows - len(values), 0)))


# A column is nearly always of one type: that is seen at once, and nothing is read twice.
def _ids(values: _Values) -> Iterable[object]:
    plain = set(map(type, values)) == {str} and "" not in values
    return values if plain else map(scalars.identifier, values)


def _texts(values: _Values) -> Iterable[object]:
    return values if set(map(type, values)) == {str} else map(scalars.text, values)


def _scores(values: _Values) -> Iterable[object]:
    return map(scalars.number, values)
