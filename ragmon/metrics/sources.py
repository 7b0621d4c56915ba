"""What one request reads of the corpus: what it asks for, and what it is given.

Of several registrations of a chunk a request reads the newest that is not later than itself,
else the oldest later one. Its document is read as of that registration. Where the chunks of
one request come from different registrations of a document, and its tokens changed between
them, the newest keeps the document's id and each older one is another document, named
`{document_id}@{registered_ns}`. Evidence is looked for in the newest.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

from ragmon.metrics.input import WordRule
from ragmon.model.corpus import CorpusDocument, Sources, TokenRange, Wanted
from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import ContextSource, Document, RequestRecord
from ragmon.text.tokens import joined, word_tokens

_T = TypeVar("_T")

_PLACES: Final = frozenset(["document", "source"])
"""What evidence may say about where it stands."""


def wanted(record: RequestRecord, gold: Gold, words: WordRule = word_tokens) -> Wanted:
    """What the metrics of a request need of the corpus; each name once, in its first place.

    words: the rule by which the corpus's documents were made tokens.
    """
    chunks = (record.retrieved or ()) + (packable(record) or ())
    evidence = gold.expected_evidence or ()
    runs = [joined(words(entry["text"])) for entry in evidence if entry.keys().isdisjoint(_PLACES)]
    return Wanted(
        pipeline=record.pipeline,
        event_ns=record.event_ns,
        chunk_ids=_distinct(chunk.id for chunk in chunks if chunk.id is not None),
        documents=_distinct(entry["document"] for entry in evidence if "document" in entry),
        evidence=_distinct(run for run in runs if run != joined(())),
    )


def packable(record: RequestRecord) -> tuple[Document, ...] | None:
    """The chunks of the context; None where it was read from the prompt, which has none."""
    return None if record.context_source is ContextSource.PROMPT else record.context


def place_key(document: Document) -> str | None:
    """What a request's chunk is looked up by: its id, else its text; None if neither is known.

    A live corpus has entries under ids only.
    """
    if document.id is not None or document.text is None:
        return document.id
    return f"\0{document.text.identity}"


def ranges_of(
    keys: Iterable[str | None], sources: Sources
) -> tuple[TokenRange | None, ...] | NotMeasured:
    """Where each chunk lies, None where that is not known; missing if one is not registered."""
    ranges = []
    for key in keys:
        if key is None or key not in sources.chunks:
            return NotMeasured(Kind.MISSING, "source")
        ranges.append(sources.chunks[key])
    return tuple(ranges)


def sources_of(documents: Iterable[CorpusDocument], needed: Wanted) -> Sources:
    """What one request is given of registered documents, in whatever order they came."""
    return Corpus(one for one in documents if one.pipeline == needed.pipeline).sources(needed)


class _Entry(NamedTuple):
    """A corpus entry: where one registration of a document has a chunk."""

    document: CorpusDocument
    lies: TokenRange | None


class Corpus:
    """The registrations of one pipeline, ready to be read by many requests.

    Of two registrations of a chunk at one time that of the greater document id counts as
    the newer; a chunk id that one registration has twice keeps its first place. One caller
    at a time.
    """

    def __init__(self, documents: Iterable[CorpusDocument]) -> None:
        self._ordered = sorted(documents, key=lambda one: (one.document_id, one.registered_ns))
        self._registrations: defaultdict[str, list[CorpusDocument]] = defaultdict(list)
        self._entries: defaultdict[str, list[_Entry]] = defaultdict(list)
        for document in self._ordered:
            self._registrations[document.document_id].append(document)
            for chunk_id, lies in document.chunks:
                self._entries[chunk_id].append(_Entry(document, lies))

    def sources(self, needed: Wanted) -> Sources:
        """What a request is given of this corpus.

        A document comes with its tokens where a chunk that was asked for is registered with
        it, located or not, or where evidence names it or is found in it. Evidence without a
        document is in the one with the smallest id that holds it; without any registered
        document there is no word about it.
        """
        return _Reading(self, needed).sources

    def registered(self, document_id: str, event_ns: int) -> CorpusDocument | None:
        """The registration of a document that a request at this time reads."""
        return _valid(self._registrations.get(document_id, ()), event_ns, _order)

    def entry(self, chunk_id: str, event_ns: int) -> _Entry | None:
        """The entry of a chunk that a request at this time reads."""
        found = self._entries.get(chunk_id, ())
        return _valid(found, event_ns, lambda entry: _order(entry.document))

    def holding(self, run: str) -> Iterator[CorpusDocument]:
        """The registrations that hold a run of tokens, by their document's id."""
        rarest = min([self._places.get(word, []) for word in run.split()], key=len, default=[])
        return (document for document in rarest if run in document.tokens)

    @property
    def empty(self) -> bool:
        """Whether nothing is registered."""
        return not self._ordered

    @cached_property
    def _places(self) -> Mapping[str, list[CorpusDocument]]:
        """Word -> the registrations that have it."""
        places: defaultdict[str, list[CorpusDocument]] = defaultdict(list)
        for document in self._ordered:
            for word in set(document.tokens.split()):
                places[word].append(document)
        return places


class _Reading:
    """One request's reading of a corpus: each document as of one registration."""

    def __init__(self, corpus: Corpus, needed: Wanted) -> None:
        self._corpus = corpus
        self._needed = needed
        found = {one: corpus.entry(one, needed.event_ns) for one in needed.chunk_ids}
        self._entries = {one: entry for one, entry in found.items() if entry is not None}
        by_age = sorted((entry.document for entry in self._entries.values()), key=_order)
        self._newest = {document.document_id: document for document in by_age}

    @property
    def sources(self) -> Sources:
        """What the request is given."""
        chunks = {one: self._located(entry) for one, entry in self._entries.items()}
        evidence = {} if self._corpus.empty else self._evidence()
        documents = {
            self._name(entry.document): entry.document.tokens for entry in self._entries.values()
        }
        for name in filter(None, [*self._needed.documents, *evidence.values()]):
            document = self._version(name)
            if document is not None:
                documents[name] = document.tokens
        return Sources(chunks, documents, evidence)

    def _located(self, entry: _Entry) -> TokenRange | None:
        if entry.lies is None:
            return None
        return entry.lies._replace(document_id=self._name(entry.document))

    def _name(self, document: CorpusDocument) -> str:
        newest = self._newest[document.document_id]
        if document.tokens == newest.tokens:
            return document.document_id
        return f"{document.document_id}@{document.registered_ns}"

    def _version(self, document_id: str) -> CorpusDocument | None:
        """The registration in which evidence is looked for."""
        chosen = self._newest.get(document_id)
        return chosen or self._corpus.registered(document_id, self._needed.event_ns)

    def _evidence(self) -> dict[str, str | None]:
        return {run: self._holder(run) for run in self._needed.evidence}

    def _holder(self, run: str) -> str | None:
        holders = (
            document.document_id
            for document in self._corpus.holding(run)
            if document is self._version(document.document_id)
        )
        return next(holders, None)


def _order(document: CorpusDocument) -> tuple[int, str]:
    return document.registered_ns, document.document_id


def _valid(found: Sequence[_T], event_ns: int, order: Callable[[_T], tuple[int, str]]) -> _T | None:
    """The newest that is not later than a request, else the oldest later one."""
    past = [one for one in found if order(one)[0] <= event_ns]
    return max(past, key=order) if past else min(found, key=order, default=None)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
