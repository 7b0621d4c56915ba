"""Sentences: a line break ends one, within a line a library tells where the next begins."""

import re
from collections.abc import Iterator

import sentencex

_SURROGATE = re.compile("[\ud800-\udfff]")
"""What no UTF-8 can carry, so that the library refuses the whole line."""
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")
"""White space of several bytes; the library panics where some stands before a full stop."""


def sentences(text: str) -> tuple[str, ...]:
    r"""The sentences of a text; a line break ends one.

    >>> sentences("It works. See Dr. Smith\nfor more")
    ('It works.', 'See Dr. Smith', 'for more')
    """
    return tuple(each_sentence(text))


def each_sentence(text: str) -> Iterator[str]:
    """The sentences of a text, each found when it is asked for."""
    for line in text.splitlines():
        start = 0
        for part in sentencex.segment("en", _readable(line)):
            end = start + len(part)
            sentence = line[start:end].strip()
            if sentence:
                yield sentence
            start = end


def _readable(line: str) -> str:
    """A line of the same length that the library can read."""
    if line.isascii():
        return line
    return _WIDE_SPACE.sub(" ", _SURROGATE.sub("\ufffd", line))
