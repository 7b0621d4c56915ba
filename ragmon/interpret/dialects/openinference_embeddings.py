"""OpenInference's flattened list of embeddings."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ragmon import semconv
from ragmon.interpret.dialects import ragmon_indexing
from ragmon.interpret.dialects.flattened import Rows, collect, in_order, is_whole
from ragmon.interpret.dialects.openinference_content import is_masked
from ragmon.interpret.meaning import RawVectors, Reading
from ragmon.model.record import Absence
from ragmon.model.span import AttributeValue, Span

_VECTOR: Final = "embedding.vector"
_FIRST: Final = f"{semconv.EMBEDDINGS}.0.{_VECTOR}"


def carries_vectors(span: Span) -> bool:
    """Whether there are vectors on the span."""
    return isinstance(span.attributes.get(_FIRST), tuple)


def read_vectors(span: Span) -> RawVectors:
    """The vectors of an embedding span; ids only where they were annotated."""
    (rows,) = collect(span.attributes, semconv.EMBEDDINGS)
    return RawVectors(_vectors(span, rows), *ragmon_indexing.read_ids(span))


def _vectors(span: Span, rows: Rows) -> Reading:
    if not is_whole(rows) or (span.dropped and not rows):
        return Reading(None, Absence.DROPPED_ATTRIBUTES)
    values = [fields.get(_VECTOR) for fields in in_order(rows)]
    if any(map(is_masked, values)):
        return Reading(None, Absence.MASKED)
    if not values or None in values:
        return Reading(None, Absence.DROPPED_ATTRIBUTES if span.dropped else None)
    return Reading(tuple(map(_block, values)))


def _block(value: AttributeValue) -> NDArray[np.float64]:
    """(1, d), with no number at all where it is no vector."""
    numbers: Any = value if isinstance(value, tuple) else ()
    if not set(map(type, numbers)) <= {int, float}:
        numbers = ()
    try:
        return np.array([numbers], dtype=np.float64)
    except OverflowError:
        return np.empty((1, 0))
