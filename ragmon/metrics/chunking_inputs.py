"""What a metric of split documents can ask for, and how each input is read."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from ragmon.metrics.chunk_cover import ChunkCover, SpanMatch
from ragmon.metrics.chunking_evidence import find_evidence
from ragmon.metrics.input import ChunkingFacts, Input, read_input
from ragmon.metrics.spec import Needs
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunk, ChunkedDocument
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.text.blocks import blocks, looks_like_html
from ragmon.text.locate import Located, locate_all
from ragmon.text.source import Source

Documents: TypeAlias = tuple[ChunkedDocument, ...]


class Coverage(NamedTuple):
    """The tokens of one document: of its source, of all chunk texts, and those covered."""

    source: int
    chunks: int
    covered: int


class Boundaries(NamedTuple):
    """Where chunks end in one document, in code points; its own end is none of them."""

    predicted: frozenset[int]
    ideal: frozenset[int]


def expected_chunks(document: ChunkedDocument, gold: Gold) -> Located | None:
    """The ideal chunks in the source of a document; None without a source or without them."""
    if document.source is None or gold.expected_chunks is None:
        return None
    return locate_all(document.source, ((text, None) for text in gold.expected_chunks))


def is_markdown(document: ChunkedDocument, source: Source) -> bool:
    """Whether a document is Markdown: as was said, else unless it is a web page."""
    return not looks_like_html(source.raw) if document.markdown is None else document.markdown


def _of_documents(read: Callable[[Documents, ChunkingFacts], object], needs: Needs) -> Input:
    """Read from the documents of a run; missing where they were not captured."""

    def checked(facts: ChunkingFacts) -> object:
        documents = facts.run.documents
        if documents is None:
            return read_input("documents", _DOCUMENTS, facts)
        return read(documents, facts)

    return Input(checked, "documents", needs)


def _of_sources(
    read: Callable[[Documents, ChunkingFacts], object], needs: Needs = Needs.LABEL_FREE
) -> Input:
    """Read from the documents whose source is known; missing where there is none."""

    def checked(documents: Documents, facts: ChunkingFacts) -> object:
        known = tuple([one for one in documents if one.source is not None])
        return read(known, facts) if known else read_input("source", _NO_SOURCE, facts)

    return _of_documents(checked, needs)


_DOCUMENTS: Final = Input(lambda facts: facts.run.documents, "documents")
_NO_SOURCE: Final = Input(lambda _facts: None, "source")


def _of_chunks(field: str, needs: Needs) -> Input:
    """A field of every chunk, by document; missing where no chunk has it."""
    value_of: Callable[[Chunk], Any] = attrgetter(field)

    def read(documents: Documents, _facts: ChunkingFacts) -> object:
        found = tuple(tuple(map(value_of, document.chunks)) for document in documents)
        return found if any(one is not None for values in found for one in values) else None

    return _of_documents(read, needs)


def _chunk_sizes(documents: Documents, _facts: ChunkingFacts) -> tuple[int, ...]:
    return tuple([len(chunk.text.words) for one in documents for chunk in one.chunks])


def _placed(documents: Documents) -> Iterator[tuple[ChunkedDocument, Source, Located]]:
    for document in documents:
        if document.source is not None and document.located is not None:
            yield document, document.source, document.located


def _coverages(documents: Documents, _facts: ChunkingFacts) -> tuple[Coverage, ...]:
    return tuple(
        Coverage(
            source=len(source.words),
            chunks=sum(len(chunk.text.words) for chunk in document.chunks),
            covered=ChunkCover(source, located.spans).tokens,
        )
        for document, source, located in _placed(documents)
    )


def _evidence_matches(documents: Documents, facts: ChunkingFacts) -> object:
    evidence = facts.gold.expected_evidence
    if evidence is None:
        return NotMeasured(Kind.MISSING, "expected_evidence")
    if not evidence:
        return NotMeasured(Kind.UNDEFINED, "no_expected_evidence")
    spans: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for found in filter(None, find_evidence(documents, evidence)):
        spans[found.document].append(found.place[:2])
    matches = tuple(match for at in spans for match in _matches(documents[at], spans[at]))
    return matches or NotMeasured(Kind.UNDEFINED, "gold_not_found")


def _matches(document: ChunkedDocument, spans: list[tuple[int, int]]) -> Iterator[SpanMatch]:
    for _, source, located in _placed((document,)):
        cover = ChunkCover(source, located.spans)
        yield from filter(None, (cover.match(*span) for span in spans))


def _block_matches(documents: Documents, _facts: ChunkingFacts) -> object:
    matches = tuple(
        match
        for document, source, _ in _placed(documents)
        if is_markdown(document, source)
        for match in _matches(document, [(block.start, block.end) for block in blocks(source)])
    )
    return matches or NotMeasured(Kind.UNDEFINED, "no_blocks")


def _boundaries(documents: Documents, facts: ChunkingFacts) -> object:
    if facts.gold.expected_chunks is None:
        return NotMeasured(Kind.MISSING, "expected_chunks")
    if len(documents) > 1:
        return NotMeasured(Kind.UNDEFINED, "several_documents")
    ((document, source, located),) = _placed(documents)
    ideal = expected_chunks(document, facts.gold)
    if ideal is None or ideal.unlocated == len(ideal.spans):
        return NotMeasured(Kind.UNDEFINED, "gold_not_found")
    return Boundaries(_ends(source, located), _ends(source, ideal))


def _ends(source: Source, located: Located) -> frozenset[int]:
    outer = {0, source.trimmed(len(source.raw))}
    return frozenset(source.trimmed(span[1]) for span in located.spans if span) - outer


def _chunk_texts(documents: Documents, _facts: ChunkingFacts) -> object:
    return tuple(tuple([chunk.text for chunk in document.chunks]) for document in documents)


def _metadata(documents: Documents, _facts: ChunkingFacts) -> object:
    found = tuple([metadata for _, metadata in _with_metadata(documents)])
    return found if found or not _any_chunks(documents) else None


def _metadata_by_id(documents: Documents, _facts: ChunkingFacts) -> object:
    chunks = _with_metadata(documents)
    if not chunks and _any_chunks(documents):
        return None
    found: dict[str, Mapping[str, object]] = {}
    for chunk, metadata in chunks:
        if chunk.id is not None:
            found.setdefault(chunk.id, metadata)
    return found


def _with_metadata(documents: Documents) -> list[tuple[Chunk, Mapping[str, object]]]:
    """Every chunk with its metadata, none where it has none; empty if nobody passed any."""
    chunks = [chunk for document in documents for chunk in document.chunks]
    passed = any(chunk.metadata is not None for chunk in chunks)
    return [(chunk, chunk.metadata or {}) for chunk in chunks] if passed else []


def _any_chunks(documents: Documents) -> bool:
    return any(document.chunks for document in documents)


def _expected_metadata(facts: ChunkingFacts) -> object:
    expected = facts.gold.expected_metadata
    if expected is None:
        return None
    return expected if any(expected.values()) else NotMeasured(Kind.UNDEFINED, "no_expected_values")


def _offline(found: Input) -> Input:
    return replace(found, offline=True)


CHUNKING_INPUTS: Final[Mapping[str, Input]] = {
    "coverages": _of_sources(_coverages),
    "chunk_sizes": _of_documents(_chunk_sizes, Needs.LABEL_FREE),
    "size_limits": Input(lambda facts: facts.run.size_limits, "size_limits"),
    "evidence_matches": _of_sources(_evidence_matches, Needs.GOLD),
    "block_matches": _of_sources(_block_matches),
    "boundaries": _of_sources(_boundaries, Needs.GOLD),
    "boundary_tolerance": Input(lambda facts: facts.run.boundary_tolerance, ""),
    "sentence_vectors": _offline(_of_chunks("sentence_vectors", Needs.VECTORS)),
    "chunk_vectors": _offline(_of_chunks("vector", Needs.VECTORS)),
    "chunk_metadata": _offline(_of_documents(_metadata, Needs.LABEL_FREE)),
    "metadata_by_id": _offline(_of_documents(_metadata_by_id, Needs.LABEL_FREE)),
    "required_keys": _offline(
        Input(lambda facts: facts.run.required_keys or None, "required_keys")
    ),
    "expected_metadata": _offline(Input(_expected_metadata, "", Needs.GOLD)),
    "chunk_texts": _of_documents(_chunk_texts, Needs.LABEL_FREE),
}
"""Every input by its name; what is read by document or by chunk stands in their order."""
