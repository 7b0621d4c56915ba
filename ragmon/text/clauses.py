"""Clauses: the smallest parts of a text that say something by themselves."""

import re
from collections.abc import Iterator

import sentencex

# Where a clause ends within a sentence: at a semicolon, and before a turn.
_TURN = re.compile(
    ";|, +(?=(?:but|however|though|although|yet|so|and i|and we|while|whereas)\\b)"
    "| (?:\u2013|\u2014|--) ",
    re.IGNORECASE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")
"""What no UTF-8 can carry, so that the library refuses the whole text."""
_CONCESSION = re.compile(
    r"\s*(?:while|although|though|even though|even if|whereas)\b\s*([^,]*),\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_OPENING = re.compile(
    r"^(?:(?:but|however|though|although|yet|so|and|while|whereas|unfortunately|sadly|sorry|"
    r"apologies|regrettably|therefore|thus|hence|additionally|also|still|as such|"
    r"at this time|currently)\b[\s,:]*)+(?=\S)",
    re.IGNORECASE,
)


def sentences(text: str) -> tuple[str, ...]:
    r"""The sentences of a text; a line break ends one.

    >>> sentences("It works. See Dr. Smith\nfor more")
    ('It works.', 'See Dr. Smith', 'for more')
    """
    whole = _SURROGATE.sub("\ufffd", text)
    found = (part for line in whole.splitlines() for part in sentencex.segment("en", line))
    return tuple(part.strip() for part in found if not part.isspace())


def clauses(text: str) -> Iterator[str]:
    """The clauses of every sentence, without the words that only connect them.

    >>> list(clauses("It costs 5; taxes are extra. Although it rains, we go."))
    ['It costs 5', 'taxes are extra.', 'it rains', 'we go.']
    """
    for sentence in sentences(text):
        for part in _TURN.split(sentence):
            conceded = _CONCESSION.fullmatch(part)
            for clause in conceded.groups() if conceded else (part,):
                bare = _OPENING.sub("", clause.strip())
                if bare:
                    yield bare
