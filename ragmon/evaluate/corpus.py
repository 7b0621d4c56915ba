"""The corpus of an evaluation: documents and chunks by id, ready to be looked up by requests."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from ragmon.errors import InputError
from ragmon.evaluate.chunks import read_document
from ragmon.evaluate.places import TextPlaces
from ragmon.evaluate.reading import Records, read_rows
from ragmon.evaluate.rows import PIPELINE
from ragmon.evaluate.values import LONGEST_SHOWN, argument, text
from ragmon.metrics.registration import register
from ragmon.metrics.sources import Corpus, packable, place_key, wanted
from ragmon.model.corpus import NO_SOURCES, CorpusDocument, Sources, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunk, ChunkedDocument
from ragmon.model.record import Document, RequestRecord
from ragmon.text import Text
from ragmon.text.source import Source

_ONLY: Final = "\0source"
"""The id of the one document of which only the text is given: before that of any other."""
_OF_IMPORTS: Final = frozenset(["pipeline", "registered_at"])
"""What a line for `ragmon corpus import` may say besides; here every line is read alike."""


class Library:
    """What requests read of the corpus: where chunks lie, and their texts.

    documents: each with its id and its source; no two have a chunk id in common. source: the
    text of the one document of requests whose chunks are texts that are not registered.
    A text whose id, if it has one, is not known is looked for by itself. One caller at a time.
    """

    def __init__(
        self, documents: Iterable[ChunkedDocument] = (), source: str | None = None
    ) -> None:
        self._texts: dict[str, Text] = {}
        self._sources: dict[str, Source] = {}
        self._places = TextPlaces(self._sources, self._holding)
        registered = [self._register(one) for one in documents]
        self._only = source is not None
        if source is not None:
            registered.append(self._register(ChunkedDocument(_ONLY, Source(source), ())))
        self._corpus = Corpus(registered)

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
        places = dict(self._unregistered((*(record.retrieved or ()), *(packable(record) or ()))))
        ranges = filter(None, places.values())
        tokens = {one.document_id: self._tokens(one.document_id) for one in ranges}
        return replace(
            found, chunks={**places, **found.chunks}, documents={**tokens, **found.documents}
        )

    def ambiguous(self, chunks: Iterable[Document]) -> int:
        """How many of the chunks, told by their texts, stand in several places."""
        found = (self._places.find(told.raw) for _, told in self._told_by_text(chunks))
        return sum(one is not None and one.ambiguous for one in found)

    def _unregistered(self, chunks: Iterable[Document]) -> Iterator[tuple[str, TokenRange | None]]:
        """Where chunks lie that are told by their texts.

        What stands nowhere is not registered; in the only source there is, it has no place.
        """
        for key, told in self._told_by_text(chunks):
            found = self._places.find(told.raw)
            if found is not None or self._only:
                yield key, None if found is None else found.lies

    def _told_by_text(self, chunks: Iterable[Document]) -> Iterator[tuple[str, Text]]:
        for chunk in chunks:
            key = place_key(chunk)
            if key is not None and chunk.text is not None and chunk.id not in self._texts:
                yield key, chunk.text

    def _holding(self, run: str) -> Iterator[str]:
        """The documents that have a run of tokens: the source that was given, then by their ids."""
        return (one.document_id for one in self._corpus.holding(run))

    def _tokens(self, document_id: str) -> str:
        document = self._corpus.registered(document_id, 0)
        assert document is not None
        return document.tokens

    def _register(self, document: ChunkedDocument) -> CorpusDocument:
        registered = register(PIPELINE, document, 0)
        if registered is None or document.source is None:
            raise ValueError("a document of the corpus needs a text")
        self._sources[registered.document_id] = document.source
        lies = dict(registered.chunks)
        for chunk in document.chunks:
            if chunk.id is not None:
                self._texts.setdefault(chunk.id, chunk.text)
                self._places.register(chunk.text, lies[chunk.id])
        return registered


def read_library(corpus: Records | None, source: str | None) -> Library:
    """The corpus of records, a file or a frame of documents; of one source text; of nothing.

    Raises:
        InputError: the source is no text, or a document cannot be read, or has an id that
            stood in another one; it names its place and the field.
    """
    only = None if source is None else argument("source", text, source)
    return Library(() if corpus is None else read_corpus(corpus), only)


def read_corpus(corpus: Records) -> Iterator[ChunkedDocument]:
    """The documents of a corpus, each with its text.

    Raises:
        InputError: likewise.
    """
    owners: dict[str, str] = {}
    names: set[str] = set()
    for number, row in enumerate(read_rows(corpus), start=1):
        fields = {key: one for key, one in row.fields.items() if key not in _OF_IMPORTS}
        name, document, _ = read_document(fields, row.where, number)
        if document.source is None:
            raise InputError(f"{row.where}: a document of the corpus needs its text")
        check_new(name, names, row.where)
        _check_offsets(document.chunks, len(document.source.raw), row.where)
        for chunk in document.chunks:
            if chunk.id is not None and owners.setdefault(chunk.id, name) != name:
                shown = chunk.id[:LONGEST_SHOWN]
                raise InputError(
                    f"{row.where}: the chunk id {shown!r} also stands in another document"
                )
        yield document


def _check_offsets(chunks: Iterable[Chunk], length: int, where: str) -> None:
    """Refuse what an import refuses too: offsets that lie nowhere in their document."""
    for number, chunk in enumerate(chunks, start=1):
        start, end = chunk.span or (0, 0)
        if start > end:
            raise InputError(f"{where}: chunk {number}: start {start} lies after end {end}")
        if end > length:
            raise InputError(
                f"{where}: chunk {number}: end {end} lies outside of the text of {length}"
                " characters"
            )


def check_new(name: str, names: set[str], where: str) -> None:
    """Take a document's id in; it must be the only one.

    Raises:
        InputError: it is not.
    """
    if name in names:
        raise InputError(f"{where}: a second document has the id {name[:LONGEST_SHOWN]!r}")
    names.add(name)
