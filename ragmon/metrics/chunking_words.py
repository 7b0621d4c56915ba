"""Chunking: what words alone say of cohesion and boundaries, where there are no vectors."""

from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Final, TypeAlias

from ragmon.metrics.declare import stage
from ragmon.metrics.kernels import mean_of_known
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text
from ragmon.text.sentences import each_sentence
from ragmon.text.tokens import word_tokens

ChunkTexts: TypeAlias = tuple[tuple[Text, ...], ...]

_WIDTH: Final = 12
"""Words on either side of a boundary."""
_SENTENCES: Final = 500
"""Of a longer chunk the first so many count: there are as many pairs as their square."""

metric = stage("chunking")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def lexical_cohesion(chunk_texts: ChunkTexts) -> float | None:
    """How many words the sentences of a chunk share.

        mean over chunks of the mean over i < j of |s[i] & s[j]| / |s[i] | s[j]|

    chunk_texts: per document its chunks; s are the word sets of a chunk's sentences that have
                 words, of more than 500 the first 500.
    Returns:     ratio in [0, 1]; None where no chunk has two sentences. Stands in for
                 semantic_cohesion.
    Source:      ragmon; Jaccard 1912.

    >>> lexical_cohesion(((Text("The cat sat. The cat ran."), Text("Dogs bark.")),))
    0.5
    """
    return mean_of_known(
        _mean_overlap(_sentence_sets(text)) for texts in chunk_texts for text in texts
    )


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def lexical_boundary_clarity(chunk_texts: ChunkTexts) -> float | None:
    """How few words stand on both sides of where one chunk ends and the next begins.

        mean over neighbours of 1 - |l & r| / |l | r|

    chunk_texts: per document its chunks, in order; l are the last 12 words of a chunk and r the
                 first 12 of the next. A pair with a side without words is left out.
    Returns:     ratio in [0, 1]; None where there is no such pair. Stands in for
                 semantic_boundary_clarity.
    Source:      ragmon; Jaccard 1912.

    >>> lexical_boundary_clarity(((Text("a b c"), Text("c d")),))
    0.75
    """
    shared = mean_of_known(
        _overlap(frozenset(left.words[-_WIDTH:]), frozenset(right.words[:_WIDTH]))
        for texts in chunk_texts
        for left, right in pairwise(texts)
        if left.words and right.words
    )
    return None if shared is None else 1 - shared


@metric(unit=Unit.RATIO, better=Better.NONE)
def lexical_chunk_stickiness(chunk_texts: ChunkTexts) -> float | None:
    """How many words neighbouring chunks share, maybe split without need.

        mean over neighbours of |c[i] & c[i + 1]| / |c[i] | c[i + 1]|

    chunk_texts: per document its chunks, in order; c are their word sets. A pair without any
                 word is left out.
    Returns:     ratio in [0, 1]; None where there is no such pair. Stands in for
                 semantic_chunk_stickiness.
    Source:      ragmon; Jaccard 1912.

    >>> lexical_chunk_stickiness(((Text("a b c"), Text("c d")),))
    0.25
    """
    return mean_of_known(
        _overlap(left.word_set, right.word_set)
        for texts in chunk_texts
        for left, right in pairwise(texts)
    )


def _overlap(one: frozenset[str], other: frozenset[str]) -> float | None:
    every = len(one | other)
    return len(one & other) / every if every else None


def _sentence_sets(text: Text) -> list[frozenset[str]]:
    sets = (frozenset(word_tokens(sentence)) for sentence in each_sentence(text.raw))
    return list(islice(filter(None, sets), _SENTENCES))


def _mean_overlap(sets: Sequence[frozenset[str]]) -> float | None:
    """The mean over all pairs; None without one. Sets are bits of a number, which is quicker."""
    if len(sets) < 2:
        return None
    number_of = {word: number for number, word in enumerate(frozenset().union(*sets))}
    masks = [_mask([number_of[word] for word in words], len(number_of)) for words in sets]
    sizes = [len(words) for words in sets]
    shared = (
        ((one & other).bit_count(), size + other_size)
        for at, (one, size) in enumerate(zip(masks, sizes, strict=True))
        for other, other_size in zip(masks[:at], sizes[:at], strict=True)
    )
    return mean_of_known(both / (every - both) for both, every in shared)


def _mask(numbers: Iterable[int], width: int) -> int:
    """A number with these of its `width` bits set."""
    octets = bytearray(width // 8 + 1)
    for number in numbers:
        octets[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(octets, "little")
