"""Where chunks and evidence stand in their source.

What is looked for is tried only where its rarest word stands, so that the cost does not grow
with the length of the source for each text that is not there.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from ragmon.text.source import Source, Span
from ragmon.text.tokens import word_spans

_NEAR: Final = 1024
"""So far from the cursor a plain search is quicker than to look for words."""
_COMMON: Final = 8192
"""A plain search passes so many characters while one place of a word is tried."""


class Place(NamedTuple):
    """Where a text stands. ambiguous: it stands elsewhere too, and nothing told which is meant."""

    start: int
    end: int
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Located:
    """The chunks of one document in its source.

    spans: (n,) each [start, end) in code points, None where the chunk was not found. unlocated:
    number of those. offset_mismatch: chunks whose own offsets lie outside of the source or
    hold another text. ambiguous: chunks out of order whose text stands in several places.
    """

    spans: tuple[Span | None, ...]
    unlocated: int
    offset_mismatch: int
    ambiguous: int


class _Sought(NamedTuple):
    """A text that is looked for, with its words and their places in it."""

    raw: str
    words: tuple[tuple[str, int, int], ...]

    @property
    def whole(self) -> list[tuple[str, int, int]]:
        """The words that are whole wherever this text stands; the outer ones may be cut."""
        last = len(self.raw)
        return [word for word in self.words if word[1] > 0 and word[2] < last]


_Look: TypeAlias = Callable[[Source, _Sought, int], Span | None]


def locate_all(source: Source, chunks: Iterable[tuple[str, Span | None]]) -> Located:
    """Locate chunks in the order of their document.

    chunks: each its text and its own offsets, if any. Offsets inside the source are trusted,
    also where they hold another text. Without them the exact text counts, at or after the
    start of the chunk before plus one, else from the beginning of the source; then its word
    tokens, likewise.

    >>> locate_all(Source("go stop. Go stop"), [("go stop", None), ("GO STOP", None)]).spans
    ((0, 7), (9, 16))
    """
    spans: list[Span | None] = []
    mismatches = ambiguous = cursor = 0
    for text, offsets in chunks:
        trusted = offsets is not None and 0 <= offsets[0] <= offsets[1] <= len(source.raw)
        mismatches += offsets is not None and not (trusted and _holds(source, offsets, text))
        place = Place(*offsets) if offsets and trusted else locate(source, text, cursor)
        spans.append(place and (place.start, place.end))
        if place is not None:
            ambiguous += place.ambiguous
            cursor = place.start + 1
    return Located(tuple(spans), spans.count(None), mismatches, ambiguous)


def locate(source: Source, text: str, cursor: int = 0) -> Place | None:
    """Where a text stands, in order from `cursor`; None where it does not, or is blank.

    >>> locate(Source("one two, ONE two"), "one TWO", cursor=1)
    Place(start=9, end=16, ambiguous=False)
    """
    if not text or text.isspace():
        return None
    sought = _Sought(text, word_spans(text))
    for look in (_exact, _same_words):
        found = look(source, sought, cursor)
        if found is not None:
            return Place(*found)
        found = look(source, sought, 0) if cursor else None
        if found is not None:
            return Place(*found, ambiguous=_again(look, source, sought, found))
    return None


def locate_evidence(source: Source, text: str, *, cut: bool = True) -> Place | None:
    """Where gold text stands: its words, best letter by letter; None where they do not.

    cut: failing that, also where it begins or ends within a word.

    >>> locate_evidence(Source("start, Art, art"), "art")
    Place(start=12, end=15, ambiguous=True)
    """
    bare = text.strip()
    sought = _Sought(bare, word_spans(bare))
    if not sought.words:
        return None
    runs = [_span(source, run, len(sought.words)) for run in _runs(source, sought, 0)]
    if not runs:
        found = _exact(source, sought, 0) if cut else None
        return found and Place(*found, ambiguous=_again(_exact, source, sought, found))
    offset = sought.words[0][1]
    exact = (run for run in runs if _stands_at(source, sought.raw, run[0] - offset))
    return Place(*next(exact, runs[0]), ambiguous=len(runs) > 1)


def _holds(source: Source, offsets: Span, text: str) -> bool:
    start, end = offsets
    return end - start == len(text) and source.raw.startswith(text, start)


def _stands_at(source: Source, text: str, start: int) -> bool:
    return start >= 0 and source.raw.startswith(text, start)


def _again(look: _Look, source: Source, sought: _Sought, found: Span) -> bool:
    return look(source, sought, found[0] + 1) is not None


def _exact(source: Source, sought: _Sought, cursor: int) -> Span | None:
    """The first place at or after the cursor that holds the text letter by letter."""
    start = source.raw.find(sought.raw, cursor, cursor + _NEAR + len(sought.raw))
    if start < 0:
        start = _exact_by_words(source, sought, cursor)
    return None if start < 0 else (start, start + len(sought.raw))


def _exact_by_words(source: Source, sought: _Sought, cursor: int) -> int:
    rarest = min(sought.whole, key=lambda one: _count(source, one[0]), default=None)
    if rarest is None or _count(source, rarest[0]) * _COMMON > len(source.raw):
        return source.raw.find(sought.raw, cursor)
    word, offset, _ = rarest
    first = bisect_left(source.starts, cursor + offset)
    starts = (source.starts[at] - offset for at in source.from_token(word, first))
    return next((start for start in starts if source.raw.startswith(sought.raw, start)), -1)


def _same_words(source: Source, sought: _Sought, cursor: int) -> Span | None:
    """The first place at or after the cursor that has the same word tokens."""
    run = next(_runs(source, sought, cursor), None)
    return None if run is None else _span(source, run, len(sought.words))


def _runs(source: Source, sought: _Sought, cursor: int) -> Iterator[int]:
    """The tokens from which on the source has the same words, in order."""
    words = tuple([word for word, _, _ in sought.words])
    if not words:
        return
    ahead = min(range(len(words)), key=lambda at: _count(source, words[at]))
    first = bisect_left(source.starts, cursor) + ahead
    last = len(source.words) - len(words)
    for at in source.from_token(words[ahead], first):
        run = at - ahead
        if run > last:
            return
        if source.words[run : run + len(words)] == words:
            yield run


def _span(source: Source, run: int, length: int) -> Span:
    return source.starts[run], source.ends[run + length - 1]


def _count(source: Source, word: str) -> int:
    return len(source.places.get(word, ()))
