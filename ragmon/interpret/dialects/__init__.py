"""The dialects that spans are written in, each a small module."""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from ragmon.interpret.dialects import (
    openinference,
    openinference_embeddings,
    ragmon,
    ragmon_indexing,
)
from ragmon.interpret.meaning import NO_MEANING, RawVectors, SpanMeaning
from ragmon.interpret.tree import Node
from ragmon.model.span import Span

__all__ = ["DIALECTS", "Dialect", "carries_vectors", "dialect_of", "read_span", "read_vectors"]


class Dialect(Protocol):
    """One instrumentation's way of writing spans."""

    @property
    def name(self) -> str:
        """The dialect's name in records and reports."""

    def read(self, span: Span) -> SpanMeaning | None:
        """What the span means; None where it is not written in this dialect."""


DIALECTS: Final[tuple[Dialect, ...]] = (ragmon, openinference)
"""In order of precedence: the first that knows a span reads it."""
_RANKS: Final = {dialect.name: rank for rank, dialect in enumerate(DIALECTS)}


def read_span(span: Span) -> SpanMeaning:
    """What a span means in the first dialect that knows it, with the annotations on it."""
    for dialect in DIALECTS:
        meaning = dialect.read(span)
        if meaning is not None:
            break
    else:
        meaning = NO_MEANING
    return meaning if meaning.dialect == ragmon.name else ragmon.annotated(span, meaning)


def dialect_of(nodes: Iterable[Node]) -> str:
    """The dialect of some spans, of several the one that is read first."""
    found = {node.meaning.dialect for node in nodes if node.meaning.dialect}
    return min(found, key=lambda name: _RANKS.get(name, len(_RANKS)), default="")


def carries_vectors(span: Span, dialect: str) -> bool:
    """Whether an embedding span of that dialect has its vectors on it."""
    return _VECTORS[dialect].carries_vectors(span)


def read_vectors(span: Span, dialect: str) -> RawVectors:
    """What an embedding span of that dialect carries."""
    return _VECTORS[dialect].read_vectors(span)


class _Vectors(Protocol):
    """How a dialect writes vectors."""

    def carries_vectors(self, span: Span) -> bool: ...
    def read_vectors(self, span: Span) -> RawVectors: ...


_VECTORS: Final[Mapping[str, _Vectors]] = {
    ragmon.name: ragmon_indexing,
    openinference.name: openinference_embeddings,
}
