"""What a metric of vectors can ask for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from ragmon.metrics import vectors
from ragmon.metrics.embedding_matches import GoldMatch, IndexMatch, gold_matches, index_matches
from ragmon.metrics.input import EmbeddingFacts, Input, read_input
from ragmon.metrics.spec import Needs
from ragmon.model.indexing import Embedding
from ragmon.model.measurement import Kind, NotMeasured

_M = TypeVar("_M", GoldMatch, IndexMatch)

_VECTORS: Final = Input(lambda facts: facts.run.vectors, "vectors", Needs.VECTORS)
_VECTOR_IDS: Final = Input(lambda facts: facts.run.ids, "ids")
_QUERIES: Final = Input(lambda facts: facts.run.queries, "queries")


def _vector_norms(facts: EmbeddingFacts) -> object:
    matrix = facts.run.vectors
    return read_input("vectors", _VECTORS, facts) if matrix is None else vectors.norms(matrix)


def unmatched(facts: EmbeddingFacts) -> NotMeasured | None:
    """Why no query of a run can be matched with its vectors; None where one can."""
    for name, found in (("vectors", _VECTORS), ("vector_ids", _VECTOR_IDS), ("queries", _QUERIES)):
        value = read_input(name, found, facts)
        if isinstance(value, NotMeasured):
            return value
    return None if facts.run.queries else NotMeasured(Kind.UNDEFINED, "no_queries")


def _of_queries(
    matches_of: Callable[[Embedding], Sequence[_M | NotMeasured]], needs: Needs
) -> Input:
    """All queries that could be matched; where none could, why the first could not."""

    def read(facts: EmbeddingFacts) -> tuple[_M, ...] | NotMeasured:
        missing = unmatched(facts)
        if missing is not None:
            return missing
        every = matches_of(facts.run)
        matches = tuple([one for one in every if not isinstance(one, NotMeasured)])
        return matches or next(one for one in every if isinstance(one, NotMeasured))

    return Input(read, "queries", needs, offline=True)


EMBEDDING_INPUTS: Final[Mapping[str, Input]] = {
    "vectors": _VECTORS,
    "vector_norms": Input(_vector_norms, "vectors", Needs.VECTORS),
    "vector_ids": _VECTOR_IDS,
    "indexed_ids": Input(lambda facts: facts.run.indexed_ids, "indexed_ids"),
    "gold_matches": _of_queries(gold_matches, Needs.GOLD),
    "index_matches": _of_queries(index_matches, Needs.VECTORS),
}
"""Every input by its name."""
