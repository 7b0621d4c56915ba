"""Vectors as embedding functions return them, packed for the wire without numpy."""

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from math import nan
from typing import Any, NamedTuple

from ragmon import semconv
from ragmon.capture.documents import read_documents
from ragmon.capture.fields import as_count, field
from ragmon.capture.recording import Recording

_NUMBER_BYTES = 4


class Vectors(NamedTuple):
    """What was made: so many vectors of so many numbers; `rows` holds them, or is one."""

    length: int
    dimension: int
    rows: Any


def read_vectors(value: Any) -> Vectors | None:
    """Read one vector or a list of them: lists, arrays, tensors; None for anything else.

    Of vectors of several sizes the most common one is the dimension.

    >>> read_vectors([[0.5, 1.0], [0.0, 1.0]])[:2]
    (2, 2)
    """
    shape = field(value, "shape")
    if isinstance(shape, tuple) and len(shape) in (1, 2):
        length, dimension = as_count(1 if len(shape) == 1 else shape[0]), as_count(shape[-1])
        return None if length is None or not dimension else Vectors(length, dimension, value)
    if not isinstance(value, list | tuple) or not value:
        return None
    if not hasattr(value[0], "__len__"):
        return Vectors(1, len(value), (value,))
    if isinstance(value[0], str | bytes):
        return None
    ((dimension, _),) = Counter(map(len, value)).most_common(1)
    return Vectors(len(value), dimension, value)


def pack(vectors: Vectors) -> bytes:
    """The vectors as little-endian float32, one after the other.

    One of another size is packed as NaN, which the reader counts as invalid.

    >>> pack(Vectors(1, 2, ((0.5, 1.0),))).hex()
    '0000003f0000803f'
    """
    rows = vectors.rows
    if hasattr(rows, "astype"):
        packed: bytes = rows.astype("<f4").tobytes()
        return packed
    numbers = array("f")
    for row in _rows(rows):
        fits = len(row) == vectors.dimension
        numbers.extend(map(float, row) if fits else (nan,) * vectors.dimension)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _rows(rows: Any) -> Iterable[Sequence[Any]]:
    listed = rows.tolist() if hasattr(rows, "tolist") else rows
    return listed if not listed or hasattr(listed[0], "__len__") else (listed,)


def write_vectors(recording: Recording, value: Any) -> None:
    """Record the dimension, and where they are wanted the vectors and how many they are."""
    vectors = read_vectors(value)
    if vectors is None:
        return
    recording.put(semconv.GEN_AI_EMBEDDINGS_DIMENSION_COUNT, vectors.dimension)
    settings = recording.settings
    if not settings.vectors:
        return
    recording.put(semconv.VECTORS_COUNT, vectors.length)
    size = vectors.length * vectors.dimension * _NUMBER_BYTES
    if settings.content == "off" or size > settings.max_vector_bytes:
        recording.withhold(semconv.VECTORS)
    else:
        recording.put(semconv.VECTORS, pack(vectors))


def write_embedded(recording: Recording, value: Any) -> None:
    """Record the ids of what was embedded, where each document carries one."""
    if not isinstance(value, list | tuple) or not value or isinstance(value[0], str):
        return
    documents = read_documents(value)
    if documents is not None and all(documents.ids):
        recording.put_ids(semconv.VECTORS_ID, documents.ids)


def write_embedded_ids(recording: Recording, value: Any) -> None:
    """Record the ids of what was embedded, as an argument of their own gives them."""
    if isinstance(value, list | tuple):
        recording.put_ids(semconv.VECTORS_ID, value)
