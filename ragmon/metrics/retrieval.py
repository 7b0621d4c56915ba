"""Retrieval: were the relevant documents found, and how high do they stand?"""

from collections.abc import Mapping

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit

metric = stage("retrieval")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def precision_at_k(
    retrieved_ids: tuple[str, ...], gold_ids: frozenset[str], *, k: int
) -> float | None:
    """Share of the first k results that are relevant.

        precision@k = |{gold} & {retrieved[:k]}| / k

    retrieved_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_ids:      (g,) ids judged relevant.
    k:             cut-off, k >= 1; n may be smaller, and the ranks that are empty are misses.
    Returns:       ratio in [0, 1], 0 where nothing was retrieved; None where g = 0 (nothing to
                   find is not a miss).
    Source:        Manning, Raghavan & Schütze 2008, section 8.4. torchmetrics with
                   adaptive_k divides by n where n < k.

    >>> precision_at_k(("a", "x"), frozenset({"a", "c"}), k=4)
    0.25
    """
    return kernels.hits(retrieved_ids, gold_ids, k) / k if gold_ids else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def recall_at_k(
    retrieved_ids: tuple[str, ...], gold_ids: frozenset[str], *, k: int
) -> float | None:
    """Share of the relevant documents found in the first k results.

        recall@k = |{gold} & {retrieved[:k]}| / |{gold}|

    retrieved_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_ids:      (g,) ids judged relevant; all of them, also where g > k.
    k:             cut-off, k >= 1; n may be smaller.
    Returns:       ratio in [0, 1], 0 where nothing was retrieved; None where g = 0 (nothing to
                   find is not a miss).
    Source:        Manning, Raghavan & Schütze 2008, section 8.3. Libraries return 0 where
                   g = 0.

    >>> recall_at_k(("a", "b"), frozenset({"b", "c"}), k=2)
    0.5
    """
    return kernels.hits(retrieved_ids, gold_ids, k) / len(gold_ids) if gold_ids else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def mrr_at_k(retrieved_ids: tuple[str, ...], gold_ids: frozenset[str], *, k: int) -> float | None:
    """One over the rank of the first relevant result among the first k.

        rr@k = 1 / min{i <= k : retrieved[i] in gold}

    retrieved_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_ids:      (g,) ids judged relevant.
    k:             cut-off, k >= 1; n may be smaller.
    Returns:       ratio in [0, 1], 0 for a miss; None where g = 0. The mean over requests is MRR.
    Source:        Voorhees 1999, The TREC-8 Question Answering Track Report.

    >>> mrr_at_k(("x", "a", "b"), frozenset({"a", "b"}), k=3)
    0.5
    """
    if not gold_ids:
        return None
    return kernels.reciprocal_rank(kernels.first(retrieved_ids, k), gold_ids)


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def ndcg_at_k(
    retrieved_ids: tuple[str, ...], gold_grades: Mapping[str, float], *, k: int
) -> float | None:
    """Quality of the order of the first k results, by graded relevance.

        ndcg@k = sum over i <= k of (2**grade[i] - 1) / log2(i + 1), over its best value

    retrieved_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_grades:   (g,) id -> grade > 0; an id without a grade has grade 0.
    k:             cut-off, k >= 1; the best order is made of all graded ids, cut at k.
    Returns:       ratio in [0, 1], 0 where nothing relevant was retrieved; None where g = 0.
    Source:        Burges et al. 2005, Learning to Rank using Gradient Descent (exponential
                   gain). trec_eval's ndcg_cut has linear gain; both agree for grades 0 and 1.

    >>> round(ndcg_at_k(("b", "a"), {"a": 2.0, "b": 1.0}, k=2), 6)
    0.796708
    """
    return kernels.normalised_gain(retrieved_ids, gold_grades, k) if gold_grades else None


@metric(unit=Unit.BINARY, better=Better.HIGHER)
def hit_at_k(retrieved_ids: tuple[str, ...], gold_ids: frozenset[str], *, k: int) -> float | None:
    """Whether the first k results hold anything relevant.

        hit@k = 1 if {gold} & {retrieved[:k]} else 0

    retrieved_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_ids:      (g,) ids judged relevant.
    k:             cut-off, k >= 1; n may be smaller.
    Returns:       0 or 1; None where g = 0. The mean over requests is the hit rate.
    Source:        success@k of trec_eval.

    >>> hit_at_k(("x", "a"), frozenset({"a"}), k=1)
    0.0
    """
    return float(kernels.hits(retrieved_ids, gold_ids, k) > 0) if gold_ids else None


@metric(unit=Unit.MILLISECONDS, better=Better.LOWER)
def latency_ms(retrieval_latency_s: float) -> float:
    """Duration of retrieval, without a reranker inside it.

    retrieval_latency_s: seconds of the outermost retriever; siblings as the union of their
                         intervals.
    Returns:             milliseconds >= 0; never None.
    Source:              span times.

    >>> latency_ms(0.25)
    250.0
    """
    return retrieval_latency_s * 1000
