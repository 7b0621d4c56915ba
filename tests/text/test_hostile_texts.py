"""Texts that were made to cost time or to crash."""

import time

import pytest

from ragmon.text import Text

SIZE = 60_000
PIECES = [
    *("1", "1,", "12,", "12,34,", "1,234,", "1.", "1.1", "1 ", "[1,", "[1, 1", "1e", "1e9", "-"),
    *(".", "1:", "10:10", "1/", "01/01/", "2024-01-", "May 1, ", "1 May ", "1st of ", "a1", "1½"),
    *("½", "T1", "one ", "two hundred and ", "hundred ", "twenty-", "a hundred ", " ", "\n"),
    *("\n1. ", "1.\t", "a ", "the", "\u00a0", "1\u00a0", "\u0301", "e\u0301", "\U00011301"),
    *("\ud800", "İ", "Σ.", "\x00", "'"),
]


def _everything(text: str) -> None:
    read = Text(text)
    assert read.squad_set is not None
    assert read.word_set is not None
    assert read.answer_numbers is not None
    assert read.context_numbers is not None


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_cost_grows_with_the_length_only(piece: str) -> None:
    """No text makes a rule go back over it again and again; this takes about a second."""
    text = (piece * (SIZE // len(piece) + 1))[:SIZE]
    start = time.process_time()
    _everything(text)
    _everything(f"[{text}é")
    assert time.process_time() - start < 5


def test_ten_megabytes_are_read() -> None:
    """A text of ten megabytes with lone surrogates is read like any other."""
    text = Text("one café \udcff 12,345 the " * 400_000)
    assert 5 * 400_000 == len(text.words)
    assert {"1", "12345"} == text.context_numbers
    assert frozenset({"one", "café", "\udcff", "12345"}) == text.squad_set
