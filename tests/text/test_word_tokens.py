"""The word-token rule against its reference."""

import re
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragmon.text import Text
from ragmon.text.query import normalise_query
from ragmon.text.tokens import word_pattern, word_spans, word_tokens

ALL_MARKS = [
    chr(code)
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)).startswith("M")
]
REFERENCE = re.compile(rf"[\w{''.join(ALL_MARKS)}]+")

any_text = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(ALL_MARKS),
        st.sampled_from("aZ_9 .\n\x00\x1cİ\u03a3\u03c3ßﬁ²½٣\ud800😀é\u2019—"),
    ),
    max_size=60,
)


def _reference(text: str) -> tuple[tuple[str, int, int], ...]:
    return tuple(
        (unicodedata.normalize("NFC", match[0].lower()), match.start(), match.end())
        for match in REFERENCE.finditer(text)
    )


@given(any_text)
@example("")
@example("\u039f\u0394\u039f\u03a3.\u0391")
@example("\U00011301a x\U00011301\U00011301y 😀b")
def test_tokens_and_spans_equal_the_reference(text: str) -> None:
    """Whatever the text, the fast tokeniser gives what the plain rule gives."""
    expected = _reference(text)
    assert expected == word_spans(text)
    assert tuple(token for token, _, _ in expected) == word_tokens(text)


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_ascii_texts_equal_the_reference(text: str) -> None:
    """The path for ASCII texts gives what the plain rule gives."""
    assert tuple(token for token, _, _ in _reference(text)) == word_tokens(text)


@pytest.mark.parametrize("high", [True, False])
def test_every_mark_of_unicode_is_part_of_a_word(*, high: bool) -> None:
    """No combining mark of this Python's Unicode is forgotten."""
    pattern = word_pattern(high=high)
    known = ALL_MARKS if high else [mark for mark in ALL_MARKS if mark <= "\uffff"]
    assert [] == [mark for mark in known if not pattern.fullmatch(mark)]


def test_composed_and_decomposed_spellings_are_one_token() -> None:
    """Tokens are compared in one normal form, wherever the accent is stored."""
    assert word_tokens("caf\u00e9") == word_tokens("cafe\u0301")


def test_each_token_is_lowered_by_itself() -> None:
    """A neighbour beyond a point does not decide which sigma ends a word."""
    assert ("\u03bf\u03b4\u03bf\u03c2", "\u03b1") == word_tokens("\u039f\u0394\u039f\u03a3.\u0391")


def test_a_normalised_query_is_its_word_tokens() -> None:
    """Case, punctuation and white space do not tell two queries apart."""
    assert normalise_query(Text("What is RAG?")) == normalise_query(Text(" what\tIS, rag"))
    assert "" == normalise_query(Text("?!"))


@given(any_text)
def test_normalising_a_query_again_changes_nothing(text: str) -> None:
    """A normalised query is its own normal form."""
    once = normalise_query(Text(text))
    assert once == normalise_query(Text(once))


def test_a_text_reads_itself_once() -> None:
    """Every derived form of a text is computed on first use and kept."""
    text = Text("The 2 cats, two cats")
    for name in ("words", "word_set", "squad", "squad_set", "answer_numbers", "context_numbers"):
        assert getattr(text, name) is getattr(text, name)
    assert frozenset({"the", "2", "cats", "two"}) == text.word_set
    assert frozenset({"2", "cats", "two"}) == text.squad_set


def test_texts_are_equal_by_their_characters_and_show_none_of_them() -> None:
    """A text compares by content, and its repr keeps the content to itself."""
    assert Text("secret") == Text("secret")
    assert Text("secret") != "secret"
    assert 1 == len({Text("secret"), Text("secret")})
    assert "Text(6 characters)" == repr(Text("secret"))
