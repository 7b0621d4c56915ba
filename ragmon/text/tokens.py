"""The word-token rule: runs of letters, digits, underscores and combining marks.

Tokens are compared as the NFC form of their lower case. Each token is lowered by itself,
since lowering a whole text may move what follows and lets a neighbour change a letter.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

_WORD = string.ascii_letters + string.digits + "_"
_ASCII_WORDS = bytes(ord(chr(code).lower()) if chr(code) in _WORD else 0x20 for code in range(256))

# Combining marks exist in the first two planes and among the variation selectors.
_MARKED = (range(0x300, 0x20000), range(0xE0000, 0xE1000))
# The parts of the higher planes that hold marks; emoji lie between them.
_HIGH_MARKS = re.compile("[\U00010000-\U0001efff\U000e0000-\U000e0fff]")


def word_tokens(text: str) -> tuple[str, ...]:
    """The word tokens of a text, in order.

    >>> word_tokens("Don't stop at 1,234.5!")
    ('don', 't', 'stop', 'at', '1', '234', '5')
    """
    if text.isascii():
        return tuple(text.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split())
    return tuple([_compared(word) for word in _pattern_of(text).findall(text)])


def joined(tokens: Iterable[str]) -> str:
    """Tokens as one text, each between two spaces, so that whole runs of them can be found.

    >>> " b c " in joined(("a", "b", "c")), joined(())
    (True, ' ')
    """
    return "".join((" ", *(f"{token} " for token in tokens)))


def word_spans(text: str) -> tuple[tuple[str, int, int], ...]:
    """The word tokens of a text with their start and end, in code points of the text as given.

    >>> word_spans("Hi, Bob!")
    (('hi', 0, 2), ('bob', 4, 7))
    """
    return tuple(
        (_compared(match[0]), match.start(), match.end())
        for match in _pattern_of(text).finditer(text)
    )


def word_edges(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word token, in code points of the text as given."""
    return (match.span() for match in _pattern_of(text).finditer(text))


def _compared(word: str) -> str:
    return unicodedata.normalize("NFC", word.lower())


def _pattern_of(text: str) -> re.Pattern[str]:
    return word_pattern(high=_HIGH_MARKS.search(text) is not None)


@cache
def word_pattern(*, high: bool) -> re.Pattern[str]:
    """The token rule as a pattern; without `high` only for texts without marks beyond U+FFFF.

    A set of characters that ends at U+FFFF is matched several times faster.
    """
    marks = [chr(code) for plane in _MARKED for code in plane if _is_mark(code)]
    wanted = marks if high else [mark for mark in marks if mark <= "\uffff"]
    return re.compile(rf"[\w{''.join(_ranges(wanted))}]+")


def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code)).startswith("M")


def _ranges(characters: list[str]) -> Iterator[str]:
    """Runs of neighbouring characters, as they stand in a set of a pattern."""
    for _, run in groupby(enumerate(characters), key=lambda placed: ord(placed[1]) - placed[0]):
        members = [character for _, character in run]
        yield f"{members[0]}-{members[-1]}"
