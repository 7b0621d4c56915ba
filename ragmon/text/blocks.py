"""The blocks of a Markdown text that a reader needs whole: headings, lists, tables, code."""

import re
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from markdown_it import MarkdownIt

from ragmon.text.source import Source


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


class Block(NamedTuple):
    """One block: [start, end) in code points, without the white space after it."""

    kind: BlockKind
    start: int
    end: int


_KINDS: Final = {
    "heading_open": BlockKind.HEADING,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "table_open": BlockKind.TABLE,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
}
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]+")
_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*(?:\r\n|\n|\r)"
    r"(?:[^\r\n]*(?:\r\n|\n|\r))*?"
    r"(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)"
)
_HTML = re.compile(r"\ufeff?\s*<(?:!doctype\s+html|\?xml|html|head|body)\b", re.IGNORECASE)


def blocks(source: Source) -> tuple[Block, ...]:
    r"""The blocks of a Markdown text that lie in no other block, in order.

    >>> blocks(Source("Title\n=====\n\n- one\n  - two\n\nEnd\n"))[1]
    Block(kind=<BlockKind.LIST: 'list'>, start=13, end=26)
    """
    text = _FRONT_MATTER.sub(lambda found: _LINE.sub(_blank, found[0]), source.raw)
    lines = [0, *(found.end() for found in _LINE_BREAK.finditer(text)), len(text)]
    return tuple(
        Block(_KINDS[token.type], lines[token.map[0]], source.trimmed(lines[token.map[1]]))
        for token in _parser().parse(text)
        if token.level == 0 and token.map and token.type in _KINDS
    )


def looks_like_html(text: str) -> bool:
    r"""Whether a text is a web page; Markdown with some HTML in it is none.

    >>> looks_like_html("<!DOCTYPE html><p>x"), looks_like_html("<p align=center>\n# Title")
    (True, False)
    """
    return _HTML.match(text) is not None


@cache
def _parser() -> MarkdownIt:
    """Blocks only: what stands within a line decides nothing."""
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def _blank(line: re.Match[str]) -> str:
    return " " * len(line[0])
