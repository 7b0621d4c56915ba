"""Words, search terms and sentences: how the demo's app reads text."""

import re
from collections.abc import Iterator

_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“*])")
_PROSE_BREAK = re.compile(r"\n\s*\n")
_NO_PROSE = re.compile(r"::=|>>>|^[+|]|[*=\-~^]{4,}", re.MULTILINE)

_COMMON = """
    a an and any are as at be been before being but by can could did do does during each for
    from give given had has have how i if in into is it its many may mean more most much my of
    on one or other out pass same should so some such than that the their them then there
    these they this those to up used was we were what when where which while who why will
    with without would you your python
"""
_IGNORED = frozenset(_COMMON.split())


def words(text: str) -> tuple[str, ...]:
    """Lower-case words of a text, in order."""
    return tuple(word.lower() for word in _WORD.findall(text))


def word_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each word of a text begins and ends, in order."""
    return tuple(match.span() for match in _WORD.finditer(text))


def terms(text: str) -> tuple[str, ...]:
    """Search terms of a text: its words without common ones, plural endings cut."""
    return tuple(_singular(word) for word in words(text) if word not in _IGNORED)


def sentences(text: str) -> Iterator[str]:
    """Sentences of the prose of a text; titles, tables, grammar and sessions are skipped."""
    for paragraph in _PROSE_BREAK.split(text):
        if not _NO_PROSE.search(paragraph):
            yield from _SENTENCE_END.split(" ".join(paragraph.split()))


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word
