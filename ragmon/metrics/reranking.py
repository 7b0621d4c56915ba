"""Reranking: what became of the candidates?"""

from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit

metric = stage("reranking")


@metric(unit=Unit.BINARY, better=Better.HIGHER)
def candidate_set_preservation_rate(
    retrieved_ids: tuple[str, ...], reranked_ids: tuple[str, ...]
) -> float:
    """Whether the reranker only reordered the candidates.

        1 if {retrieved} = {reranked} else 0

    retrieved_ids: (n,) ids of the candidates; order and repeats do not matter.
    reranked_ids:  (m,) ids after reranking; order and repeats do not matter.
    Returns:       0 or 1; never None. A reranker that cuts the list gives 0, which can be
                   intended.
    Source:        set equality.

    >>> candidate_set_preservation_rate(("a", "b"), ("b", "a"))
    1.0
    """
    return float(set(retrieved_ids) == set(reranked_ids))
