"""Clauses: the smallest parts of a text that say something by themselves."""

import re
from collections.abc import Iterator

from ragmon.text.sentences import sentences

# Where a clause ends within a sentence: at a semicolon, and before a turn.
_TURN = re.compile(
    ";|, +(?=(?:but|however|though|although|yet|so|and i|and we|while|whereas)\\b)"
    "| (?:\u2013|\u2014|--) ",
    re.IGNORECASE,
)
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
