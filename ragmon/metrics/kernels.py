"""The formulas that more than one metric uses, or that need more than a line."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence


def hits(ranked_ids: Sequence[str], gold_ids: frozenset[str], k: int) -> int:
    """How many of the first k ids are relevant."""
    return sum(found in gold_ids for found in first(ranked_ids, k))


def first(ranked_ids: Sequence[str], k: int) -> Sequence[str]:
    """The first k ids.

    Raises:
        ValueError: if k is below 1.
    """
    if k < 1:
        raise ValueError(f"k={k} must be 1 or more")
    return ranked_ids[:k]


def reciprocal_rank(ranked_ids: Sequence[str], gold_ids: frozenset[str]) -> float:
    """One over the rank of the first relevant id; 0 where there is none."""
    for rank, found in enumerate(ranked_ids, start=1):
        if found in gold_ids:
            return 1 / rank
    return 0.0


def discounted_gain(grades: Iterable[float]) -> float:
    """Sum of (2**grade - 1) / log2(rank + 1) over grades in the order of their rank."""
    return sum(
        (math.exp2(grade) - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1)
    )


def normalised_gain(ranked_ids: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Discounted gain of the first k ids over that of the best order of all graded ids.

    `grades` holds at least one id, and only grades above 0.
    """
    gain = discounted_gain(grades.get(found, 0.0) for found in first(ranked_ids, k))
    return gain / discounted_gain(sorted(grades.values(), reverse=True)[:k])


def overlap_f1(tokens: Sequence[str], reference: Sequence[str]) -> float:
    """F1 of the tokens that two texts share, each occurrence counted; 1 if both are empty."""
    if not tokens or not reference:
        return float(not tokens and not reference)
    shared = (Counter(tokens) & Counter(reference)).total()
    return 2 * shared / (len(tokens) + len(reference))


def repeated_tokens(chunks: Iterable[tuple[str, ...]], width: int) -> int:
    """How many tokens lie in a run of `width` tokens that came before.

    A run stays within one chunk; it may have come before in the same one. A chunk that is
    equal to an earlier one counts whole, however short.
    """
    runs: set[tuple[str, ...]] = set()
    wholes: set[tuple[str, ...]] = set()
    repeated = 0
    for chunk in chunks:
        if chunk in wholes:
            repeated += len(chunk)
            continue
        wholes.add(chunk)
        distinct = set(_runs(chunk, width))
        if len(distinct) == max(0, len(chunk) - width + 1) and runs.isdisjoint(distinct):
            runs |= distinct
        else:
            repeated += _covered(_runs(chunk, width), runs, width)
    return repeated


def _runs(tokens: tuple[str, ...], width: int) -> Iterable[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(width)), strict=False)


def _covered(of_chunk: Iterable[tuple[str, ...]], runs: set[tuple[str, ...]], width: int) -> int:
    """How many tokens of a chunk lie in a run that came before; adds the chunk's to `runs`."""
    covered = end = 0
    for start, run in enumerate(of_chunk):
        if run in runs:
            covered += start + width - max(start, end)
            end = start + width
        runs.add(run)
    return covered
