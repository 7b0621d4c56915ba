"""The formulas that more than one metric uses, or that need more than a line."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from ragmon.text import Text

_LONGEST: Final = 10_000


def hits(ranked_ids: Sequence[str], gold_ids: frozenset[str], k: int) -> int:
    """How many of the first k ids are relevant."""
    return sum(found in gold_ids for found in first(ranked_ids, k))


def first(ranked_ids: Sequence[str], k: int) -> Sequence[str]:
    """The first k ids.

    Raises:
        ValueError: if k is below 1.
    """
    return ranked_ids[: cut_off(k)]


def cut_off(k: int) -> int:
    """The cut-off as it is.

    Raises:
        ValueError: if k is below 1.
    """
    if k < 1:
        raise ValueError(f"k={k} must be 1 or more")
    return k


def reciprocal_rank(ranked_ids: Sequence[str], gold_ids: frozenset[str]) -> float:
    """One over the rank of the first relevant id; 0 where there is none."""
    rank = first_rank(ranked_ids, gold_ids)
    return 0.0 if rank is None else 1 / rank


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


def harmonic_mean(precision: float, recall: float) -> float:
    """2PR / (P + R); 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def average_precision(ranked_ids: Sequence[str], gold_ids: frozenset[str], k: int) -> float:
    """Mean precision at the relevant ranks of the first k, over the best possible number.

    `gold_ids` holds at least one id.
    """
    found = 0
    precisions = 0.0
    for rank, ranked in enumerate(first(ranked_ids, k), start=1):
        if ranked in gold_ids:
            found += 1
            precisions += found / rank
    return precisions / min(len(gold_ids), k)


def first_rank(ranked_ids: Sequence[str], gold_ids: frozenset[str]) -> int | None:
    """The rank of the first relevant id, None where there is none."""
    ranks = (rank for rank, found in enumerate(ranked_ids, start=1) if found in gold_ids)
    return next(ranks, None)


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], p: float) -> float:
    """Extrapolated rank-biased overlap of two rankings without repeats, neither one empty.

    Equation 32 of Webber et al. 2010; with the shorter list of length s and the longer of
    length l, the agreement at s is taken to hold on for what the shorter one lacks.
    """
    short, long = sorted((one, other), key=len)
    overlaps = _overlaps(short, long)
    s, end = len(short), len(long)
    at_s, at_end = overlaps[s - 1], overlaps[-1]
    seen = sum(overlap / depth * p**depth for depth, overlap in enumerate(overlaps, start=1))
    unseen = sum(at_s * (depth - s) / (s * depth) * p**depth for depth in range(s + 1, end + 1))
    return (1 - p) / p * (seen + unseen) + ((at_end - at_s) / end + at_s / s) * p**end


def _overlaps(short: Sequence[str], long: Sequence[str]) -> list[int]:
    """How many ids the first d of both lists share, for every depth d of the longer one."""
    overlaps = []
    shared = 0
    seen: set[str] = set()
    for found, partner in zip_longest(long, short):
        for ranked in (found, partner):
            if ranked in seen:
                shared += 1
            elif ranked is not None:
                seen.add(ranked)
        overlaps.append(shared)
    return overlaps


def best_of(
    score: Callable[[Sequence[str], Sequence[str]], float], answer: Text, references: Iterable[Text]
) -> float | None:
    """The best score of an answer's SQuAD tokens against those of each reference answer."""
    return max(
        [score(answer.squad, answer.alike(reference).squad) for reference in references],
        default=None,
    )


def equal(tokens: Sequence[str], reference: Sequence[str]) -> float:
    """1 if two texts have the same tokens, else 0."""
    return float(tokens == reference)


def overlap_f1(tokens: Sequence[str], reference: Sequence[str]) -> float:
    """F1 of the tokens that two texts share, each occurrence counted; 1 if both are empty."""
    if not tokens or not reference:
        return float(not tokens and not reference)
    return 2 * _shared(tokens, reference) / (len(tokens) + len(reference))


def share_matched(tokens: Sequence[str], reference: Sequence[str]) -> float:
    """Share of a text's tokens that another one has too; 1 if both are empty, 0 if one is."""
    if not tokens or not reference:
        return float(not tokens and not reference)
    return _shared(tokens, reference) / len(tokens)


def share_found(tokens: Sequence[str], reference: Sequence[str]) -> float:
    """Share of the reference's tokens that a text has too; 1 if both are empty, 0 if one is."""
    return share_matched(reference, tokens)


def _shared(tokens: Sequence[str], reference: Sequence[str]) -> int:
    """How many occurrences of tokens two texts share."""
    left = Counter(reference)
    shared = 0
    for token in tokens:
        if left[token] > 0:
            left[token] -= 1
            shared += 1
    return shared


def subsequence_f1(tokens: Sequence[str], reference: Sequence[str]) -> float:
    """F1 of the longest common subsequence of two texts, of each at most the first 10,000."""
    tokens, reference = tokens[:_LONGEST], reference[:_LONGEST]
    if not tokens or not reference:
        return float(not tokens and not reference)
    return 2 * longest_common_subsequence(tokens, reference) / (len(tokens) + len(reference))


def longest_common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest sequence that both hold in order, with gaps.

    Bit-parallel as in Hyyrö 2004: a whole row of the table is one integer, in which a place
    of `one` that raised the length is a zero.
    """
    places: dict[str, int] = {}
    for place, token in enumerate(one):
        places[token] = places.get(token, 0) | 1 << place
    whole = row = (1 << len(one)) - 1
    for token in other:
        matched = row & places.get(token, 0)
        row = (row + matched | row - matched) & whole
    return len(one) - row.bit_count()


def phrase_test(text: Text) -> Callable[[str], bool]:
    """A test whether a text states a phrase: its word tokens in a row, whole words only.

    A phrase without word tokens is looked for by its characters, in any case.
    """
    spaced = f" {' '.join(text.words)} "

    def states(phrase: str) -> bool:
        words = text.alike(Text(phrase)).words
        if words:
            return f" {' '.join(words)} " in spaced
        return phrase.casefold() in text.raw.casefold()

    return states


def best_support(tokens: Sequence[str], word_sets: Sequence[frozenset[str]]) -> int | None:
    """The place of the set that holds most of the tokens, None if each holds less than half.

    Of equal ones the first; None without tokens.
    """
    held = [sum(map(words.__contains__, tokens)) for words in word_sets]
    most = max(held, default=0)
    return held.index(most) if most and 2 * most >= len(tokens) else None


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


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """The mean of those that are not None; None where there are none.

    >>> mean_of_known([1.0, None, 2.0]), mean_of_known([None])
    (1.5, None)
    """
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
