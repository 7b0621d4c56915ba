"""A guess whether a text is English, for rules that are."""

import re
from typing import Final

from ragmon.text.content_words import FUNCTION_WORDS
from ragmon.text.text import Text

# The commonest words of other languages in Latin letters that no English text has.
_GERMAN: Final = """
    der das den dem ein eine einer einem einen und ist sind nicht ich wir sie mit von zu im auf für
    es zum zur dass kein keine wird wurde werden auch sich bei nach aus über kann weiß
"""
_ROMANCE: Final = """
    le les une et est sont ne je nous vous il elle dans du au aux que qui ce cette pour avec sur
    sais aucune los las una uno y es del al por para con se lo su está están sé hay gli che di è
    sono non nel della delle dei questo questa os não é são em da dos um uma isto há
"""
_NORTHERN: Final = (
    "het een niet ik wij zij dat zijn deze voor och är inte jag det att som ikke jeg og"
)
_SLAVIC: Final = "nie jest są się na że jsou není pro"
_OTHER: Final = frozenset(f"{_GERMAN} {_ROMANCE} {_NORTHERN} {_SLAVIC}".split()) - FUNCTION_WORDS
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_TELLING: Final = 12
"""So many words without one English function word are no English."""


def may_be_english(text: Text) -> bool:
    """Whether nothing speaks against English; true for texts too short to tell.

    >>> may_be_english(Text("Das steht nicht im Dokument."))
    False
    >>> may_be_english(Text("42 km"))
    True
    """
    if not text.raw.isascii() and not _is_latin(text.raw):
        return False
    english = len(text.word_set & FUNCTION_WORDS)
    other = len(text.word_set & _OTHER)
    return other <= english if other or english else len(text.words) < _TELLING


def _is_latin(raw: str) -> bool:
    letters = sum(map(str.isalpha, raw))
    return 2 * len(_LATIN.findall(raw)) >= letters
