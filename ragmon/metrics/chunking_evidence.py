"""In which of the split documents each piece of gold evidence stands."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ragmon.model.indexing import ChunkedDocument
from ragmon.text.locate import Place, locate_evidence
from ragmon.text.source import Source
from ragmon.text.tokens import word_tokens

_WIDTH: Final = 4
"""Evidence is looked for by its first words, so many at most."""


class Found(NamedTuple):
    """Evidence that stands in a document: the document's index, and its place there."""

    document: int
    place: Place


def find_evidence(
    documents: Sequence[ChunkedDocument], evidence: Sequence[Mapping[str, str]]
) -> list[Found | None]:
    """Per entry where its text stands; None where it does not.

    An entry with `document` belongs to the first document of that id, one without to the
    first document that has its words, else to the first that has it within its words.
    """
    sources = {at: one.source for at, one in enumerate(documents) if one.source is not None}
    by_id: dict[str | None, int] = {}
    for at in sources:
        by_id.setdefault(documents[at].document_id, at)
    free = {entry["text"] for entry in evidence if entry.get("document") is None}
    by_text = _by_words(sources, {text: word_tokens(text) for text in free}, cut=False)
    rest = {text: word_tokens(text)[1:-1] for text in free - by_text.keys()}
    by_text |= _by_words(sources, rest, cut=True)
    for text in free - by_text.keys():
        by_text[text] = None if rest[text] else _within_words(sources, text)
    return [
        by_text[entry["text"]]
        if entry.get("document") is None
        else _named(sources, by_id.get(entry["document"]), entry["text"])
        for entry in evidence
    ]


def _named(sources: Mapping[int, Source], at: int | None, text: str) -> Found | None:
    return None if at is None else _found(at, sources[at], text, cut=True)


def _by_words(
    sources: Mapping[int, Source], texts: Mapping[str, tuple[str, ...]], *, cut: bool
) -> dict[str, Found | None]:
    """Text -> the first document that has it; one pass over all words of the corpus.

    texts: each with the words by which it is looked for.
    """
    wanted: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for text, words in texts.items():
        wanted[words[:_WIDTH]].append(text)
    widths = {len(begin) for begin in wanted if begin}
    first: dict[str, Found | None] = {}
    for at, source in sources.items():
        for begin in _begins(source.words, widths, wanted):
            for text in wanted[begin]:
                found = _found(at, source, text, cut=cut)
                if found is not None:
                    first[text] = found
            wanted[begin] = [text for text in wanted[begin] if text not in first]
            if not wanted[begin]:
                del wanted[begin]
    return first


def _begins(
    words: tuple[str, ...], widths: set[int], wanted: Mapping[tuple[str, ...], list[str]]
) -> set[tuple[str, ...]]:
    """The beginnings that are wanted and that a document has."""
    runs = (zip(*(words[at:] for at in range(width)), strict=False) for width in widths)
    return {run for each in runs for run in filter(wanted.__contains__, each)}


def _within_words(sources: Mapping[int, Source], text: str) -> Found | None:
    bare = text.strip()
    holders: Iterator[int] = (at for at, source in sources.items() if bare in source.raw)
    found = (_found(at, sources[at], bare, cut=True) for at in holders)
    return next(filter(None, found), None) if bare else None


def _found(at: int, source: Source, text: str, *, cut: bool) -> Found | None:
    place = locate_evidence(source, text, cut=cut)
    return None if place is None else Found(at, place)
