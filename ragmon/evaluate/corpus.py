"""The corpus of an evaluation: documents and chunks by id, ready to be looked up by requests."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

from ragmon.errors import InputError
from ragmon.evaluate.chunks import read_document
from ragmon.evaluate.reading import Records, read_rows
from ragmon.evaluate.rows import PIPELINE
from ragmon.evaluate.values import LONGEST_SHOWN, argument, text
from ragmon.metrics.registration import register
from ragmon.metrics.sources import Corpus, packable, place_key, wanted
from ragmon.model.corpus import NO_SOURCES, CorpusDocument, Sources, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.indexing import ChunkedDocument
from ragmon.model.record import Document, RequestRecord
from ragmon.text import Text
from ragmon.text.locate import Place, locate
from ragmon.text.source import Source
from ragmon.text.tokens import joined

_ONLY: Final = "\0source"
"""The id of the one document of which only the text is given; no other document has it."""


class OneSource:
    """The text of the one document that requests take their chunks from."""

    def __init__(self, text: str) -> None:
        self._source = Source(text)
        self._places: dict[str, Place | None] = {}

    @cached_property
    def document(self) -> CorpusDocument:
        """The document as the corpus has it, without chunks."""
        return CorpusDocument(PIPELINE, _ONLY, joined(self._source.words), (), 0)

    def lies(self, key: str, text: Text) -> TokenRange | None:
        """Where a text stands; the key is looked up alone from then on."""
        if key not in self._places:
            self._places[key] = self._locate(text.raw)
        place = self._places[key]
        if place is None:
            return None
        return TokenRange(_ONLY, *self._source.covered(place.start, place.end))

    def _locate(self, raw: str) -> Place | None:
        """The first place of a text: requests tell their chunks in no order of the document."""
        place = locate(self._source, raw)
        if place is None:
            return None
        later = locate(self._source, raw, place.start + 1)
        return place._replace(ambiguous=later is not None and later.start > place.start)

    def is_ambiguous(self, key: str | None) -> bool:
        """Whether a text that was looked up stands in several places; the first was taken."""
        place = None if key is None else self._places.get(key)
        return place is not None and place.ambiguous


class Library:
    """What requests read of the corpus: where chunks lie, and their texts.

    documents: each with its id and its source; no two have a chunk id in common. source: of
    requests whose chunks are texts that are not registered. One caller at a time.
    """

    def __init__(
        self, documents: Iterable[ChunkedDocument] = (), source: OneSource | None = None
    ) -> None:
        self._texts: dict[str, Text] = {}
        registered = [self._register(one) for one in documents]
        self._source = source
        self._corpus = Corpus(registered if source is None else [*registered, source.document])

    def complete(self, chunk: Document) -> Document:
        """A chunk of a request with the text that the corpus has under its id."""
        if chunk.text is not None or chunk.id is None:
            return chunk
        return replace(chunk, text=self._texts.get(chunk.id))

    def sources(self, record: RequestRecord, gold: Gold) -> Sources:
        """What the request reads of the corpus."""
        if self._corpus.empty:
            return NO_SOURCES
        found = self._corpus.sources(wanted(record, gold))
        if self._source is None:
            return found
        places = dict(self._unregistered(record, self._source))
        tokens = {_ONLY: self._source.document.tokens}
        return replace(
            found, chunks={**places, **found.chunks}, documents={**tokens, **found.documents}
        )

    def ambiguous(self, chunks: Iterable[Document]) -> int:
        """How many of the chunks, whose sources were read, stand in several places."""
        source = self._source
        return 0 if source is None else sum(source.is_ambiguous(place_key(one)) for one in chunks)

    def _unregistered(
        self, record: RequestRecord, source: OneSource
    ) -> Iterator[tuple[str, TokenRange | None]]:
        """Where the texts stand whose ids, if they have any, the corpus does not know."""
        for chunk in (*(record.retrieved or ()), *(packable(record) or ())):
            key = place_key(chunk)
            if key is not None and key not in self._texts and chunk.text is not None:
                yield key, source.lies(key, chunk.text)

    def _register(self, document: ChunkedDocument) -> CorpusDocument:
        registered = register(PIPELINE, document, 0)
        if registered is None:
            raise ValueError("a document of the corpus needs a text")
        for chunk in document.chunks:
            if chunk.id is not None:
                self._texts.setdefault(chunk.id, chunk.text)
        return registered


def read_library(corpus: Records | None, source: str | None) -> Library:
    """The corpus of records, a file or a frame of documents; of one source text; of nothing.

    Raises:
        InputError: the source is no text, or a document cannot be read, or has an id that
            stood in another one; it names its place and the field.
    """
    only = None if source is None else OneSource(argument("source", text, source))
    return Library(() if corpus is None else read_corpus(corpus), only)


def read_corpus(corpus: Records) -> Iterator[ChunkedDocument]:
    """The documents of a corpus, each with its text.

    Raises:
        InputError: likewise.
    """
    owners: dict[str, str] = {}
    names: set[str] = set()
    for number, row in enumerate(read_rows(corpus), start=1):
        name, document, _ = read_document(row.fields, row.where, number)
        if document.source is None:
            raise InputError(f"{row.where}: a document of the corpus needs its text")
        check_new(name, names, row.where)
        for chunk in document.chunks:
            if chunk.id is not None and owners.setdefault(chunk.id, name) != name:
                shown = chunk.id[:LONGEST_SHOWN]
                raise InputError(
                    f"{row.where}: the chunk id {shown!r} also stands in another document"
                )
        yield document


def check_new(name: str, names: set[str], where: str) -> None:
    """Take a document's id in; it must be the only one.

    Raises:
        InputError: it is not.
    """
    if name in names:
        raise InputError(f"{where}: a second document has the id {name[:LONGEST_SHOWN]!r}")
    names.add(name)
