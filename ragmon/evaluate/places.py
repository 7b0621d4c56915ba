"""Where texts without an id that the corpus knows stand in its documents."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from ragmon.model.corpus import TokenRange
from ragmon.text import Text
from ragmon.text.locate import Place, locate
from ragmon.text.source import Source
from ragmon.text.tokens import joined, word_spans

Holding = Callable[[str], Iterable[str]]
"""The documents that have a run of joined tokens, by their ids, in order."""


class Found(NamedTuple):
    """Where a text stands; ambiguous: elsewhere too, and the first place was taken."""

    lies: TokenRange | None
    ambiguous: bool = False


class TextPlaces:
    """Places of texts, each looked for once: an equal chunk, else in the documents.

    sources: document id -> its text. holding: narrows the documents down. Requests tell
    their chunks in no order of the document, so the first place counts. One caller at a time.
    """

    def __init__(self, sources: Mapping[str, Source], holding: Holding) -> None:
        self._sources = sources
        self._holding = holding
        self._found: dict[str, Found | None] = {}

    def register(self, text: Text, lies: TokenRange | None) -> None:
        """Take in a chunk of the corpus; of equal ones the first is meant."""
        known = self._found.get(text.raw)
        self._found[text.raw] = Found(lies) if known is None else known._replace(ambiguous=True)

    def find(self, raw: str) -> Found | None:
        """Where a text stands; None where no document has it."""
        if raw not in self._found:
            self._found[raw] = self._look(raw)
        return self._found[raw]

    def _look(self, raw: str) -> Found | None:
        places = self._places(raw)
        first = next(places, None)
        if first is None:
            return None
        document, place = first
        lies = TokenRange(document, *self._sources[document].covered(place.start, place.end))
        return Found(lies, place.ambiguous or next(places, None) is not None)

    def _places(self, raw: str) -> Iterator[tuple[str, Place]]:
        for document in self._holding(_inner(raw)):
            place = _first(self._sources[document], raw)
            if place is not None:
                yield document, place


def _inner(raw: str) -> str:
    """The joined words that are whole wherever the text stands: the outer ones may be cut."""
    spans = word_spans(raw)
    inner = [word for word, start, end in spans if start > 0 and end < len(raw)]
    return joined(inner or [word for word, _, _ in spans])


def _first(source: Source, raw: str) -> Place | None:
    place = locate(source, raw)
    if place is None:
        return None
    later = locate(source, raw, place.start + 1)
    return place._replace(ambiguous=later is not None and later.start > place.start)
