"""The words of a question that say what it is about."""

from typing import Final

_PRONOUNS = """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
    himself she her hers herself it its itself they them their theirs themselves one ones
    this that these those here there
"""
_QUESTIONS = "what which who whom whose when where why how whether if"
_VERBS = """
    am is are was were be been being do does did doing done have has had having can could may
    might must shall should will would ought get gets got let s t d ll m re ve don doesn didn
    isn aren wasn weren won wouldn shouldn couldn hasn haven hadn ain
"""
_LINKS = """
    a an the and or but nor so yet as at by for from in into of off on onto out over to up upon
    with within without about above across after against along among around before behind below
    beneath beside between beyond during except inside near outside since through throughout
    till toward towards under until via per than then because while though although unless
"""
_DEGREES = """
    no not none any some all both each every either neither other others another such same own
    very too just only also again once more most much many few less least several quite rather
    ever never always please
"""
FUNCTION_WORDS: Final = frozenset(f"{_PRONOUNS} {_QUESTIONS} {_VERBS} {_LINKS} {_DEGREES}".split())
"""English words that carry no subject; a fixed list, so that a text scores the same tomorrow."""


def content_words(words: frozenset[str]) -> frozenset[str]:
    """Those of some word tokens that are no English function words.

    >>> sorted(content_words(frozenset({"what", "is", "the", "capital"})))
    ['capital']
    """
    return words - FUNCTION_WORDS
