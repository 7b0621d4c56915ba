"""The demo's documents: Python's own language reference, as CPython ships it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pydoc_data.topics import topics as _shipped

import ragmon
from ragmon.demo.words import words

PASSAGE_WORDS = 110
_SHINGLE_WORDS = 8
_CONTAINED = 0.9
_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\s*\Z)", re.DOTALL)
_TITLE = re.compile(r"\S.*\n\s*([*=\-~^])\1{3,}")

Shingles = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a topic. `id` is `topic#n`, counted from 0; `score` is the last stage's."""

    id: str
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Corpus:
    """The topics of the reference.

    shipped: every topic -> its text. topics: the same without those that a larger one holds.
    """

    shipped: Mapping[str, str]
    topics: Mapping[str, str]


def load_corpus(shipped: Mapping[str, str] = _shipped) -> Corpus:
    """Leave out each topic of which another one holds at least nine tenths."""
    shingles = {topic: _shingles(text) for topic, text in shipped.items()}
    kept = dict(sorted(shipped.items()))
    for topic in sorted(shipped, key=lambda name: (len(shingles[name]), name)):
        others = [shingles[other] for other in kept if other != topic]
        if _is_contained(shingles[topic], others):
            del kept[topic]
    return Corpus(shipped=shipped, topics=kept)


@ragmon.chunking
def split(source_id: str, source: str) -> list[Passage]:
    """Cut a topic into passages of whole paragraphs; a title begins a new passage."""
    spans = _pack(source)
    return [Passage(f"{source_id}#{n}", source[start:end]) for n, (start, end) in enumerate(spans)]


def _shingles(text: str) -> Shingles:
    sequence = words(text)
    starts = range(max(1, len(sequence) - _SHINGLE_WORDS + 1))
    return frozenset(sequence[start : start + _SHINGLE_WORDS] for start in starts)


def _is_contained(own: Shingles, others: list[Shingles]) -> bool:
    return any(len(own & other) >= _CONTAINED * len(own) for other in others)


def _pack(source: str) -> list[tuple[int, int]]:
    packed: list[tuple[int, int]] = []
    for start, end in _blocks(source):
        if packed and _belongs(source, packed[-1], (start, end)):
            packed[-1] = (packed[-1][0], end)
        else:
            packed.append((start, end))
    return packed


def _belongs(source: str, passage: tuple[int, int], block: tuple[int, int]) -> bool:
    """Whether a block joins the passage before it: below a bare title, or where it fits."""
    if _TITLE.fullmatch(source, *passage):
        return True
    return not _TITLE.fullmatch(source, *block) and _fits(source, passage[0], block[1])


def _blocks(source: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    for paragraph in _PARAGRAPH.finditer(source):
        blocks += _cut(source, *paragraph.span())
    return blocks


def _cut(source: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a paragraph that is too long at line ends; one line is never cut."""
    if _fits(source, start, end):
        return [(start, end)]
    pieces: list[tuple[int, int]] = []
    for line in re.finditer(r"[^\n]+", source[start:end]):
        line_start, line_end = start + line.start(), start + line.end()
        if pieces and _fits(source, pieces[-1][0], line_end):
            pieces[-1] = (pieces[-1][0], line_end)
        else:
            pieces.append((line_start, line_end))
    return pieces


def _fits(source: str, start: int, end: int) -> bool:
    return len(words(source[start:end])) <= PASSAGE_WORDS
