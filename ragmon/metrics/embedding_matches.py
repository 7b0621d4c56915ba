"""What exact search finds for each query of an embedding run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragmon.metrics import vectors
from ragmon.model.indexing import EmbeddedQuery, Embedding, Vector
from ragmon.model.measurement import Kind, NotMeasured

_NO_GOLD: Final = NotMeasured(Kind.MISSING, "gold_ids")
_NO_RELEVANT: Final = NotMeasured(Kind.UNDEFINED, "no_relevant_ids")
_NO_RESULTS: Final = NotMeasured(Kind.MISSING, "index_ids")
_NO_VECTOR: Final = NotMeasured(Kind.UNDEFINED, "invalid_query_vector")


class GoldMatch(NamedTuple):
    """How one query stands to its gold chunks and to the others.

    wanted: number of gold ids, embedded or not. ranks: of those that are embedded, in the
    exact order of all chunks, from 1. positive, negative: mean cosine with the gold chunks
    and with all others, None where there are none.
    """

    wanted: int
    ranks: tuple[int, ...]
    positive: float | None
    negative: float | None


class IndexMatch(NamedTuple):
    """How what the index returned for one query stands in the exact order.

    ranks: per returned id, best first, its rank from 1; equal cosines (within 1e-9) all have
    the best of their ranks, an id that is not embedded has one beyond all. embedded: number
    of chunks.
    """

    ranks: tuple[int, ...]
    embedded: int


_M = TypeVar("_M", GoldMatch, IndexMatch)


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """The chunks to be searched: vectors (n, d), their norms, and the row of each id."""

    matrix: NDArray[np.float64]
    lengths: Vector
    row_of: Mapping[str, int]

    def rows(self, ids: Iterable[str]) -> list[int]:
        """The rows of those ids that are embedded."""
        return [self.row_of[one] for one in ids if one in self.row_of]

    def holds(self, vector: Vector) -> bool:
        """Whether a query's vector can be compared with the chunks'."""
        fits = not len(self.matrix) or vector.shape == self.matrix.shape[1:]
        return fits and vectors.is_sound(vector)


def gold_matches(run: Embedding) -> list[GoldMatch | NotMeasured]:
    """Per query how it stands to its gold chunks, or why that cannot be said.

    Raises:
        ValueError: if there are not as many ids as vectors.
    """

    def match(query: EmbeddedQuery, cosines: Vector, space: _Space) -> GoldMatch:
        gold_ids = query.gold_ids or frozenset()
        rows = space.rows(gold_ids)
        order = vectors.ExactOrder(cosines)
        others = np.ones(len(cosines), dtype=bool)
        others[rows] = False
        return GoldMatch(
            wanted=len(gold_ids),
            ranks=tuple(sorted(map(order.rank, rows))),
            positive=_mean(cosines[~others]),
            negative=_mean(cosines[others]),
        )

    return _matched(run, _gold_fault, match)


def index_matches(run: Embedding) -> list[IndexMatch | NotMeasured]:
    """Per query how the index's results stand in the exact order, or why that is unknown.

    Raises:
        ValueError: if there are not as many ids as vectors.
    """

    def match(query: EmbeddedQuery, cosines: Vector, space: _Space) -> IndexMatch:
        order = vectors.ExactOrder(cosines)
        ids = dict.fromkeys(query.index_ids or ())
        beyond = len(cosines) + 1
        return IndexMatch(
            ranks=tuple(
                order.best_rank(space.row_of[one]) if one in space.row_of else beyond for one in ids
            ),
            embedded=len(cosines),
        )

    return _matched(run, _index_fault, match)


def _gold_fault(query: EmbeddedQuery) -> NotMeasured | None:
    if query.gold_ids is None:
        return _NO_GOLD
    return None if query.gold_ids else _NO_RELEVANT


def _index_fault(query: EmbeddedQuery) -> NotMeasured | None:
    return _NO_RESULTS if query.index_ids is None else None


def _matched(
    run: Embedding,
    fault: Callable[[EmbeddedQuery], NotMeasured | None],
    match: Callable[[EmbeddedQuery, Vector, _Space], _M],
) -> list[_M | NotMeasured]:
    if run.vectors is None or run.ids is None or not run.queries:
        return []
    space = _space(run.vectors, run.ids)
    found: list[_M | NotMeasured | None] = [
        fault(query) or (None if space.holds(query.vector) else _NO_VECTOR) for query in run.queries
    ]
    sound = [query for query, one in zip(run.queries, found, strict=True) if one is None]
    cosines = vectors.cosines(space.matrix, space.lengths, [query.vector for query in sound])
    matches = (match(query, each, space) for query, each in zip(sound, cosines, strict=True))
    return [next(matches) if one is None else one for one in found]


def _space(matrix: NDArray[np.float64], ids: Sequence[str]) -> _Space:
    """A repeated id counts once, with its first vector: an index holds an id once."""
    if len(ids) != len(matrix):
        raise ValueError(f"ids: {len(ids)} for {len(matrix)} vectors; there must be one for each")
    first: dict[str, int] = {}
    for row, one in enumerate(ids):
        first.setdefault(one, row)
    if len(first) < len(ids):
        matrix = matrix[list(first.values())]
        first = {one: row for row, one in enumerate(first)}
    return _Space(matrix, vectors.norms(matrix), first)


def _mean(values: Vector) -> float | None:
    return float(values.mean()) if values.size else None
