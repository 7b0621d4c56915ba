"""Retrieval: were the relevant documents found, and how high do they stand?"""

from collections.abc import Mapping

from ragmon.metrics import kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text
from ragmon.text.content_words import content_words

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
def f1_at_k(retrieved_ids: tuple[str, ...], gold_ids: frozenset[str], *, k: int) -> float | None:
    """Balance of precision and recall of the first k results.

        f1@k = 2PR / (P + R), P = precision@k, R = recall@k

    retrieved_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_ids:      (g,) ids judged relevant.
    k:             cut-off, k >= 1; n may be smaller.
    Returns:       ratio in [0, 1], 0 where P + R = 0; None where g = 0.
    Source:        Manning, Raghavan & Schütze 2008, section 8.3.

    >>> f1_at_k(("a", "x"), frozenset({"a"}), k=3)
    0.5
    """
    if not gold_ids:
        return None
    hits = kernels.hits(retrieved_ids, gold_ids, k)
    return kernels.harmonic_mean(hits / k, hits / len(gold_ids))


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


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def average_precision_at_k(
    retrieved_ids: tuple[str, ...], gold_ids: frozenset[str], *, k: int
) -> float | None:
    """Whether the relevant documents are ranked first, not spread out.

        ap@k = sum over relevant ranks i <= k of precision@i, over min(g, k)

    retrieved_ids: (n,) document ids, best first; a repeated id counts once, at its first rank.
    gold_ids:      (g,) ids judged relevant.
    k:             cut-off, k >= 1; n may be smaller.
    Returns:       ratio in [0, 1], 0 for a miss; None where g = 0. The mean over requests is
                   MAP@k.
    Source:        Manning, Raghavan & Schütze 2008, section 8.4. trec_eval's map_cut divides
                   by g, torchmetrics by the hits found.

    >>> average_precision_at_k(("a", "x", "b"), frozenset({"a", "b", "c", "d"}), k=2)
    0.5
    """
    return kernels.average_precision(retrieved_ids, gold_ids, k) if gold_ids else None


@metric(unit=Unit.COUNT, better=Better.NONE)
def result_count(result_keys: tuple[str, ...]) -> float:
    """Number of results that retrieval returned.

        n, repeats included

    result_keys: (n,) the id of each result, its text where it has none; repeats stay.
    Returns:     count >= 0; never None.
    Source:      span attributes.

    >>> result_count(("a", "b", "a"))
    3.0
    """
    return float(len(result_keys))


@metric(unit=Unit.BINARY, better=Better.LOWER)
def empty_retrieval(result_keys: tuple[str, ...]) -> float:
    """Whether retrieval returned nothing.

        1 if n = 0 else 0

    result_keys: (n,) the id of each result, its text where it has none.
    Returns:     0 or 1; never None. The mean over requests is the empty-retrieval rate.
    Source:      span attributes.

    >>> empty_retrieval(())
    1.0
    """
    return float(not result_keys)


@metric(unit=Unit.COUNT, better=Better.NONE)
def retrieved_documents(result_keys: tuple[str, ...]) -> float:
    """Number of different documents that retrieval returned.

        |{result_keys}|, the first step of the evidence funnel

    result_keys: (n,) the id of each result, its text where it has none; a repeat counts once.
    Returns:     count >= 0; never None.
    Source:      ragmon's evidence funnel: retrieved, reranked, packed, used.

    >>> retrieved_documents(("a", "b", "a"))
    2.0
    """
    return float(len(set(result_keys)))


@metric(unit=Unit.RATIO, better=Better.LOWER)
def duplicate_result_ratio(result_keys: tuple[str, ...]) -> float | None:
    """Share of the results that repeat an earlier one.

        (n - |{result_keys}|) / n

    result_keys: (n,) the id of each result, its text where it has none.
    Returns:     ratio in [0, 1); None where n = 0.
    Source:      ragmon; the rank metrics leave repeats out, this one shows them.

    >>> duplicate_result_ratio(("a", "b", "a", "a"))
    0.5
    """
    repeats = len(result_keys) - len(set(result_keys))
    return repeats / len(result_keys) if result_keys else None


@metric(unit=Unit.SIGNED, better=Better.NONE)
def top_score(result_scores: tuple[float, ...]) -> float | None:
    """Score of the first result, in the retriever's own scale.

        score[1]

    result_scores: (n,) the retriever's score of each result, in the order of the ranks.
    Returns:       a number of any sign, since cosines, logarithms and distances are all in
                   use; None where n = 0. Only a change of its mean says anything.
    Source:        span attributes.

    >>> top_score((0.75, 0.5))
    0.75
    """
    return result_scores[0] if result_scores else None


@metric(unit=Unit.SIGNED, better=Better.NONE)
def score_gap(result_scores: tuple[float, ...]) -> float | None:
    """How far the first result stands above the second.

        score[1] - score[2]

    result_scores: (n,) the retriever's score of each result, in the order of the ranks.
    Returns:       a number in the retriever's own scale, below 0 where a smaller score is
                   better; None where n < 2.
    Source:        span attributes.

    >>> score_gap((0.75, 0.5))
    0.25
    """
    return result_scores[0] - result_scores[1] if len(result_scores) > 1 else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def query_term_coverage(query: Text, retrieved_texts: tuple[Text, ...]) -> float | None:
    """Share of the question's content words that the results hold.

        |{content words of the query} & {words of the results}| / |{content words of the query}|

    query:           the question; content words are its word tokens without English function
                     words, each counted once.
    retrieved_texts: (n,) texts of the results; order and repeats do not matter.
    Returns:         ratio in [0, 1], 0 where nothing was retrieved; None where the question
                     has no content words. A hint: other words may say the same.
    Source:          ragmon, the list of ragmon.text.content_words.

    >>> query_term_coverage(Text("What is a closed module?"), (Text("Modules are closed."),))
    0.5
    """
    missing = wanted = content_words(query.word_set)
    for text in retrieved_texts:
        missing -= text.word_set
    return (len(wanted) - len(missing)) / len(wanted) if wanted else None


@metric(unit=Unit.MILLISECONDS, better=Better.LOWER, buckets=())
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
