"""Chunking: do vectors say that each chunk is about one thing, and its neighbours not?"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ragmon.metrics import vectors
from ragmon.metrics.declare import stage
from ragmon.metrics.kernels import mean_of_known
from ragmon.metrics.spec import Better, Unit
from ragmon.model.indexing import Vector

Sentences: TypeAlias = NDArray[np.float64] | None

metric = stage("chunking")


@metric(unit=Unit.SIGNED, better=Better.HIGHER)
def semantic_cohesion(sentence_vectors: tuple[tuple[Sentences, ...], ...]) -> float | None:
    """How alike the sentences of a chunk are, by their vectors.

        mean over chunks of 2 / (m (m - 1)) * sum over i < j of cos(e[i], e[j])

    sentence_vectors: per document, per chunk (m, d), None where there are none. Vectors with
                      NaN or infinity are left out; one of all zeros has cosine 0 with any.
    Returns:          a cosine in [-1, 1]; None where no chunk has two sentences.
    Source:           ragmon.

    >>> semantic_cohesion(((np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]),),)) == 1 / 3
    True
    """
    return mean_of_known(_mean_cosine(chunk) for chunks in sentence_vectors for chunk in chunks)


@metric(
    unit=Unit.AMOUNT,
    better=Better.HIGHER,
    buckets=(0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5),
)
def semantic_boundary_clarity(sentence_vectors: tuple[tuple[Sentences, ...], ...]) -> float | None:
    """How far the topic moves where one chunk ends and the next begins.

        mean over neighbours of 1 - cos(last sentence left, first sentence right)

    sentence_vectors: per document, per chunk (m, d) in the order of the document, None where
                      there are none; a pair without a sound vector on both sides is left out.
    Returns:          a number in [0, 2]; None where no document has such a pair.
    Source:           ragmon, after the boundary clarity of Zhao et al. 2025, MoC.

    >>> semantic_boundary_clarity(((np.array([[5.0, 5.0], [1.0, 0.0]]), np.array([[0.0, 1.0]])),))
    1.0
    """
    similarity = _mean_of_neighbours(
        ([_at(chunk, -1) for chunk in chunks], [_at(chunk, 0) for chunk in chunks])
        for chunks in sentence_vectors
    )
    return None if similarity is None else 1 - similarity


@metric(unit=Unit.SIGNED, better=Better.NONE)
def semantic_chunk_stickiness(chunk_vectors: tuple[tuple[Vector | None, ...], ...]) -> float | None:
    """How alike neighbouring chunks are, which may have been split without need.

        mean over neighbours of cos(e[i], e[i + 1])

    chunk_vectors: per document, per chunk (d,) in the order of the document, None where there
                   is none; a pair without a sound vector on both sides is left out.
    Returns:       a cosine in [-1, 1]; None where no document has such a pair. Read it with
                   the structure of the documents.
    Source:        ragmon, after the chunk stickiness of Zhao et al. 2025, MoC.

    >>> semantic_chunk_stickiness(((np.array([3.0, 4.0]), np.array([1.0, 0.0])),))
    0.6
    """
    return _mean_of_neighbours((chunks, chunks) for chunks in chunk_vectors)


def _mean_cosine(chunk: Sentences) -> float | None:
    """The mean over all pairs of rows, by the length of their sum; None without a pair."""
    sound = vectors.clean([] if chunk is None else chunk).matrix
    if len(sound) < 2:
        return None
    units = _units(sound)
    total = units.sum(axis=0)
    pairs = len(sound) * (len(sound) - 1)
    mean = (float(total @ total) - np.count_nonzero(sound.any(axis=1))) / pairs
    return min(1.0, max(-1.0, mean))


def _at(chunk: Sentences, row: int) -> Vector | None:
    return chunk[row] if chunk is not None and len(chunk) else None


def _mean_of_neighbours(
    documents: Iterable[tuple[Sequence[Vector | None], Sequence[Vector | None]]],
) -> float | None:
    """Mean cosine of what a chunk ends with and what the next one of its document begins with."""
    return mean_of_known(
        cosine for ends, begins in documents for cosine in _cosines(ends[:-1], begins[1:])
    )


def _cosines(left: Sequence[Vector | None], right: Sequence[Vector | None]) -> list[float]:
    """The cosine of each pair of which both are sound vectors of one size."""
    cleaned = vectors.clean([() if one is None else one for one in (*left, *right)])
    row_of = {place: row for row, place in enumerate(cleaned.kept.tolist())}
    pairs = [(row_of.get(at), row_of.get(at + len(left))) for at in range(len(left))]
    rows = [pair for pair in pairs if None not in pair]
    if not rows:
        return []
    units = _units(cleaned.matrix)
    one, other = np.array(rows, dtype=np.intp).T
    cosines: list[float] = np.einsum("ij,ij->i", units[one], units[other]).clip(-1, 1).tolist()
    return cosines


def _units(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows, each of length 1; one of all zeros stays as it is."""
    lengths = vectors.norms(matrix)[:, np.newaxis]
    return matrix / np.where(lengths == 0, 1.0, lengths)
