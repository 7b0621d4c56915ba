"""The number rule: which numbers an answer states, and which ones a context supports.

Numbers are compared by their absolute value, since a sign is often a word (fell 5 %).
Rounded values and sums count as unsupported.
"""

import re

from ragmon.text.scan import Number, NumberKey, find_numbers, unsigned
from ragmon.text.spelled import spelled_numbers

_LIST_MARKER = re.compile(r"^[ \t]*+\d{1,3}[.)][ \t]++(?=\S)", re.MULTILINE)
_CITATION = re.compile(r"\[\^?\d{1,6}(?:\s*+[,;\u2013-]\s*+\^?\d{1,6})*+\]")


def answer_numbers(answer: str) -> tuple[Number, ...]:
    """The numbers an answer states, one per occurrence, in order.

    List markers at the start of a line and bracket citations are none; nor are numbers
    that are spelled out.

    >>> answer_numbers("1. It cost $3.5M [2].")
    (Number(surface='3.5M', keys=('3.5', '3500000')),)
    """
    return tuple(find_numbers(_CITATION.sub(" ", _LIST_MARKER.sub("", answer))))


def context_numbers(context: str, words: tuple[str, ...]) -> frozenset[NumberKey]:
    """The numbers a context supports, without signs. `words` are its word tokens.

    Spelled-out numbers count, and a date also supports its own year, month and day.

    >>> sorted(context_numbers("three, -5", ("three", "5")))
    ['3', '5']
    """
    known: set[NumberKey] = set(spelled_numbers(context, words))
    for number in find_numbers(context):
        for key in number.keys:
            known.add(unsigned(key))
            if isinstance(key, tuple) and key[0] == "date":
                known.update(key[1:])
    return frozenset(known)
