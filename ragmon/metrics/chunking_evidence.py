"""In which of the split documents each piece of gold evidence stands."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ragmon.model.indexing import ChunkedDocument
from ragmon.text.locate import Place, locate_evidence
from ragmon.text.source import Source
from ragmon.text.tokens import word_tokens


class Found(NamedTuple):
    """Evidence that stands in a document: the document's index, and its place there."""

    document: int
    place: Place


def find_evidence(
    documents: Sequence[ChunkedDocument], evidence: Iterable[Mapping[str, str]]
) -> list[Found | None]:
    """Per entry where its text stands; None where it does not.

    An entry with `document` belongs to the first document of that id, one without to the
    first document that has its words, else to the first that has it within its words.
    """
    corpus = _Corpus(documents)
    return [corpus.find(entry.get("text", ""), entry.get("document")) for entry in evidence]


class _Corpus:
    """The documents that have a source, with an index of their words."""

    def __init__(self, documents: Sequence[ChunkedDocument]) -> None:
        self._sources = {
            at: document.source
            for at, document in enumerate(documents)
            if document.source is not None
        }
        self._by_id: dict[str | None, int] = {}
        for at in self._sources:
            self._by_id.setdefault(documents[at].document_id, at)

    def find(self, text: str, document_id: str | None) -> Found | None:
        """Where a text stands, in the named document or in the first that has it."""
        if document_id is not None:
            at = self._by_id.get(document_id)
            return None if at is None else _found(at, self._sources[at], text, cut=True)
        by_words = (_found(at, self._sources[at], text, cut=False) for at in self._with_words(text))
        whole = next(filter(None, by_words), None)
        return whole or next(filter(None, self._cut(text)), None)

    def _with_words(self, text: str) -> Sequence[int]:
        """The documents that have the rarest word of a text."""
        words = word_tokens(text)
        return min((self._holders.get(word, ()) for word in words), key=len, default=())

    def _cut(self, text: str) -> Iterable[Found | None]:
        bare = text.strip()
        for at, source in self._sources.items():
            if bare and bare in source.raw:
                yield _found(at, source, text, cut=True)

    @cached_property
    def _holders(self) -> Mapping[str, Sequence[int]]:
        """Word -> the documents that have it, in order."""
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for at, source in self._sources.items():
            for word in source.places:
                holders[word].append(at)
        return holders


def _found(at: int, source: Source, text: str, *, cut: bool) -> Found | None:
    place = locate_evidence(source, text, cut=cut)
    return None if place is None else Found(at, place)
