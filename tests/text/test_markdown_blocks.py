"""Markdown blocks: outermost ones, at their places in the text as given."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.text.blocks import blocks, looks_like_html
from ragmon.text.source import Source

LINES = ("# h", "- a", "  - b", "1. c", "```", "~~~", "    d", "> q", "|a|b|", "|-|-|", "===")
BREAKS = ("\n", "\r\n", "\r", "\u2028", "\x0b", "\x00", "\ud800", " ", "\t", "---", "word")
markdown = st.lists(st.sampled_from(LINES + BREAKS), max_size=40).map("".join)


def _found(text: str) -> list[tuple[str, str]]:
    return [(str(kind), text[start:end]) for kind, start, end in blocks(Source(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("plain\u2028# text", []),
        ("# a\u2028b\nc", [("heading", "# a\u2028b")]),
        ("a\r\n\r\n- x\r\n- y\r\n\r\nb", [("list", "- x\r\n- y")]),
        ("# a\r# b\r", [("heading", "# a"), ("heading", "# b")]),
        ("---\na: b\n...\n# c", [("heading", "# c")]),
        ("\ufeff---\r\na: b\r\n---\r\n- c", [("list", "- c")]),
        ("---\na: b\n", []),
        ("x\n---\na\n---\n", [("heading", "x\n---"), ("heading", "a\n---")]),
        ("- a\n\n      code\n\nb", [("list", "- a\n\n      code")]),
        ("```\nopen\n\nto the end  \n", [("code", "```\nopen\n\nto the end")]),
        ("> # a\n> - b\n", []),
        ("\ud800\n\n# \udfff", [("heading", "# \udfff")]),
        ("a\x00\n\n# b", [("heading", "# b")]),
    ],
)
def test_blocks_by_example(text: str, expected: list[tuple[str, str]]) -> None:
    """Lines end as in Markdown, front matter is none of it, and places are those of the text."""
    assert expected == _found(text)


@settings(max_examples=60)
@given(markdown)
def test_blocks_stand_in_order(text: str) -> None:
    """No block begins before the one ahead of it ends; none ends in white space."""
    found = blocks(Source(text))
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(
        0 <= one.start < one.end <= len(text) and not text[one.end - 1].isspace() for one in found
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<!doctype html>", True),
        ("\n <HTML lang=en>", True),
        ("<?xml version='1.0'?>", True),
        ("<head><title>", True),
        ("<div align=center>\n\n# Name", False),
        ("<htmlish>", False),
        ("# <html>", False),
        ("", False),
    ],
)
def test_a_web_page_is_no_markdown(text: str, html: bool) -> None:
    """Only what begins as a whole page is one."""
    assert html == looks_like_html(text)


@pytest.mark.parametrize("piece", ["> ", "- ", "* a\n", "|", "[a](", "[a\n", "```\n", "<a ", "\n"])
def test_blocks_cost_grows_with_the_length_only(piece: str) -> None:
    """No text makes the parser go back over it again and again."""
    start = time.process_time()
    blocks(Source(piece * (30_000 // len(piece))))
    assert time.process_time() - start < 3
