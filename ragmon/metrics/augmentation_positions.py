"""Augmentation by tokens: what of the context is evidence, and where does it stand?"""

from ragmon.metrics import positions
from ragmon.metrics.declare import stage
from ragmon.metrics.positions import Ranges
from ragmon.metrics.spec import Better, Unit
from ragmon.model.corpus import TokenRange
from ragmon.text import Text

metric = stage("augmentation")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def context_precision(
    context_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...]
) -> float | None:
    """Share of the context's tokens that are evidence.

        |C & G| / |C|, C the tokens of the context, G those of the evidence

    context_ranges:  (n,) where each chunk of the context lies in its document; tokens where
                     chunks overlap or repeat count once. One that could not be located is
                     None and holds no token.
    evidence_ranges: (g,) gold spans.
    Returns:         ratio in [0, 1]; None where the context holds no token, or g = 0.
    Source:          token precision of Smith & Troynikov 2024, over the packed context.

    >>> context_precision((TokenRange("d", 0, 4),), (TokenRange("d", 3, 5),))
    0.25
    """
    held = positions.covered(context_ranges)
    if not held or not evidence_ranges:
        return None
    return positions.shared(context_ranges, evidence_ranges) / held


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def context_recall(context_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...]) -> float | None:
    """Share of the evidence's tokens that reached the context.

        |C & G| / |G|, C the tokens of the context, G those of the evidence

    context_ranges:  (n,) where each chunk of the context lies in its document; one that could
                     not be located is None and holds no token.
    evidence_ranges: (g,) gold spans; tokens where they overlap count once.
    Returns:         ratio in [0, 1], 0 for an empty context; None where g = 0.
    Source:          token recall of Smith & Troynikov 2024, over the packed context.

    >>> context_recall((TokenRange("d", 0, 4),), (TokenRange("d", 3, 5),))
    0.5
    """
    wanted = positions.covered(evidence_ranges)
    return positions.shared(context_ranges, evidence_ranges) / wanted if wanted else None


@metric(unit=Unit.RATIO, better=Better.LOWER)
def context_noise(context_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...]) -> float | None:
    """Share of the context's tokens that are no evidence.

        1 - context_precision

    context_ranges:  (n,) where each chunk of the context lies in its document; tokens where
                     chunks overlap or repeat count once. One that could not be located is
                     None and holds no token.
    evidence_ranges: (g,) gold spans.
    Returns:         ratio in [0, 1]; None where the context holds no token, or g = 0.
    Source:          the complement of context_precision.

    >>> context_noise((TokenRange("d", 0, 4),), (TokenRange("d", 3, 5),))
    0.75
    """
    precision = context_precision(context_ranges, evidence_ranges)
    return None if precision is None else 1 - precision


@metric(unit=Unit.BINARY, better=Better.HIGHER)
def context_sufficient(
    context_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...]
) -> float | None:
    """Whether every gold span is whole in a chunk of the context.

        1 if each span has all its tokens in one chunk else 0

    context_ranges:  (n,) where each chunk of the context lies in its document; one that could
                     not be located is None and holds nothing.
    evidence_ranges: (g,) gold spans; what was not found in its document is not among them.
    Returns:         0 or 1, 0 for an empty context; None where g = 0.
    Source:          ragmon; a span that two chunks share is not sufficient.

    >>> context_sufficient((TokenRange("d", 0, 4),), (TokenRange("d", 3, 5),))
    0.0
    """
    if not evidence_ranges:
        return None
    return float(all(positions.whole(span, context_ranges) for span in evidence_ranges))


@metric(unit=Unit.RATIO, better=Better.LOWER, on_hashes=True)
def duplicate_ratio(context_texts: tuple[Text, ...], context_ranges: Ranges) -> float | None:
    """Share of the context's tokens that repeat a place of the sources.

        (t - |C|) / t, t the word tokens of the context, C the places that they stand at

    context_texts:  (n,) chunks of the context. A title added to a chunk has no place in the
                    source and counts as a repeat.
    context_ranges: (n,) where each of them lies in its document, None where that is not known.
    Returns:        ratio in [0, 1]; None where a chunk could not be located, where the
                    context has no word tokens, or fewer of them than places: then its texts
                    are not whole.
    Source:         ragmon; duplicate_ratio_text needs no registered sources.

    >>> duplicate_ratio((Text("a b"), Text("b c")), (TokenRange("d", 0, 2), TokenRange("d", 1, 3)))
    0.25
    """
    tokens = sum(len(text.words) for text in context_texts)
    repeated = tokens - positions.covered(context_ranges)
    if None in context_ranges or not tokens or repeated < 0:
        return None
    return repeated / tokens


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def evidence_edge_placement(
    context_ranges: Ranges, evidence_ranges: tuple[TokenRange, ...]
) -> float | None:
    """How near to the ends of the context the evidence stands.

        mean of |2p - 1| over the chunks that hold evidence, p = place / (n - 1), from 0

    context_ranges:  (n,) where each chunk of the context lies in its document, in the order
                     of the context; one that could not be located is None, keeps its place
                     and holds no evidence.
    evidence_ranges: (g,) gold spans; a chunk with one token of them holds evidence.
    Returns:         ratio in [0, 1], 1 at the ends, 0 in the middle; a context of one chunk
                     has it at the end. None where no chunk holds evidence, or g = 0.
    Source:          Liu et al. 2024, Lost in the Middle.

    >>> chunks = (TokenRange("d", 0, 2), TokenRange("d", 2, 4), TokenRange("d", 4, 6))
    >>> evidence_edge_placement(chunks, (TokenRange("d", 1, 3),))
    0.5
    """
    last = len(context_ranges) - 1
    edges = [
        abs(2 * place / last - 1) if last else 1.0
        for place, chunk in enumerate(context_ranges)
        if positions.meets(chunk, evidence_ranges)
    ]
    return sum(edges) / len(edges) if edges else None
