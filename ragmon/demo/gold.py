"""Where in the corpus the evidence of a question stands on the CPython at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragmon.demo.corpus import Corpus, Passage
from ragmon.demo.questions import Evidence, Question
from ragmon.demo.words import word_spans, words

_LONGEST_EVIDENCE_WORDS = 200

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right for one question.

    relevant_ids: the passages that hold a word of the evidence, in corpus order.
    evidence: each located text under its topic, as (topic, text).
    not_found: evidence that this CPython words differently.
    """

    question: Question
    relevant_ids: tuple[str, ...]
    evidence: tuple[tuple[str, str], ...]
    not_found: tuple[Evidence, ...]


def locate(
    questions: Sequence[Question], corpus: Corpus, passages: Sequence[Passage]
) -> tuple[Gold, ...]:
    """Find the evidence of each question by its sequence of words.

    Every passage where the located words stand is relevant, since topics quote each other.
    """
    places = _places(passages)
    return tuple(_locate(question, corpus, places) for question in questions)


@dataclass(frozen=True, slots=True)
class _Place:
    """The words of one topic, and the passage that each of them stands in."""

    words: Words
    passage_ids: tuple[str, ...]


def _places(passages: Sequence[Passage]) -> tuple[_Place, ...]:
    by_topic: dict[str, list[Passage]] = {}
    for passage in passages:
        by_topic.setdefault(passage.id.partition("#")[0], []).append(passage)
    return tuple(_place(topic) for topic in by_topic.values())


def _place(passages: Sequence[Passage]) -> _Place:
    pairs = [(word, passage.id) for passage in passages for word in words(passage.text)]
    return _Place(tuple(word for word, _ in pairs), tuple(owner for _, owner in pairs))


def _locate(question: Question, corpus: Corpus, places: Sequence[_Place]) -> Gold:
    relevant: dict[str, None] = {}
    texts: list[tuple[str, str]] = []
    not_found: list[Evidence] = []
    for evidence in question.evidence:
        text = _text_of(evidence, corpus.shipped)
        ids = _passages_with(words(text), places) if text else {}
        relevant |= ids
        if ids:
            texts.append((evidence.topic, text))
        else:
            not_found.append(evidence)
    return Gold(question, tuple(relevant), tuple(texts), tuple(not_found))


def _text_of(evidence: Evidence, topics: Mapping[str, str]) -> str:
    """The text from the first to the last words of the evidence; empty if it is not there."""
    source = topics.get(evidence.topic, "")
    spoken, first, last = words(source), words(evidence.first), words(evidence.last)
    for start in _occurrences(first, spoken):
        reach = spoken[start : start + _LONGEST_EVIDENCE_WORDS]
        for end in _occurrences(last, reach):
            spans = word_spans(source)[start : start + end + len(last)]
            return source[spans[0][0] : spans[-1][1]]
    return ""


def _passages_with(sequence: Words, places: Sequence[_Place]) -> dict[str, None]:
    return dict.fromkeys(
        place.passage_ids[position]
        for place in places
        for start in _occurrences(sequence, place.words)
        for position in range(start, start + len(sequence))
    )


def _occurrences(sequence: Words, within: Words) -> Iterator[int]:
    """Positions where the sequence of words begins."""
    length = len(sequence)
    for start in range(len(within) - length + 1):
        if within[start] == sequence[0] and within[start : start + length] == sequence:
            yield start
