"""The dialects that spans are written in, each a small module."""

from typing import Final, Protocol

from ragmon.interpret.dialects import openinference, ragmon
from ragmon.interpret.meaning import NO_MEANING, SpanMeaning
from ragmon.model.span import Span

__all__ = ["DIALECTS", "Dialect", "read_span"]


class Dialect(Protocol):
    """One instrumentation's way of writing spans."""

    @property
    def name(self) -> str:
        """The dialect's name in records and reports."""

    def read(self, span: Span) -> SpanMeaning | None:
        """What the span means; None where it is not written in this dialect."""


DIALECTS: Final[tuple[Dialect, ...]] = (ragmon, openinference)
"""In order of precedence: the first that knows a span reads it."""


def read_span(span: Span) -> SpanMeaning:
    """What a span means in the first dialect that knows it, with the annotations on it."""
    for dialect in DIALECTS:
        meaning = dialect.read(span)
        if meaning is not None:
            break
    else:
        meaning = NO_MEANING
    return meaning if meaning.dialect == ragmon.name else ragmon.annotated(span, meaning)
