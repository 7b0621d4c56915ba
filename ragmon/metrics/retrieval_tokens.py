"""Retrieval by tokens: how much of the evidence was found, whatever the chunks it came in?"""

from ragmon.metrics import positions
from ragmon.metrics.declare import stage
from ragmon.metrics.kernels import cut_off
from ragmon.metrics.positions import Ranges
from ragmon.metrics.spec import Better, Unit
from ragmon.model.corpus import TokenRange

metric = stage("retrieval")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def token_recall(
    retrieved_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...], *, k: int
) -> float | None:
    """Share of the evidence's tokens that the first k results hold.

        |R & G| / |G|, R the tokens of retrieved[:k], G those of the evidence

    retrieved_ranges: (n,) where each result lies in its document, best first; a repeated id
                      counts once, at its first rank. One that could not be located is None
                      and holds no token.
    evidence_ranges:  (g,) gold spans; tokens where they overlap count once.
    k:                cut-off, k >= 1; n may be smaller.
    Returns:          ratio in [0, 1], 0 where nothing was retrieved; None where g = 0.
    Source:           Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval.

    >>> token_recall((TokenRange("d", 0, 4),), (TokenRange("d", 3, 5),), k=1)
    0.5
    """
    retrieved = retrieved_ranges[: cut_off(k)]
    wanted = positions.covered(evidence_ranges)
    return positions.shared(retrieved, evidence_ranges) / wanted if wanted else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def token_precision(
    retrieved_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...], *, k: int
) -> float | None:
    """Share of the first k results' tokens that are evidence.

        |R & G| / |R|, R the tokens of retrieved[:k], G those of the evidence

    retrieved_ranges: (n,) where each result lies in its document, best first; a repeated id
                      counts once, at its first rank, and so do tokens where results overlap.
                      One that could not be located is None and holds no token.
    evidence_ranges:  (g,) gold spans.
    k:                cut-off, k >= 1; n may be smaller.
    Returns:          ratio in [0, 1]; None where the results hold no token, or g = 0.
    Source:           Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval,
                      where repeated tokens count again.

    >>> token_precision((TokenRange("d", 0, 4),), (TokenRange("d", 3, 5),), k=1)
    0.25
    """
    retrieved = retrieved_ranges[: cut_off(k)]
    held = positions.covered(retrieved)
    return positions.shared(retrieved, evidence_ranges) / held if held and evidence_ranges else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def token_iou(
    retrieved_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...], *, k: int
) -> float | None:
    """Overlap of the first k results with the evidence, by tokens.

        |R & G| / |R | G|, R the tokens of retrieved[:k], G those of the evidence

    retrieved_ranges: (n,) where each result lies in its document, best first; a repeated id
                      counts once, at its first rank, and so do tokens where results overlap.
                      One that could not be located is None and holds no token.
    evidence_ranges:  (g,) gold spans; tokens where they overlap count once.
    k:                cut-off, k >= 1; n may be smaller.
    Returns:          ratio in [0, 1], 0 where nothing was retrieved; None where g = 0.
    Source:           Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval,
                      where repeated tokens count again; here it is the Jaccard index.

    >>> token_iou((TokenRange("d", 0, 4),), (TokenRange("d", 3, 5),), k=1)
    0.2
    """
    retrieved = retrieved_ranges[: cut_off(k)]
    if not evidence_ranges:
        return None
    either = positions.covered([*retrieved, *evidence_ranges])
    return positions.shared(retrieved, evidence_ranges) / either if either else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def complete_evidence_recall(
    retrieved_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...], *, k: int
) -> float | None:
    """Share of the gold spans that one of the first k results holds whole.

        |{span : all its tokens stand in one chunk of retrieved[:k]}| / g

    retrieved_ranges: (n,) where each result lies in its document, best first; a repeated id
                      counts once, at its first rank. One that could not be located is None
                      and holds nothing.
    evidence_ranges:  (g,) gold spans.
    k:                cut-off, k >= 1; n may be smaller.
    Returns:          ratio in [0, 1], 0 where nothing was retrieved; None where g = 0.
    Source:           ragmon; a span that two chunks share is not complete.

    >>> halves = (TokenRange("d", 0, 4), TokenRange("d", 4, 8))
    >>> complete_evidence_recall(halves, (TokenRange("d", 1, 3), TokenRange("d", 3, 5)), k=2)
    0.5
    """
    retrieved = retrieved_ranges[: cut_off(k)]
    complete = sum(positions.whole(span, retrieved) for span in evidence_ranges)
    return complete / len(evidence_ranges) if evidence_ranges else None
