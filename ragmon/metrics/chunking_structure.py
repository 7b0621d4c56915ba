"""Chunking: does the split keep what belongs together?"""

from bisect import bisect_left
from collections.abc import Sequence
from statistics import fmean

from ragmon.metrics import kernels
from ragmon.metrics.chunk_cover import SpanMatch
from ragmon.metrics.chunking_inputs import Boundaries
from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit

metric = stage("chunking")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def evidence_completeness(evidence_matches: tuple[SpanMatch, ...]) -> float | None:
    """Share of the gold evidence that stands whole in one chunk.

        |{g : g in one C}| / |G|

    evidence_matches: (g,) per evidence text that the sources hold, whether one chunk covers
                      all of its tokens; texts that no source holds are left out.
    Returns:          ratio in [0, 1]; None where g = 0.
    Source:           ragmon.

    >>> evidence_completeness((SpanMatch(whole=True, touched=1), SpanMatch(whole=False, touched=2)))
    0.5
    """
    return fmean(one.whole for one in evidence_matches) if evidence_matches else None


@metric(
    unit=Unit.AMOUNT,
    better=Better.NONE,
    buckets=(0.0, 0.5, 0.75, 0.9, 0.99, 1.0, 1.01, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0),
)
def evidence_fragmentation(evidence_matches: tuple[SpanMatch, ...]) -> float | None:
    """Mean number of chunks that a piece of gold evidence touches; 1 is best.

        sum(|{C : C & g}|) / |G|

    evidence_matches: (g,) per evidence text that the sources hold, the chunks that share at
                      least one character of a token with it.
    Returns:          a number >= 0; 0 where all of it is lost, beyond 1 also for evidence that
                      is whole in the overlap of two chunks; None where g = 0.
    Source:           ragmon.

    >>> evidence_fragmentation((SpanMatch(True, touched=1), SpanMatch(False, touched=2)))
    1.5
    """
    return fmean(one.touched for one in evidence_matches) if evidence_matches else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def structural_integrity(block_matches: tuple[SpanMatch, ...]) -> float | None:
    """Share of the tables, code blocks, lists and headings that stay whole.

        |{b : b in one C}| / |B|

    block_matches: (b,) per outermost Markdown block of the sources that has a token, whether
                   one chunk covers all of its tokens.
    Returns:       ratio in [0, 1]; None where b = 0, as for plain text and for HTML.
    Source:        ragmon; blocks as in CommonMark 0.31, and the tables of GitHub.

    >>> structural_integrity((SpanMatch(whole=True, touched=1), SpanMatch(whole=False, touched=2)))
    0.5
    """
    return fmean(one.whole for one in block_matches) if block_matches else None


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def boundary_f1(boundaries: Boundaries, boundary_tolerance: int) -> float | None:
    """Balance of the split points that are ideal and the ideal ones that were found.

        2PR / (P + R); P: share of the ends of chunks with an ideal one near,
        R: share of the ideal ends with an end of a chunk near

    boundaries:         the ends of the chunks, predicted and ideal, in code points without
                        the white space before them; the document's own end is none.
    boundary_tolerance: so many code points away is near; one end may be near several.
    Returns:            ratio in [0, 1], 0 where one side has no ends; None where neither has.
    Source:             Pevzner & Hearst 2002, section 2, on precision and recall of
                        boundaries; the tolerance is ragmon's.

    >>> boundary_f1(Boundaries(frozenset({5, 9}), frozenset({6})), 1) == 2 / 3
    True
    """
    if boundary_tolerance < 0:
        raise ValueError(f"boundary_tolerance={boundary_tolerance} must be 0 or more")
    predicted, ideal = sorted(boundaries.predicted), sorted(boundaries.ideal)
    if not predicted or not ideal:
        return 0.0 if predicted or ideal else None
    return kernels.harmonic_mean(
        fmean(_is_near(end, ideal, boundary_tolerance) for end in predicted),
        fmean(_is_near(end, predicted, boundary_tolerance) for end in ideal),
    )


def _is_near(end: int, others: Sequence[int], tolerance: int) -> bool:
    """Whether any of the others, sorted, is at most so far away."""
    at = bisect_left(others, end - tolerance)
    return at < len(others) and others[at] <= end + tolerance
