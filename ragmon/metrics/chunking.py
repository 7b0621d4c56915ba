"""Chunking: is everything kept, in chunks of the right size?"""

import math
from statistics import fmean, pstdev

from ragmon.metrics.chunking_inputs import Coverage
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit

metric = stage("chunking")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def coverage(coverages: tuple[Coverage, ...]) -> float | None:
    """Share of the source's tokens that at least one chunk keeps.

        sum(|U|) / sum(N), over the documents

    coverages: (d,) per document with a source its tokens N and those wholly in a chunk, U; a
               word that two chunks cut in two is in neither.
    Returns:   ratio in [0, 1], 0 where there are no chunks; None where N = 0.
    Source:    ragmon.

    >>> coverage((Coverage(source=10, chunks=7, covered=7),))
    0.7
    """
    tokens = sum(one.source for one in coverages)
    return sum(one.covered for one in coverages) / tokens if tokens else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def size_compliance(
    chunk_sizes: tuple[int, ...], size_limits: tuple[int | None, int | None]
) -> float | None:
    """Share of the chunks whose size lies within the limits.

        |{C : low <= |C| <= high}| / n

    chunk_sizes: (n,) word tokens of every chunk.
    size_limits: fewest and most tokens, both inclusive; None leaves a side open.
    Returns:     ratio in [0, 1]; None where n = 0 or both sides are open.
    Source:      ragmon.

    >>> size_compliance((2, 4, 9), (3, None)) == 2 / 3
    True
    """
    fewest, most = size_limits
    if not chunk_sizes or (fewest is None and most is None):
        return None
    low, high = fewest or 0, math.inf if most is None else most
    return fmean(low <= size <= high for size in chunk_sizes)


@metric(unit=Unit.TOKENS, better=Better.NONE)
def mean_chunk_tokens(chunk_sizes: tuple[int, ...]) -> float | None:
    """Mean size of the chunks, in word tokens.

        sum(|C|) / n

    chunk_sizes: (n,) word tokens of every chunk, 0 for an empty one.
    Returns:     tokens >= 0; None where n = 0.
    Source:      ragmon.

    >>> mean_chunk_tokens((2, 4, 9))
    5.0
    """
    return fmean(chunk_sizes) if chunk_sizes else None


@metric(unit=Unit.TOKENS, better=Better.NONE)
def min_chunk_tokens(chunk_sizes: tuple[int, ...]) -> float | None:
    """Size of the smallest chunk, in word tokens.

        min(|C|)

    chunk_sizes: (n,) word tokens of every chunk, 0 for an empty one.
    Returns:     tokens >= 0; None where n = 0.
    Source:      ragmon.

    >>> min_chunk_tokens((2, 4, 9))
    2.0
    """
    return float(min(chunk_sizes)) if chunk_sizes else None


@metric(unit=Unit.TOKENS, better=Better.NONE)
def max_chunk_tokens(chunk_sizes: tuple[int, ...]) -> float | None:
    """Size of the largest chunk, in word tokens.

        max(|C|)

    chunk_sizes: (n,) word tokens of every chunk, 0 for an empty one.
    Returns:     tokens >= 0; None where n = 0.
    Source:      ragmon.

    >>> max_chunk_tokens((2, 4, 9))
    9.0
    """
    return float(max(chunk_sizes)) if chunk_sizes else None


@metric(
    unit=Unit.AMOUNT,
    better=Better.NONE,
    buckets=(0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
)
def size_cv(chunk_sizes: tuple[int, ...]) -> float | None:
    """How unevenly sized the chunks are: the deviation of their sizes over the mean.

        sigma / mu, sigma of the population

    chunk_sizes: (n,) word tokens of every chunk.
    Returns:     a number >= 0, 0 where n = 1; None where n = 0 or all chunks are empty.
                 Sections differ in length, so lower is not always better.
    Source:      Everitt 1998, The Cambridge Dictionary of Statistics.

    >>> size_cv((2, 6))
    0.5
    """
    mean = fmean(chunk_sizes) if chunk_sizes else 0
    return pstdev(chunk_sizes) / mean if mean else None


@metric(
    unit=Unit.AMOUNT,
    better=Better.LOWER,
    buckets=(0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0),
)
def overlap_ratio(coverages: tuple[Coverage, ...]) -> float | None:
    """How many tokens the chunks hold beyond those of the source that they cover.

        (sum(|C|) - |U|) / |U|, over the documents

    coverages: (d,) per document with a source the tokens of all its chunk texts and those of
               the source wholly in a chunk, U. A title that the chunker adds counts as well.
    Returns:   a number >= 0, beyond 1 where the text is held more than twice, 0 where the
               texts are shorter than their offsets say; None where U is empty.
    Source:    ragmon.

    >>> overlap_ratio((Coverage(source=10, chunks=12, covered=8),))
    0.5
    """
    covered = sum(one.covered for one in coverages)
    held = sum(one.chunks for one in coverages)
    return max(0.0, (held - covered) / covered) if covered else None
