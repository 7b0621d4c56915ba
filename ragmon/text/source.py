"""A document as the source of its chunks: its tokens, and where texts stand in it."""

from bisect import bisect_left, bisect_right
from functools import cached_property

from ragmon.text.text import Text
from ragmon.text.tokens import word_spans


class Source:
    """The text of one document; tokenised once, when first asked.

    raw: the text as given. Offsets are code points of it.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw

    @cached_property
    def text(self) -> Text:
        """The same text with its views."""
        return Text(self.raw)

    @cached_property
    def spans(self) -> tuple[tuple[str, int, int], ...]:
        """(token, start, end) of every word token."""
        return tuple(word_spans(self.raw))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Start of every token."""
        return tuple(start for _, start, _ in self.spans)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """End of every token."""
        return tuple(end for _, _, end in self.spans)

    def covered(self, start: int, end: int) -> tuple[int, int]:
        """The tokens [first, end) that lie wholly inside a span; first = end for none."""
        first = bisect_left(self.starts, start)
        return first, max(first, bisect_right(self.ends, end))

    def touched(self, start: int, end: int) -> tuple[int, int]:
        """The tokens [first, end) of which a span holds at least one character."""
        first = bisect_right(self.ends, start)
        return first, max(first, bisect_left(self.starts, end))
