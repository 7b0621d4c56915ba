"""Which chunks of a document hold or touch a part of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from ragmon.text.source import Source, Span


class SpanMatch(NamedTuple):
    """How one part of a document lies in the chunks.

    whole: one chunk covers all of its tokens. touched: chunks that hold any character of them.
    """

    whole: bool
    touched: int


class ChunkCover:
    """The located chunks of one document, sorted so that each question costs a bisection.

    spans: (n,) [start, end) in code points; None where a chunk was not located.
    """

    def __init__(self, source: Source, spans: Sequence[Span | None]) -> None:
        self._source = source
        located = [span for span in spans if span is not None]
        self._ranges = sorted(source.covered(*span) for span in located)
        self._reach = list(accumulate((end for _, end in self._ranges), max))
        tight = [one for one in (source.tight(*span) for span in located) if one is not None]
        self._starts = sorted(start for start, _ in tight)
        self._ends = sorted(end for _, end in tight)

    @property
    def tokens(self) -> int:
        """Number of the document's tokens that lie wholly in at least one chunk."""
        return covered_tokens(self._ranges)

    def match(self, start: int, end: int) -> SpanMatch | None:
        """How the part [start, end) lies in the chunks; None if it has no token."""
        tight = self._source.tight(start, end)
        if tight is None:
            return None
        first, last = self._source.covered(start, end)
        if first == last:  # it lies within one word
            first, last = self._source.touched(start, end)
        return SpanMatch(self._holds(first, last), self._touching(*tight))

    def _holds(self, first: int, end: int) -> bool:
        before = bisect_right(self._ranges, first, key=lambda one: one[0])
        return before > 0 and self._reach[before - 1] >= end

    def _touching(self, start: int, end: int) -> int:
        return bisect_left(self._starts, end) - bisect_right(self._ends, start)


def covered_tokens(ranges: Iterable[tuple[int, int]]) -> int:
    """Number of tokens in at least one of the ranges [first, end), sorted by their first.

    >>> covered_tokens([(0, 3), (2, 5), (7, 8)])
    6
    """
    total = reached = 0
    for first, end in ranges:
        total += max(0, end - max(first, reached))
        reached = max(reached, end)
    return total
