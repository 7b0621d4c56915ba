"""Finding the numbers of a text, from left to right, the longest kind first.

Kinds: dates, times, dotted versions, numbers. A number is not found inside a word (B12), nor
after the point of one that began in a word (v2.5).
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from ragmon.text.dates import DATE, read_date
from ragmon.text.decimals import FRACTIONS, canonical, exponent_of, mixed

NumberKey: TypeAlias = str | tuple[str, ...]
"""What a number is compared by: plain digits, or a kind (date, time, dotted) and its parts."""


class Number(NamedTuple):
    """One number of a text: its characters, and every reading that is acceptable for it.

    A plain reading keeps its minus sign; `supported_by` ignores it.
    """

    surface: str
    keys: tuple[NumberKey, ...]

    def supported_by(self, known: frozenset[NumberKey]) -> bool:
        """Whether one of the readings is among the numbers known, whatever its sign."""
        return any(unsigned(key) in known for key in self.keys)


_SPELLED_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
# An abbreviation may as well be a unit (5 m), so the bare number stays acceptable.
_SHORT_SCALES = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "tn": 12}
_SCALES = "|".join(sorted(_SPELLED_SCALES | _SHORT_SCALES, key=len, reverse=True))
_VULGAR = f"[{''.join(FRACTIONS)}]"

# Every repetition is possessive or bounded, so that no text makes the search go back far.
_NUMERAL: Final = rf"""
    (?P<time>(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?!\d))
  | (?P<dotted>\d++(?:\.\d++){{2,}}+)
  | (?P<number>
      (?P<whole>
          \d{{1,3}}(?:,\d{{3}}){{1,20}}(?!\d)
        | \d{{1,3}}(?:[\u00a0\u202f]\d{{3}}){{1,20}}(?!\d)
        | \d{{1,2}}(?:,\d{{2}}){{1,20}},\d{{3}}(?!\d)
        | \d*+
      )
      (?:(?P<vulgar>{_VULGAR})|(?P<decimals>\.\d++)?(?:e(?P<exponent>[+-]?\d++)(?!\w))?)
      (?:(?:st|nd|rd|th)(?!\w))?
      (?:[ \u00a0\u202f]?(?P<scale>{_SCALES})(?!\w))?
    )
"""
_FLAGS = re.VERBOSE | re.IGNORECASE
_ANY_KIND = re.compile(f"{DATE}|{_NUMERAL}", _FLAGS)
_NO_DATE = re.compile(_NUMERAL, _FLAGS)

# The first digit of a number: not within a word, save for the hour of an ISO date and time.
_START = re.compile(rf"[\d{''.join(FRACTIONS)}](?:(?<!\w.)|(?<=\d\d[Tt].)(?=\d:\d\d))")

_ASCII_DIGITS = bytes(0x30 if chr(code).isdecimal() else 0x20 for code in range(256))

_GROUPING = str.maketrans("", "", ",\u00a0\u202f")
_SIGNS = ("+", "-", "\u2212")
_LEADING = (*_SIGNS, ".")


def find_numbers(text: str) -> Iterator[Number]:
    """Every number of a text, in order, without overlap."""
    next_start = _ascii_starts(text) if text.isascii() else _starts(text)
    position = 0
    while (start := next_start(position)) >= 0:
        begin, keys, position = _read(_ANY_KIND, text, start)
        if not keys:
            begin, keys, position = _read(_NO_DATE, text, start)
        if keys:
            yield Number(text[begin:position], keys)


def _starts(text: str) -> Callable[[int], int]:
    """A search for the first start of a number from a position on; -1 where there is none."""

    def search(position: int) -> int:
        found = _START.search(text, position)
        return found.start() if found else -1

    return search


def _ascii_starts(text: str) -> Callable[[int], int]:
    """The same search for an ASCII text, where bytes are found much faster than by pattern."""
    digits = text.encode("ascii").translate(_ASCII_DIGITS)

    def search(position: int) -> int:
        while (start := digits.find(b"0", position)) >= 0 and not _START.match(text, start):
            position = digits.find(b" ", start)
            if position < 0:
                return -1
        return start

    return search


def unsigned(key: NumberKey) -> NumberKey:
    """The key of the same number without its sign."""
    return key.removeprefix("-") if isinstance(key, str) else key


def _read(kinds: re.Pattern[str], text: str, start: int) -> tuple[int, tuple[NumberKey, ...], int]:
    """Where the number that was found at `start` begins, its readings, and where it ends."""
    match = kinds.match(text, start)
    assert match is not None, "the last kind matches at every start"
    keys: tuple[NumberKey, ...]
    match match.lastgroup:
        case "number":
            begin, keys = _read_number(match)
        case "time":
            begin, keys = start, (_time_key(match[0]),)
        case "dotted":
            begin, keys = start, (("dotted", match[0]),)
        case _:
            begin, keys = read_date(match)
    return begin, keys, match.end()


def _time_key(surface: str) -> NumberKey:
    hour, minute, *second = [str(int(part)) for part in surface.split(":")]
    return ("time", hour, minute, *[part for part in second if part != "0"])


def _read_number(match: re.Match[str]) -> tuple[int, tuple[NumberKey, ...]]:
    text, start = match.string, match.start()
    if match[0].isdecimal() and text[start - 1 : start] not in _LEADING:
        return start, (canonical(match[0], 0) or match[0],)  # most numbers, by far
    if start > 1 and text[start - 1] == "." and text[start - 2].isdecimal():
        return start, ()  # the rest of an identifier, such as the 5 of v2.5
    begin = start - 1 if _has_leading_point(match) else start
    point, sign = text[begin:start], text[begin - 1] if begin else ""
    if sign in _SIGNS and not (begin > 1 and _ends_something(text[begin - 2])):
        begin -= 1
    minus = "-" if text[begin] in _SIGNS[1:] else ""
    return begin, tuple(minus + value for value in _values(match, point))


def _has_leading_point(match: re.Match[str]) -> bool:
    text, start = match.string, match.start()
    if not start or text[start - 1] != "." or match["decimals"] or match["vulgar"]:
        return False
    return start == 1 or not _ends_something(text[start - 2])


def _ends_something(character: str) -> bool:
    return character.isalnum() or character in "_.,)"


def _values(match: re.Match[str], point: str) -> Iterator[str]:
    whole = match["whole"].translate(_GROUPING)
    mantissa = mixed(whole, match["vulgar"]) if match["vulgar"] else point + whole
    mantissa += match["decimals"] or ""
    exponent = exponent_of(match["exponent"] or "0")
    for power in _powers(match["scale"]):
        yield canonical(mantissa, exponent + power) or match[0].lower()


def _powers(scale: str | None) -> tuple[int, ...]:
    if scale is None:
        return (0,)
    name = scale.casefold()
    return (_SPELLED_SCALES[name],) if name in _SPELLED_SCALES else (0, _SHORT_SCALES[name])
