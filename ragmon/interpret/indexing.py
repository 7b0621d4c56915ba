"""Spans to what the metrics of an index read: chunks and vectors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile, zip_longest
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ragmon.interpret.dialects import carries_vectors, ragmon_indexing, read_vectors
from ragmon.interpret.faults import failed
from ragmon.interpret.meaning import Field, RawDocument, RawDocuments, Reading
from ragmon.interpret.texts import Texts
from ragmon.interpret.tree import Node, contains
from ragmon.model.indexing import Chunk, ChunkedDocument, Chunking, Embedding
from ragmon.model.record import Absence
from ragmon.text.source import Source

_LARGEST: Final = 1e100
"""A number beyond it is no part of an embedding, and its products would overflow."""


def read_chunking(node: Node, texts: Texts) -> Chunking:
    """The split that a chunking span tells of.

    texts: of the request around it, where a text may have crossed earlier under its id.
    """
    split = ragmon_indexing.read_split(node.span)
    listing = _listing(node, is_cut=split.is_cut)
    chunks = None if listing.value is None else _chunks(listing.value, split.spans, texts)
    absent = _absences(documents=listing, source=split.source)
    if chunks is None:
        return Chunking(None, split.size_limits, absent=absent)
    source = None if split.source.value is None else Source(split.source.value)
    document = ChunkedDocument(split.source_id, source, chunks, split.markdown)
    return Chunking((document,), split.size_limits, absent=absent)


def _listing(node: Node, *, is_cut: bool) -> Reading:
    """The chunks of a span, or why they are not there whole."""
    told = node.meaning.absent
    masked = told.get(Field.DOCUMENTS) or told.get(Field.DOCUMENT_TEXTS)
    if masked is not None:
        return Reading(None, masked)
    if node.span.dropped or is_cut:
        return Reading(None, Absence.DROPPED_ATTRIBUTES)
    return Reading(node.meaning.documents)


def _chunks(
    documents: RawDocuments, spans: Sequence[tuple[int, int] | None], texts: Texts
) -> tuple[Chunk, ...] | None:
    """The chunks, None where one of them has no text."""
    placed = zip_longest(documents, spans[: len(documents)])
    chunks = [_chunk(raw, span, texts) for raw, span in placed]
    known = [chunk for chunk in chunks if chunk is not None]
    return tuple(known) if len(known) == len(chunks) else None


def _chunk(raw: RawDocument, span: tuple[int, int] | None, texts: Texts) -> Chunk | None:
    text = texts.text(texts.raw_text(raw) if raw.text is None else raw.text)
    return None if text is None else Chunk(raw.id, text, span)


def _absences(**readings: Reading) -> Mapping[str, Absence]:
    return {name: found.absence for name, found in readings.items() if found.absence is not None}


def carries(node: Node) -> bool:
    """Whether an embedding span has its vectors on it."""
    return carries_vectors(node.span, node.meaning.dialect)


def read_embedding(nodes: Sequence[Node]) -> Embedding:
    """What the embedding spans of one run made, together.

    nodes: in order. Of nested spans that tell of one call the outermost that carries vectors
    counts; one that failed counts only if it does. Vectors are there only where no call lacks
    them, so that a part never stands for the whole; so are their ids.
    """
    told = [read_vectors(node.span, node.meaning.dialect) for node in _telling(nodes)]
    vectors = _joined(one.vectors for one in told)
    ids = _joined(one.ids for one in told)
    indexed = _indexed([one.indexed_ids for one in told])
    matrix, kept, invalid = _valid(vectors.value)
    if ids.value is not None and matrix is not None:
        ids = _of_kept(ids.value, kept, len(kept) + invalid)
    return Embedding(
        vectors=matrix,
        ids=ids.value,
        invalid=invalid,
        indexed_ids=None if indexed.value is None else frozenset(indexed.value),
        absent=_absences(vectors=vectors, ids=ids, indexed_ids=indexed),
    )


def _telling(nodes: Sequence[Node]) -> list[Node]:
    """The spans that tell of the calls of a run, each call once."""
    told: list[Node] = []
    for place, node in enumerate(nodes):
        if told and contains(told[-1], node):
            continue
        inside = takewhile(partial(contains, node), islice(nodes, place + 1, None))
        if carries(node) or not (failed(node.span) or any(map(carries, inside))):
            told.append(node)
    return told


def _joined(readings: Iterable[Reading]) -> Reading:
    """The values one after the other; none where one is missing, and why."""
    found = list(readings)
    if found and all(one.value is not None for one in found):
        return Reading(tuple(part for one in found for part in one.value))
    return Reading(None, _cause(found))


def _indexed(readings: Sequence[Reading]) -> Reading:
    """All ids that any call said the index holds; none where one was withheld, and why."""
    cause = _cause(readings)
    said = [one.value for one in readings if one.value is not None]
    if cause is not None or not said:
        return Reading(None, cause)
    return Reading(tuple(id_ for ids in said for id_ in ids))


def _cause(readings: Iterable[Reading]) -> Absence | None:
    return next((one.absence for one in readings if one.absence is not None), None)


def _of_kept(ids: tuple[str, ...], kept: NDArray[np.intp], vectors: int) -> Reading:
    """The ids of the valid vectors; none where there are not as many ids as vectors."""
    if len(ids) != vectors:
        return Reading(None, Absence.UNPARSABLE)
    return Reading(tuple(ids[place] for place in kept))


def _valid(
    blocks: tuple[NDArray[np.float64], ...] | None,
) -> tuple[NDArray[np.float64] | None, NDArray[np.intp], int]:
    """The vectors of the most common size that hold numbers only, their places, and the rest."""
    nowhere = np.empty(0, dtype=np.intp)
    if blocks is None:
        return None, nowhere, 0
    sizes: Counter[int] = Counter()
    for block in blocks:
        sizes[block.shape[1]] += len(block)
    total = sizes.total()
    size = max(sizes, key=sizes.__getitem__, default=0)
    if not size:
        return np.empty((0, 0)), nowhere, total
    matrix = np.concatenate([block for block in blocks if block.shape[1] == size])
    places = np.concatenate(_places(blocks, size))
    finite = (np.abs(matrix) <= _LARGEST).all(axis=1)
    return matrix[finite], places[finite], total - int(finite.sum())


def _places(blocks: Iterable[NDArray[Any]], size: int) -> list[NDArray[np.intp]]:
    """The place of each vector of that size among all."""
    places, start = [], 0
    for block in blocks:
        if block.shape[1] == size:
            places.append(np.arange(start, start + len(block), dtype=np.intp))
        start += len(block)
    return places
