"""The corpus of an evaluation: documents and chunks by id, ready to be looked up by requests."""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from ragmon.evaluate.chunks import read_document
from ragmon.evaluate.reading import Records, read_rows
from ragmon.evaluate.rows import PIPELINE
from ragmon.metrics.sources import Corpus, wanted
from ragmon.model.corpus import NO_SOURCES, CorpusDocument, Sources, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.indexing import ChunkedDocument
from ragmon.model.record import Document, RequestRecord
from ragmon.text import Text
from ragmon.text.locate import locate, locate_all
from ragmon.text.source import Source
from ragmon.text.tokens import joined

_ONLY: Final = "source"
"""The id of the one document where only its text is given."""


class Library:
    """What requests read of the corpus: where chunks lie, and their texts.

    documents: each with its source. source: the text of the one document of requests that
    give their chunks as texts instead of ids. One caller at a time.
    """

    def __init__(
        self, documents: Iterable[ChunkedDocument] = (), source: str | None = None
    ) -> None:
        self._texts: dict[str, Text] = {}
        registered = [self._register(one) for one in documents]
        self._source = None if source is None else Source(source)
        if self._source is not None:
            tokens = joined(self._source.words)
            registered.append(CorpusDocument(PIPELINE, _ONLY, tokens, (), 0))
        self._corpus = Corpus(registered)
        self._places: dict[str, TokenRange | None] = {}
        self.ambiguous = 0

    def completed(self, record: RequestRecord) -> RequestRecord:
        """The request with the texts of those of its chunks that the corpus knows by id."""
        if not self._texts and self._source is None:
            return record
        return replace(
            record,
            retrieved=self._complete(record.retrieved),
            reranked=self._complete(record.reranked),
            context=self._complete(record.context),
        )

    def sources(self, record: RequestRecord, gold: Gold) -> Sources:
        """What the request reads of the corpus."""
        if self._corpus.empty:
            return NO_SOURCES
        needed = wanted(record, gold)
        found = self._corpus.sources(needed)
        if self._source is None:
            return found
        own = {one: self._places[one] for one in needed.chunk_ids if one in self._places}
        tokens = {_ONLY: joined(self._source.words)}
        return replace(
            found, chunks={**own, **found.chunks}, documents={**tokens, **found.documents}
        )

    def _register(self, document: ChunkedDocument) -> CorpusDocument:
        source = document.source
        if source is None or document.document_id is None:
            raise ValueError("a document of the corpus needs an id and a text")
        spans = locate_all(source, [(one.text.raw, one.span) for one in document.chunks]).spans
        chunks: dict[str, TokenRange | None] = {}
        for chunk, span in zip(document.chunks, spans, strict=True):
            if chunk.id is not None:
                place = span and TokenRange(document.document_id, *source.covered(*span))
                chunks.setdefault(chunk.id, place)
                self._texts.setdefault(chunk.id, chunk.text)
        tokens = joined(source.words)
        return CorpusDocument(PIPELINE, document.document_id, tokens, tuple(chunks.items()), 0)

    def _complete(self, documents: tuple[Document, ...] | None) -> tuple[Document, ...] | None:
        return None if documents is None else tuple(map(self._complete_one, documents))

    def _complete_one(self, document: Document) -> Document:
        if document.text is None and document.id is not None:
            return replace(document, text=self._texts.get(document.id))
        if document.id is None and document.text is not None and self._source is not None:
            return replace(document, id=self._place(document.text))
        return document

    def _place(self, text: Text) -> str:
        """Find a text in the one source; the id it is known by from then on."""
        chunk_id = blake2b(text.raw.encode(errors="surrogatepass"), digest_size=16).hexdigest()
        if chunk_id not in self._places and self._source is not None:
            place = locate(self._source, text.raw)
            self.ambiguous += place is not None and place.ambiguous
            covered = place and self._source.covered(place.start, place.end)
            self._places[chunk_id] = None if covered is None else TokenRange(_ONLY, *covered)
        return chunk_id


def read_library(corpus: Records | None, source: str | None) -> Library:
    """The corpus of records, a file or a frame of documents; of one source text; of nothing.

    Raises:
        InputError: a document cannot be read; it names its place and the field.
    """
    documents: Iterable[ChunkedDocument] = ()
    if corpus is not None:
        documents = [read_document(row.fields, row.where).document for row in read_rows(corpus)]
    return Library(documents, source)
