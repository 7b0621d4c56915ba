"""A document as the source of its chunks: its tokens, and where they stand."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from ragmon.text.text import Text
from ragmon.text.tokens import word_edges

Span: TypeAlias = tuple[int, int]
"""Code points [start, end) of a source."""

_SOLID = re.compile(r"\S+")


class Source:
    """The text of one document; tokenised once, when first asked. One caller at a time.

    raw: the text as given. Offsets are code points of it.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw

    @cached_property
    def text(self) -> Text:
        """The same text with its views."""
        return Text(self.raw)

    @property
    def words(self) -> tuple[str, ...]:
        """Every word token, in order."""
        return self.text.words

    @cached_property
    def starts(self) -> "array[int]":
        """Start of every token."""
        return self._edges[::2]

    @cached_property
    def ends(self) -> "array[int]":
        """End of every token."""
        return self._edges[1::2]

    @cached_property
    def places(self) -> Mapping[str, "array[int]"]:
        """Word -> the tokens that are this word, ascending."""
        found: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        for at, word in enumerate(self.words):
            found[word].append(at)
        found.default_factory = None
        return found

    def covered(self, start: int, end: int) -> tuple[int, int]:
        """The tokens [first, end) that lie wholly inside a span; first = end for none."""
        first = bisect_left(self.starts, start)
        return first, max(first, bisect_right(self.ends, end))

    def touched(self, start: int, end: int) -> tuple[int, int]:
        """The tokens [first, end) of which a span holds at least one character."""
        first = bisect_right(self.ends, start)
        last = bisect_left(self.starts, end) if start < end else first
        return first, max(first, last)

    def tight(self, start: int, end: int) -> Span | None:
        """A span without what stands around its token characters; None if it has none.

        Two spans share a token character just where their tight spans overlap.
        """
        first, last = self.touched(start, end)
        if first == last:
            return None
        return max(start, self.starts[first]), min(end, self.ends[last - 1])

    def trimmed(self, end: int) -> int:
        """An end moved back over white space; 0 where nothing else stands before it."""
        run = bisect_left(self._solid_starts, end) - 1
        return min(end, self._solid_ends[run]) if run >= 0 else 0

    def from_token(self, word: str, first: int) -> Iterator[int]:
        """The tokens that are this word, from token `first` on."""
        places = self.places.get(word, ())
        for at in range(bisect_left(places, first), len(places)):
            yield places[at]

    @cached_property
    def _edges(self) -> "array[int]":
        return array("q", chain.from_iterable(word_edges(self.raw)))

    @cached_property
    def _solid_starts(self) -> "array[int]":
        return array("q", (run.start() for run in _SOLID.finditer(self.raw)))

    @cached_property
    def _solid_ends(self) -> "array[int]":
        return array("q", (run.end() for run in _SOLID.finditer(self.raw)))
