"""Where chunks and evidence stand in a source, against searches that look everywhere."""

from typing import TypeAlias

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragmon.text.locate import Located, Place, locate, locate_all, locate_evidence
from ragmon.text.source import Source
from ragmon.text.tokens import word_spans

Span: TypeAlias = tuple[int, int]

any_text = st.text(st.characters(exclude_categories=()), max_size=40)
few_words = st.lists(
    st.sampled_from(["a", "A", "b", "ab", " ", "  ", "\n", ".", "-", "e\u0301", "é", "\ud800"]),
    max_size=30,
).map("".join)
texts = any_text | few_words


def _exact(raw: str, text: str, cursor: int) -> Span | None:
    at = raw.find(text, cursor)
    return None if at < 0 else (at, at + len(text))


def _same_words(raw: str, text: str, cursor: int) -> Span | None:
    words = [word for word, _, _ in word_spans(text)]
    spans = word_spans(raw)
    for first, (_, start, _) in enumerate(spans):
        run = spans[first : first + len(words)]
        if words and start >= cursor and [word for word, _, _ in run] == words:
            return start, run[-1][2]
    return None


def _everywhere(raw: str, text: str, cursor: int) -> Span | None:
    if not text.strip():
        return None
    tried = (look(raw, text, at) for look in (_exact, _same_words) for at in (cursor, 0))
    return next((found for found in tried if found is not None), None)


@settings(max_examples=60)
@given(texts, texts, st.integers(0, 40))
@example("xa b" + " " * 2000 + "a b", "a b", 2)
@example("a b " * 700 + "a b c", "a b c", 1)
@example("a b " * 700, "b b c", 1)
def test_a_text_is_found_as_by_looking_everywhere(raw: str, text: str, cursor: int) -> None:
    """The index changes the cost of a search, not what it finds."""
    place = locate(Source(raw), text, cursor)
    assert _everywhere(raw, text, cursor) == (place and place[:2])


@settings(max_examples=60)
@given(few_words, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=8))
def test_chunks_are_found_in_their_order(raw: str, cuts: list[Span]) -> None:
    """Each is looked for behind the start of the one before, then from the beginning."""
    chunks = [raw[start : start + length] for start, length in cuts]
    cursor, expected = 0, []
    for chunk in chunks:
        span = _everywhere(raw, chunk, cursor)
        cursor = cursor if span is None else span[0] + 1
        expected.append(span)
    located = locate_all(Source(raw), [(chunk, None) for chunk in chunks])
    assert tuple(expected) == located.spans
    assert expected.count(None) == located.unlocated


@pytest.mark.parametrize(
    ("raw", "chunks", "expected"),
    [
        ("", [], Located((), 0, 0, 0)),
        ("", [("", None), (" ", None), ("a", None)], Located((None,) * 3, 3, 0, 0)),
        ("go stop go stop", [("go stop", None)] * 2, Located(((0, 7), (8, 15)), 0, 0, 0)),
        ("ababa", [("aba", None)] * 2, Located(((0, 3), (2, 5)), 0, 0, 0)),
        ("hello world", [("hel", None), ("lo world", None)], Located(((0, 3), (3, 11)), 0, 0, 0)),
        ("A b. c", [("a B", None), ("c!", None)], Located(((0, 3), (5, 6)), 0, 0, 0)),
        ("a b", [("a b", (0, 3))], Located(((0, 3),), 0, 0, 0)),
        ("a b", [("Title a b", (0, 3)), ("a", (0, 1))], Located(((0, 3), (0, 1)), 0, 1, 0)),
        ("a b", [("b", (2, 9)), ("a", (1, 0))], Located(((2, 3), (0, 1)), 0, 2, 0)),
        ("a b", [("b", (-1, 1)), ("c", (9, 9))], Located(((2, 3), None), 1, 2, 0)),
        ("a b a c", [("c", None), ("a", None)], Located(((6, 7), (0, 1)), 0, 0, 1)),
        ("a b c", [("c", None), ("a", None)], Located(((4, 5), (0, 1)), 0, 0, 0)),
        ("a b", [("a b c d e", None)], Located((None,), 1, 0, 0)),
        ("lone \ud800 half", [("\ud800 HALF", None)], Located(((7, 11),), 0, 0, 0)),
    ],
)
def test_located_chunks(raw: str, chunks: list[tuple[str, Span | None]], expected: Located) -> None:
    """Offsets inside the source are trusted, others are none; doubts are counted."""
    assert expected == locate_all(Source(raw), chunks)


@pytest.mark.parametrize(
    ("raw", "text", "expected"),
    [
        ("start art", "art", Place(6, 9)),
        ("Art art", " art\n", Place(4, 7, ambiguous=True)),
        ("(x) x (x)", "(x)", Place(1, 2, ambiguous=True)),
        ("x (x)", "(x)", Place(3, 4, ambiguous=True)),
        ("A  B", "a b!", Place(0, 4)),
        ("hello world", "lo world", Place(3, 11)),
        ("aaaa", "aa", Place(0, 2, ambiguous=True)),
        ("a b", "...", None),
        ("a b", "", None),
        ("a b", "c", None),
    ],
)
def test_located_evidence(raw: str, text: str, expected: Place | None) -> None:
    """Whole words come before the same letters within a word, and these letters before none."""
    assert expected == locate_evidence(Source(raw), text)


def test_evidence_within_a_word_can_be_refused() -> None:
    """A document that only has the letters does not hold the words."""
    assert locate_evidence(Source("start"), "art", cut=False) is None


@settings(max_examples=60)
@given(texts, st.integers(0, 40), st.integers(0, 40))
def test_tokens_of_a_span(raw: str, start: int, end: int) -> None:
    """Covered, touched, tight and trimmed agree with a look at every character."""
    source, spans = Source(raw), word_spans(raw)
    inside = [at for at, (_, s, e) in enumerate(spans) if start <= s and e <= end]
    held = [at for at, (_, s, e) in enumerate(spans) if max(s, start) < min(e, end)]
    letters = [at for _, s, e in spans for at in range(s, e) if start <= at < end]
    assert inside == list(range(*source.covered(start, end)))
    assert held == list(range(*source.touched(start, end)))
    assert ((letters[0], letters[-1] + 1) if letters else None) == source.tight(start, end)
    assert len(raw[:end].rstrip()) == source.trimmed(min(end, len(raw)))


def test_ten_megabytes_without_space() -> None:
    """Chunks of one endless word are found by their place, those of another one are not."""
    source = Source("ab" * 5_000_000)
    found = locate_all(source, [("ab" * 50, None)] * 1000 + [("c" * 50, None)])
    assert (0, 100) == found.spans[0]
    assert (1998, 2098) == found.spans[999]
    assert 1 == found.unlocated
