"""Reranking: what became of the candidates, and did the new order help?"""

from collections.abc import Mapping
from typing import Final

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit

metric = stage("reranking")

_PERSISTENCE: Final = 0.9


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def ndcg_at_k(
    reranked_ids: tuple[str, ...], gold_grades: Mapping[str, float], *, k: int
) -> float | None:
    """Quality of the reranked order of the first k, by graded relevance.

        ndcg@k = sum over i <= k of (2**grade[i] - 1) / log2(i + 1), over its best value

    reranked_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_grades:  (g,) id -> grade > 0; an id without a grade has grade 0.
    k:            cut-off, k >= 1; the best order is made of all graded ids, cut at k.
    Returns:      ratio in [0, 1], 0 where nothing relevant is left; None where g = 0.
    Source:       Burges et al. 2005, as retrieval.ndcg_at_k.

    >>> ndcg_at_k(("a", "x"), {"a": 1.0}, k=2)
    1.0
    """
    return kernels.normalised_gain(reranked_ids, gold_grades, k) if gold_grades else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def mrr_at_k(reranked_ids: tuple[str, ...], gold_ids: frozenset[str], *, k: int) -> float | None:
    """One over the rank of the first relevant document among the reranked first k.

        rr@k = 1 / min{i <= k : reranked[i] in gold}

    reranked_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_ids:     (g,) ids judged relevant.
    k:            cut-off, k >= 1; n may be smaller.
    Returns:      ratio in [0, 1], 0 for a miss; None where g = 0. The mean over requests is MRR.
    Source:       Voorhees 1999, as retrieval.mrr_at_k.

    >>> mrr_at_k(("x", "a"), frozenset({"a"}), k=2)
    0.5
    """
    if not gold_ids:
        return None
    return kernels.reciprocal_rank(kernels.first(reranked_ids, k), gold_ids)


@metric(unit=Unit.SIGNED, better=Better.HIGHER)
def ndcg_gain(
    retrieved_ids: tuple[str, ...],
    reranked_ids: tuple[str, ...],
    gold_grades: Mapping[str, float],
    *,
    k: int,
) -> float | None:
    """How much the reranker raised nDCG of the first k.

        ndcg@k of the reranked order - ndcg@k of the retrieved one

    retrieved_ids: (n,) ids of the candidates, best first; a repeat counts once.
    reranked_ids:  (m,) ids after reranking, best first; a repeat counts once.
    gold_grades:   (g,) id -> grade > 0; an id without a grade has grade 0.
    k:             cut-off of both, k >= 1.
    Returns:       difference in [-1, 1], below 0 where the reranker hurts; None where g = 0.
    Source:        Burges et al. 2005, before and after.

    >>> ndcg_gain(("a", "x"), ("x", "a"), {"a": 1.0}, k=1)
    -1.0
    """
    if not gold_grades:
        return None
    before, after = (
        kernels.normalised_gain(ids, gold_grades, k) for ids in (retrieved_ids, reranked_ids)
    )
    return after - before


@metric(unit=Unit.SIGNED, better=Better.HIGHER)
def mrr_gain(
    retrieved_ids: tuple[str, ...],
    reranked_ids: tuple[str, ...],
    gold_ids: frozenset[str],
    *,
    k: int,
) -> float | None:
    """How much the reranker raised the reciprocal rank of the first relevant document.

        rr@k of the reranked order - rr@k of the retrieved one

    retrieved_ids: (n,) ids of the candidates, best first; a repeat counts once.
    reranked_ids:  (m,) ids after reranking, best first; a repeat counts once.
    gold_ids:      (g,) ids judged relevant.
    k:             cut-off of both, k >= 1.
    Returns:       difference in [-1, 1], below 0 where the reranker hurts; None where g = 0.
    Source:        Voorhees 1999, before and after.

    >>> mrr_gain(("x", "a"), ("a", "x"), frozenset({"a"}), k=2)
    0.5
    """
    if not gold_ids:
        return None
    before, after = (
        kernels.reciprocal_rank(kernels.first(ids, k), gold_ids)
        for ids in (retrieved_ids, reranked_ids)
    )
    return after - before


