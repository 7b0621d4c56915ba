"""Sentences: at line breaks, then by the library; nothing of the text is lost."""

import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragmon.text.sentences import each_sentence, sentences

SPACES = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())
any_text = st.text(st.characters(exclude_categories=()), max_size=60)
awkward = st.text(st.sampled_from(f"{SPACES}AbJ.!?…。\uff01\ud800\udfff\"'()1\u0301"), max_size=30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" \n\t\n", ()),
        ("It works. See Dr. Smith for more.", ("It works.", "See Dr. Smith for more.")),
        ("no stop\nanother\r\nthird", ("no stop", "another", "third")),
        ("He said “Go.” Then 5 left! ok", ("He said “Go.”", "Then 5 left!", "ok")),
        ("今天天气很好。我们去公园。", ("今天天气很好。", "我们去公园。")),
        ("Lone \ud800 half. Next\udfff.", ("Lone \ud800 half.", "Next\udfff.")),
        ("Wide\u00a0space. Next one.", ("Wide\u00a0space.", "Next one.")),
    ],
)
def test_sentences_by_example(text: str, expected: tuple[str, ...]) -> None:
    """A sentence ends with its line or its full stop, and keeps its characters."""
    assert expected == sentences(text)


@settings(max_examples=60)
@given(any_text | awkward)
@example("J\u2005.\u2018U.S\u2014\u2003J.R\u2018?")
def test_sentences_lose_nothing_but_space(text: str) -> None:
    """Every character that is no white space stands in one sentence, in order."""
    assert "".join(text.split()) == "".join("".join(sentences(text)).split())
    assert all(one == one.strip() != "" for one in sentences(text))


def test_sentences_are_found_when_asked_for() -> None:
    """The first sentence of a long text costs no more than its line."""
    assert "One." == next(each_sentence("One. Two.\n" + "x" * 10_000_000))
