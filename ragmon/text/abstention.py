"""Whether an answer answers: by rule, from what its clauses are made of. English only."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from ragmon.text.clauses import clauses
from ragmon.text.language import may_be_english
from ragmon.text.refusals import BLANK, COURTESY, DECLINES
from ragmon.text.squad import squad_tokens
from ragmon.text.text import Text
from ragmon.text.tokens import word_tokens
from ragmon.text.word_rules import spaced

_GROUNDED: Final = 0.8
_READ: Final = 60
"""So many words of a clause are read: whoever declines has done so by then."""
_BLANK: Final = 6
"""No answer that stands in for none has more words."""

_APOSTROPHES: Final = "['`\u2018\u2019]"
_SHORT_NOT: Final = re.compile(rf"n{_APOSTROPHES}t\b", re.IGNORECASE)
_CONDITION: Final = re.compile(r"(?:if|unless|when|whenever|whether|in case|should)\b")
_CUE_WORDS: Final = """
    not no nothing none never neither nowhere cannot unable unknown unclear unsure little silent
    unanswerable insufficient lack lacks omit omits fail fails beyond outside decline refuse idk
    missing absent uncertain irrelevant hardly na n t
"""
_CUES: Final = frozenset(_CUE_WORDS.split())
"""Without one of these words nothing is declined; a short negation leaves a `t`."""


class Decision(StrEnum):
    """What an answer does with its question."""

    ANSWER = "answer"
    PARTIAL = "partial"
    ABSTAIN = "abstain"


def decide(answer: Text, context: Iterable[Text] = ()) -> Decision | None:
    """Whether an answer answers, does so in part, or abstains; None where it is no English.

    context: its chunks. A clause that seems to decline, and of which four words of five stand
    in the context, is told from there: it counts as an answer.

    >>> decide(Text("The documents do not mention the price.")).value
    'abstain'
    >>> decide(Text("It opens at 9. I could not find when it closes.")).value
    'partial'
    """
    if not may_be_english(answer):
        return None
    if len(answer.words) <= _BLANK and _plain(answer.raw) in BLANK:
        return Decision.ABSTAIN
    if _CUES.isdisjoint(answer.word_set):
        return Decision.ANSWER
    said = [(clause, _plain(clause)) for clause in clauses(answer.raw)]
    rest = [words for clause, words in said if not _declines(clause, words, context)]
    if len(rest) == len(said):
        return Decision.ANSWER
    return Decision.ABSTAIN if all(map(_is_courtesy, rest)) else Decision.PARTIAL


def _plain(text: str) -> str:
    """The first word tokens of a text, with every short negation written out."""
    words = " ".join(word_tokens(_SHORT_NOT.sub(" not", text))[:_READ])
    return words.replace("cannot", "can not").replace("ca not", "can not")


def _declines(clause: str, words: str, context: Iterable[Text]) -> bool:
    if _CUES.isdisjoint(words.split()) or clause.endswith("?") or _CONDITION.match(words):
        return False
    declines = words in BLANK or DECLINES.search(spaced(words)) is not None
    return declines and not _is_grounded(clause, context)


def _is_courtesy(words: str) -> bool:
    return not words or COURTESY.search(spaced(words)) is not None


def _is_grounded(clause: str, context: Iterable[Text]) -> bool:
    tokens = squad_tokens(clause)
    invented = set(tokens)
    for chunk in context:
        invented -= chunk.squad_set
    return sum(token not in invented for token in tokens) >= _GROUNDED * len(tokens) > 0