@metric(unit=Unit.SIGNED, better=Better.HIGHER)
def precision_gain(
    retrieved_ids: tuple[str, ...],
    reranked_ids: tuple[str, ...],
    gold_ids: frozenset[str],
    *,
    k: int,
) -> float | None:
    """How much the reranker raised the share of relevant documents in the first k.

        precision@k of the reranked order - precision@k of the retrieved one

    retrieved_ids: (n,) ids of the candidates, best first; a repeat counts once.
    reranked_ids:  (m,) ids after reranking, best first; a repeat counts once.
    gold_ids:      (g,) ids judged relevant.
    k:             cut-off of both, k >= 1; ranks that are empty are misses.
    Returns:       difference in [-1, 1], below 0 where the reranker hurts; None where g = 0.
    Source:        Manning, Raghavan & Schütze 2008, section 8.4, before and after.

    >>> precision_gain(("x", "a", "b"), ("a", "b", "x"), frozenset({"a", "b"}), k=2)
    0.5
    """
    if not gold_ids:
        return None
    before, after = (kernels.hits(ids, gold_ids, k) / k for ids in (retrieved_ids, reranked_ids))
    return after - before


@metric(unit=Unit.SIGNED, better=Better.HIGHER)
def first_relevant_rank_change(
    retrieved_ids: tuple[str, ...], reranked_ids: tuple[str, ...], gold_ids: frozenset[str]
) -> float | None:
    """Places that the first relevant document moved up.

        rank of the first relevant id before - its rank after, over the whole lists

    retrieved_ids: (n,) ids of the candidates, best first; a repeat counts once.
    reranked_ids:  (m,) ids after reranking, best first; a repeat counts once.
    gold_ids:      (g,) ids judged relevant.
    Returns:       whole number of places, below 0 where it moved down; None where g = 0, and
                   where one of the lists holds nothing relevant.
    Source:        ragmon; not scored, since places have no bound.

    >>> first_relevant_rank_change(("x", "y", "a"), ("a", "x", "y"), frozenset({"a"}))
    2.0
    """
    before, after = (kernels.first_rank(ids, gold_ids) for ids in (retrieved_ids, reranked_ids))
    return None if before is None or after is None else float(before - after)


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


@metric(unit=Unit.RATIO, better=Better.NONE)
def rank_biased_overlap(
    retrieved_ids: tuple[str, ...], reranked_ids: tuple[str, ...]
) -> float | None:
    """How much the reranked order resembles the retrieved one, the top ranks most.

        (1 - p) * sum over depths d of p**(d - 1) * (shared ids of the first d) / d,
        extrapolated beyond the ends of the lists, p = 0.9

    retrieved_ids: (n,) ids of the candidates, best first; a repeat counts once.
    reranked_ids:  (m,) ids after reranking, best first; a repeat counts once.
    Returns:       ratio in [0, 1], 1 for equal orders, 0 for lists that share nothing; None
                   where both are empty. A reranker at 1 does no work; a jump says it changed.
    Source:        Webber, Moffat & Zobel 2010, A Similarity Measure for Indefinite Rankings,
                   equation 32.

    >>> round(rank_biased_overlap(("a", "b"), ("b", "a")), 6)
    0.9
    """
    if not retrieved_ids or not reranked_ids:
        return None if retrieved_ids == reranked_ids else 0.0
    return kernels.rank_biased_overlap(retrieved_ids, reranked_ids, _PERSISTENCE)


@metric(unit=Unit.COUNT, better=Better.NONE)
def reranked_documents(reranked_keys: tuple[str, ...]) -> float:
    """Number of different documents that the reranker returned.

        |{reranked_keys}|, the second step of the evidence funnel

    reranked_keys: (m,) the id of each document, its text where it has none; a repeat counts
                   once.
    Returns:       count >= 0; never None.
    Source:        ragmon's evidence funnel: retrieved, reranked, packed, used.

    >>> reranked_documents(("a", "b"))
    2.0
    """
    return float(len(set(reranked_keys)))
