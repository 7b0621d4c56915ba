"""What ragmon's own spans say of chunks and vectors, beyond lists of documents."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

import numpy as np

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.meaning import RawSplit, RawVectors, Reading
from ragmon.model.record import Absence
from ragmon.model.span import Attributes, AttributeValue, Span

_NUMBER_BYTES: Final = 4
_OFFSETS: Final = range(1 << 40)


def carries_vectors(span: Span) -> bool:
    """Whether there are vectors on the span."""
    return semconv.VECTORS in span.attributes


def read_vectors(span: Span) -> RawVectors:
    """The vectors of an embedding span, and the ids that belong to them."""
    attributes = span.attributes
    vectors = _content(span, semconv.VECTORS)
    if isinstance(vectors.value, bytes):
        block = _block(vectors.value, attributes)
        vectors = Reading(None, Absence.UNPARSABLE) if block is None else Reading((block,))
    elif vectors.value is not None:
        vectors = Reading(None, Absence.UNPARSABLE)
    return RawVectors(vectors, *read_ids(span))


def read_ids(span: Span) -> tuple[Reading, Reading]:
    """The ids of what was embedded, and those that the index holds."""
    return _ids(span, semconv.VECTORS_ID), _ids(span, semconv.INDEXED_IDS)


def read_split(span: Span) -> RawSplit:
    """The source of a split, its limits, and where each chunk says it lies."""
    attributes = span.attributes
    source = _content(span, semconv.SOURCE_TEXT)
    if source.value is not None and not isinstance(source.value, str):
        source = Reading(None, Absence.UNPARSABLE)
    markdown = attributes.get(semconv.SOURCE_MARKDOWN)
    return RawSplit(
        source_id=scalars.identifier(attributes.get(semconv.SOURCE_ID)),
        source=source,
        markdown=markdown if isinstance(markdown, bool) else None,
        size_limits=_limits(scalars.array(attributes.get(semconv.SIZE_LIMITS))),
        spans=_spans(attributes),
        is_cut=bool({semconv.DOCUMENTS_ID, semconv.DOCUMENTS_TEXT} & _cut(attributes)),
    )


def _content(span: Span, name: str) -> Reading:
    """The value of an attribute, or why it is not there whole."""
    attributes = span.attributes
    if name in (scalars.names(attributes.get(semconv.MASKED)) or ()):
        return Reading(None, Absence.MASKED)
    if name in _cut(attributes):
        return Reading(None, Absence.DROPPED_ATTRIBUTES)
    value = attributes.get(name)
    if value is None and span.dropped:
        return Reading(None, Absence.DROPPED_ATTRIBUTES)
    return Reading(value)


def _cut(attributes: Attributes) -> set[str]:
    """Names of the attributes that were cut where they were captured."""
    marks = scalars.names(attributes.get(semconv.TRUNCATED)) or ()
    return {mark.partition("=")[0] for mark in marks}


def _ids(span: Span, name: str) -> Reading:
    found = _content(span, name)
    if found.value is None:
        return found
    ids = [scalars.identifier(id_) for id_ in scalars.array(found.value) or (None,)]
    return Reading(None, Absence.UNPARSABLE) if None in ids else Reading(tuple(ids))


def _block(content: bytes, attributes: Attributes) -> np.ndarray | None:
    """(n, d) float64; None where the bytes are not so many vectors of that dimension."""
    dimension = scalars.count(attributes.get(semconv.GEN_AI_EMBEDDINGS_DIMENSION_COUNT))
    length = scalars.count(attributes.get(semconv.VECTORS_COUNT))
    if not dimension or len(content) % (_NUMBER_BYTES * dimension):
        return None
    block = np.frombuffer(content, "<f4").astype(np.float64).reshape(-1, dimension)
    return block if length in (None, len(block)) else None


def _limits(
    bounds: tuple[AttributeValue, ...] | None,
) -> tuple[int | None, int | None] | None:
    if bounds is None or len(bounds) != 2:
        return None
    fewest, most = map(scalars.count, bounds)
    return None if fewest is None and most is None else (fewest, most)


def _spans(attributes: Attributes) -> Sequence[tuple[int, int] | None]:
    starts = scalars.array(attributes.get(semconv.DOCUMENTS_START)) or ()
    ends = scalars.array(attributes.get(semconv.DOCUMENTS_END)) or ()
    return [_span(start, end) for start, end in zip_longest(starts, ends)]


def _span(start: AttributeValue, end: AttributeValue) -> tuple[int, int] | None:
    if type(start) is int and type(end) is int and start in _OFFSETS and end in _OFFSETS:
        return (start, end) if start <= end else None
    return None
