"""Embedding: are the vectors sound, and do they find what they should?"""

import numpy as np
from numpy.typing import NDArray

from ragmon.metrics import kernels
from ragmon.metrics import vectors as vector_kernels
from ragmon.metrics.declare import stage
from ragmon.metrics.embedding_matches import GoldMatch, IndexMatch
from ragmon.metrics.kernels import mean_of_known
from ragmon.metrics.spec import Better, Unit
from ragmon.model.indexing import Vector

metric = stage("embedding")


@metric(unit=Unit.RATIO, better=Better.LOWER)
def zero_norm_rate(vector_norms: Vector) -> float | None:
    """Share of the vectors that are all zeros, which no search can find.

        |{v : ||v|| = 0}| / |V|

    vector_norms: (n,) lengths of the valid vectors; 0 only where every number is 0.
    Returns:      ratio in [0, 1]; None where n = 0.
    Source:       ragmon.

    >>> zero_norm_rate(np.array([1.0, 0.0]))
    0.5
    """
    return float(np.mean(vector_norms == 0)) if vector_norms.size else None


@metric(unit=Unit.RATIO, better=Better.LOWER)
def duplicate_vector_rate(vectors: NDArray[np.float64]) -> float | None:
    """Share of the vectors that repeat another one bit by bit.

        (|V| - |distinct vectors|) / |V|

    vectors: (n, d) valid vectors in any order; -0.0 equals 0.0.
    Returns: ratio in [0, 1); None where n = 0. Equal vectors mostly mean equal texts.
    Source:  ragmon.

    >>> duplicate_vector_rate(np.array([[1.0, 0.0], [1.0, -0.0]]))
    0.5
    """
    return 1 - vector_kernels.distinct(vectors) / len(vectors) if len(vectors) else None


@metric(unit=Unit.AMOUNT, better=Better.NONE)
def mean_vector_norm(vector_norms: Vector) -> float | None:
    """Mean length of the vectors, about 1 where the model normalises them.

        sum(||v||) / |V|, Euclidean

    vector_norms: (n,) lengths of the valid vectors, those of all zeros included.
    Returns:      a number >= 0; None where n = 0. A change tells of another model.
    Source:       ragmon.

    >>> mean_vector_norm(np.array([1.0, 0.0]))
    0.5
    """
    return float(np.mean(vector_norms)) if vector_norms.size else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def index_coverage(vector_ids: tuple[str, ...], indexed_ids: frozenset[str]) -> float | None:
    """Share of the embedded chunks that the index holds.

        |{ids of V} & {indexed}| / |{ids of V}|

    vector_ids:  (n,) ids of the vectors; a repeat counts once.
    indexed_ids: ids in the index; others than those of the vectors do not matter.
    Returns:     ratio in [0, 1], 0 for an empty index; None where n = 0.
    Source:      ragmon.

    >>> index_coverage(("a", "b"), frozenset({"b", "c"}))
    0.5
    """
    ids = frozenset(vector_ids)
    return len(ids & indexed_ids) / len(ids) if ids else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def query_topk_recall(gold_matches: tuple[GoldMatch, ...], *, k: int) -> float | None:
    """Share of the gold chunks among the k whose vectors are nearest to the query.

        mean over queries of |E & G| / |G|, E = exact top min(k, n) by cosine

    gold_matches: per query with gold the exact ranks of its gold chunks; ties stand in the
                  order of the vectors, a gold chunk without a vector is not found.
    k:            cut-off, k >= 1; n may be smaller.
    Returns:      ratio in [0, 1], 0 where nothing was embedded; None without such a query.
    Source:       Manning, Raghavan & Schütze 2008, section 8.3, over exhaustive search.

    >>> query_topk_recall((GoldMatch(wanted=2, ranks=(1, 4), positive=0.9, negative=0.1),), k=3)
    0.5
    """
    top = kernels.cut_off(k)
    return mean_of_known(
        sum(rank <= top for rank in one.ranks) / one.wanted for one in gold_matches
    )


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def ann_recall_at_k(index_matches: tuple[IndexMatch, ...], *, k: int) -> float | None:
    """Share of the k nearest chunks that the approximate index returns as well.

        mean over queries of |{index[:k]} & E| / |E|, E = exact top min(k, n) by cosine

    index_matches: per query the exact ranks of what the index returned, a repeated id once;
                   a cosine within 1e-9 of the last in E is in E, for such ties are not the
                   index's fault.
    k:             cut-off, k >= 1; fewer results than k are misses, n may be smaller.
    Returns:       ratio in [0, 1], 0 where the index returned nothing; None where n = 0.
    Source:        Aumüller, Bernhardsson & Faithfull 2020, ANN-Benchmarks, section 2.2.

    >>> ann_recall_at_k((IndexMatch(ranks=(1, 4), embedded=5),), k=2)
    0.5
    """
    top = kernels.cut_off(k)
    return mean_of_known(
        sum(rank <= min(top, one.embedded) for rank in one.ranks[:top]) / min(top, one.embedded)
        for one in index_matches
        if one.embedded
    )


@metric(unit=Unit.SIGNED, better=Better.HIGHER)
def positive_similarity(gold_matches: tuple[GoldMatch, ...]) -> float | None:
    """How near the gold chunks are to their queries.

        mean over queries of mean cos(q, c), c in G

    gold_matches: per query with gold the mean cosine with its embedded gold chunks.
    Returns:      a cosine in [-1, 1], 0 for vectors of all zeros; None where no gold chunk
                  is embedded.
    Source:       Manning, Raghavan & Schütze 2008, section 6.3.

    >>> positive_similarity((GoldMatch(wanted=1, ranks=(1,), positive=0.75, negative=0.25),))
    0.75
    """
    return mean_of_known(one.positive for one in gold_matches)


@metric(unit=Unit.SIGNED, better=Better.LOWER)
def negative_similarity(gold_matches: tuple[GoldMatch, ...]) -> float | None:
    """How near all other chunks are to the queries.

        mean over queries of mean cos(q, c), c not in G

    gold_matches: per query with gold the mean cosine with all chunks that are not gold.
    Returns:      a cosine in [-1, 1], 0 for vectors of all zeros; None where every chunk is
                  gold.
    Source:       Manning, Raghavan & Schütze 2008, section 6.3.

    >>> negative_similarity((GoldMatch(wanted=1, ranks=(1,), positive=0.75, negative=0.25),))
    0.25
    """
    return mean_of_known(one.negative for one in gold_matches)


@metric(unit=Unit.SIGNED, better=Better.HIGHER)
def similarity_margin(gold_matches: tuple[GoldMatch, ...]) -> float | None:
    """How much nearer the gold chunks are to the queries than all others.

        mean over queries of (positive similarity - negative similarity)

    gold_matches: per query with gold both mean cosines.
    Returns:      a number in [-2, 2], below 0 where the others are nearer; None where no
                  query has both gold and other chunks.
    Source:       ragmon.

    >>> similarity_margin((GoldMatch(wanted=1, ranks=(1,), positive=0.75, negative=0.25),))
    0.5
    """
    return mean_of_known(map(_margin, gold_matches))


def _margin(match: GoldMatch) -> float | None:
    if match.positive is None or match.negative is None:
        return None
    return match.positive - match.negative
