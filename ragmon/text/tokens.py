"""The word-token rule: runs of letters, digits, underscores and combining marks.

Tokens are compared as the NFC form of their lower case. Each token is lowered by itself,
since lowering a whole text may move what follows and lets a neighbour change a letter.
"""

import re
import string
import unicodedata
from functools import cache

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
    found = word_pattern(bool(_HIGH_MARKS.search(text))).findall(text)
    return _compared(found) if found else ()


def word_spans(text: str) -> tuple[tuple[str, int, int], ...]:
    """The word tokens of a text with their start and end, in code points of the text as given.

    >>> word_spans("Hi, Bob!")
    (('hi', 0, 2), ('bob', 4, 7))
    """
    spans = [match.span() for match in word_pattern(high=True).finditer(text)]
    if not spans:
        return ()
    tokens = _compared([text[start:end] for start, end in spans])
    return tuple((token, start, end) for token, (start, end) in zip(tokens, spans, strict=True))


def _compared(found: list[str]) -> tuple[str, ...]:
    # One pass over all tokens equals one over each: a line feed takes part in no lower-case
    # rule and composes with nothing.
    return tuple(unicodedata.normalize("NFC", "\n".join(found).lower()).split("\n"))


@cache
def word_pattern(high: bool) -> re.Pattern[str]:
    """The token rule as a pattern; without `high` only for texts without marks beyond U+FFFF.

    A set of characters that ends at U+FFFF is matched several times faster.
    """
    marks = [code for planes in _MARKED for code in planes if _is_mark(code)]
    wanted = marks if high else [code for code in marks if code <= 0xFFFF]
    return re.compile(rf"[\w{''.join(map(chr, wanted))}]+")


def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code)).startswith("M")
