"""What one span means, free of the dialect it was written in."""

from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum, auto
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from ragmon.model.record import Absence


class Role(IntEnum):
    """The part that one span plays in a RAG system."""

    REQUEST = auto()
    CHAIN = auto()
    CHUNKING = auto()
    EMBEDDING = auto()
    RETRIEVAL = auto()
    RERANKING = auto()
    AUGMENTATION = auto()
    GENERATION = auto()
    OTHER = auto()


CALLS: Final = frozenset({Role.RETRIEVAL, Role.RERANKING, Role.GENERATION})
"""The roles that make a tree of spans a request rather than an indexing run."""


class RawDocument(NamedTuple):
    """One document as its span carries it; a part that was not captured is None."""

    id: str | None
    text: str | None
    score: float | None = None


RawDocuments: TypeAlias = tuple[RawDocument, ...]


class Field(StrEnum):
    """What `SpanMeaning.absent` may explain."""

    QUERY = "query"
    DOCUMENTS = "documents"
    DOCUMENT_TEXTS = "document_texts"
    CONTEXT = "context"
    PROMPT = "prompt"
    ANSWER = "answer"
    CITATIONS = "citations"


NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})
"""An empty mapping that nobody can fill."""


class SpanMeaning(NamedTuple):
    """What one span says; None where it does not say it.

    A tuple and no dataclass: one is made per span, at a quarter of the cost.

    documents: what the span returned, best first; () is captured and empty.
    input_documents: what it was given. context: the packed context where the application
    names it. variables: the variables of a prompt template, each as the documents or
    texts it held. first_token_s: seconds from the span's start. absent: why a value
    that the span could have carried is None.
    """

    dialect: str
    role: Role
    query: str | None = None
    documents: RawDocuments | None = None
    input_documents: RawDocuments | None = None
    context: RawDocuments | None = None
    variables: Mapping[str, RawDocuments] = NOTHING
    max_context_tokens: int | None = None
    prompt: str | None = None
    answer: str | None = None
    citations: tuple[str, ...] | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    first_token_s: float | None = None
    absent: Mapping[Field, Absence] = NOTHING


NO_MEANING: Final = SpanMeaning(dialect="", role=Role.OTHER)
"""A span that no dialect knows: an HTTP handler, a database call."""


class Reading(NamedTuple):
    """One thing that a span could carry; None where it does not, or `absence` says why."""

    value: Any = None
    absence: Absence | None = None


class RawVectors(NamedTuple):
    """What an embedding span carries.

    vectors: a tuple of blocks, (n, d) float64 each, in order. ids: a tuple of texts, one per
    vector. indexed_ids: a tuple of texts.
    """

    vectors: Reading
    ids: Reading
    indexed_ids: Reading


class RawSplit(NamedTuple):
    """What a chunking span carries beside its chunks.

    source: the text of the document. size_limits: as in `Chunking`. spans: per chunk [start,
    end) or None, and fewer where the chunker says none. is_cut: chunks are missing or short.
    """

    source_id: str | None
    source: Reading
    markdown: bool | None
    size_limits: tuple[int | None, int | None] | None
    spans: Sequence[tuple[int, int] | None]
    is_cut: bool
