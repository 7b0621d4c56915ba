"""Positions: how much of the tokens of one set lies in another, by the ranges they stand in.

A set is given as ranges of tokens that may overlap, repeat and lie in several documents;
None is a chunk that could not be located, which has no tokens. Only ranges are ever sorted,
so that the cost does not grow with the length of a chunk.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ragmon.model.corpus import TokenRange
from ragmon.text.tokens import joined

Ranges: TypeAlias = Sequence[TokenRange | None]


def covered(ranges: Iterable[TokenRange | None]) -> int:
    """How many different tokens the ranges hold.

    >>> covered([TokenRange("d", 0, 4), None, TokenRange("d", 2, 6), TokenRange("e", 0, 1)])
    7
    """
    tokens = reached = 0
    document = None
    for name, first, end in sorted(filter(None, ranges)):
        if name != document:
            document, reached = name, 0
        tokens += max(0, end - max(first, reached))
        reached = max(reached, end)
    return tokens


def shared(one: Ranges, other: Ranges) -> int:
    """How many different tokens both sets of ranges hold.

    >>> shared([TokenRange("d", 0, 4)], [TokenRange("d", 2, 3), TokenRange("d", 2, 6)])
    2
    """
    return covered(one) + covered(other) - covered([*one, *other])


def whole(span: TokenRange, chunks: Ranges) -> bool:
    """Whether all tokens of a span stand in one of the chunks."""
    return any(
        chunk.document_id == span.document_id
        and chunk.first <= span.first
        and span.end <= chunk.end
        for chunk in chunks
        if chunk is not None
    )


def meets(chunk: TokenRange | None, spans: Iterable[TokenRange]) -> bool:
    """Whether a chunk holds at least one token of the spans."""
    return chunk is not None and any(
        chunk.document_id == span.document_id
        and max(chunk.first, span.first) < min(chunk.end, span.end)
        for span in spans
    )


def find(words: Sequence[str], document_id: str, tokens: str) -> TokenRange | None:
    """The first place where a document has these words in a row, None where it has not.

    words: at least one. tokens: those of the document, as `text.tokens.joined` gives them.

    >>> find(("b", "c"), "d", " a b b c ")
    TokenRange(document_id='d', first=2, end=4)
    """
    at = tokens.find(joined(words))
    if at < 0:
        return None
    first = tokens.count(" ", 0, at)
    return TokenRange(document_id, first, first + len(words))
