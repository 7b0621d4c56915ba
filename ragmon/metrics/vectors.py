"""Vectors: sorting out those that are none, norms, cosines, and ranks in the exact order.

No function holds more than a few rows of a product of all vectors with all queries.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ragmon.model.indexing import Vector

VectorLike: TypeAlias = Sequence[float] | NDArray[Any] | bytes

_LARGEST: Final = 1e100
"""A number beyond it is no part of an embedding, and its products would overflow."""
_CELLS: Final = 1 << 20
"""Numbers in one block of work: 8 MB."""
_DECIMALS: Final = 12
"""Cosines that differ by less are equal: the order of a sum must not break a tie."""
_SLACK: Final = 1e-9


class Cleaned(NamedTuple):
    """Vectors of one size without NaN and infinity.

    matrix: (n, d). kept: (n,) the place of each in what was given. invalid: number left out.
    """

    matrix: NDArray[np.float64]
    kept: NDArray[np.intp]
    invalid: int


def clean(vectors: Iterable[VectorLike]) -> Cleaned:
    """Leave out the vectors that cannot be compared with the others.

    vectors: numbers or little-endian float32 bytes each, or one (n, d) array. Left out are
    those with NaN, infinity or a number beyond 1e100, empty ones, and those that have
    another size than most (of equally many sizes the first counts). None left: (0, 0).

    >>> clean([[1.0, 0.0], [float("nan"), 0.0], [0.0, 1.0, 0.0]]).kept.tolist()
    [0]
    """
    if isinstance(vectors, np.ndarray) and vectors.ndim == 2 and vectors.dtype.kind in "fiu":
        return _clean_matrix(np.asarray(vectors, dtype=np.float64))
    read = [as_vector(vector) for vector in vectors]
    sizes = Counter(vector.size for vector in read if vector is not None)
    size = max(sizes, key=sizes.__getitem__, default=0)
    chosen = {place: one for place, one in enumerate(read) if one is not None and one.size == size}
    matrix = np.stack(list(chosen.values())) if chosen else np.empty((0, 0))
    return Cleaned(matrix, np.array(list(chosen), dtype=np.intp), len(read) - len(chosen))


def _clean_matrix(matrix: NDArray[np.float64]) -> Cleaned:
    if not matrix.size:
        return Cleaned(np.empty((0, 0)), np.empty(0, dtype=np.intp), len(matrix))
    sound = (matrix.max(axis=1) <= _LARGEST) & (matrix.min(axis=1) >= -_LARGEST)
    kept = np.flatnonzero(sound)
    return Cleaned(
        matrix if kept.size == len(matrix) else matrix[kept], kept, len(matrix) - kept.size
    )


def as_vector(given: VectorLike) -> Vector | None:
    """The (d,) vector that numbers or little-endian float32 bytes make, d >= 1; else None."""
    try:
        numbers = np.frombuffer(given, dtype="<f4") if isinstance(given, bytes) else given
        with np.errstate(invalid="ignore"):  # of a NaN in the bytes
            vector = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return vector if is_sound(vector) else None


def is_sound(vector: NDArray[np.float64]) -> bool:
    """Whether an array is one vector of plausible numbers."""
    return vector.ndim == 1 and vector.size > 0 and bool((np.abs(vector) <= _LARGEST).all())


def norms(matrix: NDArray[np.float64]) -> Vector:
    """(n,) lengths of the rows of a (n, d) matrix; 0 only where every number is 0.

    >>> norms(np.array([[3.0, 4.0], [0.0, 1e-200]])).tolist()
    [5.0, 1e-200]
    """
    rows = max(1, _CELLS // max(1, matrix.shape[1]))
    blocks = [_norms(matrix[start : start + rows]) for start in range(0, len(matrix), rows)]
    return np.concatenate(blocks) if blocks else np.empty(0)


def _norms(block: NDArray[np.float64]) -> Vector:
    """Scaled by powers of two, which rounds nothing, so that no square becomes 0 or infinite."""
    _, exponents = np.frexp(np.abs(block).max(axis=1, initial=0.0))
    exponents = np.clip(exponents, -1000, 1000)
    scaled = block * np.ldexp(1.0, -exponents)[:, np.newaxis]
    lengths: Vector = np.ldexp(np.sqrt(np.einsum("ij,ij->i", scaled, scaled)), exponents)
    return lengths


def distinct(matrix: NDArray[np.float64]) -> int:
    """Number of different rows, bit by bit; -0.0 equals 0.0.

    >>> distinct(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]))
    2
    """
    # Hashes, since a set of the rows themselves would hold the whole matrix once more.
    return len({blake2b(row + 0.0, digest_size=16).digest() for row in matrix})


def cosines(
    matrix: NDArray[np.float64], lengths: Vector, queries: Sequence[Vector]
) -> Iterator[Vector]:
    """Per query the (n,) cosines with all rows; 0 where either vector is all zeros.

    matrix: (n, d). lengths: (n,) its norms. queries: (d,) each.
    """
    if not len(matrix):
        yield from (np.empty(0) for _ in queries)
        return
    divisors = np.where(lengths == 0, np.inf, lengths)
    rows = max(1, _CELLS // len(matrix))
    for start in range(0, len(queries), rows):
        block = np.stack(queries[start : start + rows])
        size = norms(block)[:, np.newaxis]
        products = (block / np.where(size == 0, 1.0, size)) @ matrix.T
        products /= divisors
        yield from np.clip(products, -1.0, 1.0, out=products)


class ExactOrder:
    """All chunks in the order of their cosine with one query; ties stand as they came in.

    cosines: (n,), in the order of the chunks.
    """

    def __init__(self, cosines: Vector) -> None:
        self._cosines = np.round(cosines, _DECIMALS)
        self._ascending = np.sort(self._cosines)

    def rank(self, row: int) -> int:
        """The rank of a row, from 1."""
        cosine = self._cosines[row]
        above = self._above(cosine)
        tied = len(self._cosines) - above - int(np.searchsorted(self._ascending, cosine)) > 1
        return 1 + above + (int(np.count_nonzero(self._cosines[:row] == cosine)) if tied else 0)

    def best_rank(self, row: int) -> int:
        """The rank of a row if it stood before all those whose cosine is within 1e-9."""
        return 1 + self._above(self._cosines[row] + _SLACK)

    def _above(self, cosine: float) -> int:
        return len(self._ascending) - int(np.searchsorted(self._ascending, cosine, side="right"))
