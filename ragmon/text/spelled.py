"""Numbers that are spelled out in English: two hundred and five, twenty-first."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ORDINALS = (
    *("zeroth", "first", "second", "third", "fourth"),
    *("fifth", "sixth", "seventh", "eighth", "ninth"),
)

_ORDINAL_VALUES = {
    **{word: value for value, word in enumerate(_ORDINALS)},
    **{
        ("twelfth" if word == "twelve" else f"{word}th"): value
        for value, word in enumerate(_TEENS, start=10)
    },
    **{f"{word[:-1]}ieth": 10 * value for value, word in enumerate(_TENS, start=2)},
    **{f"{word}th": 10**power for word, power in _SCALES.items()},
}
_VALUES = {
    **{word: value for value, word in enumerate(_UNITS + _TEENS)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
    **{word: 10**power for word, power in _SCALES.items()},
    **_ORDINAL_VALUES,
}
_WORDS = frozenset(_VALUES)
_COMPOSING = frozenset(_TENS) | frozenset(_SCALES) | {f"{scale}th" for scale in _SCALES}
_JOINING = _WORDS | {"a", "and"}

_GAP = r"[\s\u2010\u2011-]{1,3}"
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True))
_INITIALS = "".join(sorted({word[0] for word in (*_VALUES, "a")}))
_SCALE = "|".join(_SCALES)
_MAX_WORDS = 40
# For lower-case texts: ignoring case here costs four times as much.
_PHRASE = re.compile(
    rf"(?<!\w)(?=[{_INITIALS}])(?:a(?={_GAP}(?:{_SCALE})\b)|(?:{_WORD})\b)"
    rf"(?:(?:{_GAP}and)?{_GAP}(?:{_WORD})\b){{0,{_MAX_WORDS}}}"
)
_PART = re.compile(r"[a-z]+")


def spelled_numbers(text: str, words: tuple[str, ...]) -> frozenset[str]:
    """The numbers spelled out in a text, in plain digits. `words` are its word tokens.

    A scale that stands alone is none: the hundred of "3 hundred" belongs to the 3.

    >>> text = "The second of two hundred and five"
    >>> sorted(spelled_numbers(text, tuple(text.lower().split())))
    ['2', '205']
    """
    found = _WORDS.intersection(words)
    if not (found & _COMPOSING and _may_compose(words)):
        return frozenset([str(_VALUES[word]) for word in found if word not in _SCALES])
    return frozenset(
        str(value)
        for phrase in _PHRASE.finditer(text.lower())
        for value in _values(_PART.findall(phrase[0]))
    )


def _may_compose(words: tuple[str, ...]) -> bool:
    """Whether a word that makes part of longer numbers stands beside one that joins it."""
    return any(
        (left in _COMPOSING and right in _JOINING) or (right in _COMPOSING and left in _JOINING)
        for left, right in pairwise(words)
    )


@dataclass(slots=True)
class _Reading:
    """A number as far as it was read: closed groups, the open group below a thousand."""

    total: int = 0
    group: int = 0
    begun: bool = False
    scale: int = 10**15
    after_scale: bool = False

    @property
    def value(self) -> int:
        return self.total + self.group

    def take(self, value: int) -> bool:
        """Add a word's value; False where the word cannot belong to this number."""
        if value < 100:
            return self._take_small(value)
        return self._take_hundred() if value == 100 else self._take_scale(value)

    def _take_small(self, value: int) -> bool:
        rest = self.group % 100
        fits = (not rest and (self.group or not self.begun)) or (
            rest >= 20 and not rest % 10 and 0 < value < 10
        )
        if not fits or (self.value and not value):
            return False
        self.group += value
        self.begun, self.after_scale = True, False
        return True

    def _take_hundred(self) -> bool:
        if not 0 < self.group < 100:
            return False
        self.group *= 100
        self.after_scale = True
        return True

    def _take_scale(self, value: int) -> bool:
        if not self.group or value >= self.scale:
            return False
        self.total += self.group * value
        self.group, self.begun, self.scale, self.after_scale = 0, False, value, True
        return True


def _values(words: Sequence[str]) -> Iterator[int]:
    reading, ended = _Reading(), False
    for before, word in zip(("", *words), words, strict=False):
        if word == "and":
            continue
        value = 1 if word == "a" else _VALUES[word]
        joins = not ended and (before != "and" or reading.after_scale)
        if not (joins and reading.take(value)):
            if reading.begun or reading.total:
                yield reading.value
            reading = _Reading()
            if not reading.take(value) and word in _ORDINAL_VALUES:
                yield value
        ended = word in _ORDINAL_VALUES
    if reading.begun or reading.total:
        yield reading.value
