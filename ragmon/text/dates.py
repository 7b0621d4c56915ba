"""Dates in a text: written in digits, or with the name of a month."""

import re
from typing import Final, TypeAlias

DateKey: TypeAlias = tuple[str, str, str, str]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"\d{4}(?!\d)"

# Each alternative begins with the first digit of the date. What begins with the name of a
# month is found from its day, by looking back.
DATE: Final = rf"""
    (?P<iso>\d{{4}}-\d{{1,2}}-\d{{1,2}}(?!\d))
  | (?P<slashed>\d{{1,2}}/\d{{1,2}}/{_YEAR})
  | (?P<day_first>{_DAY}(?:\s{{1,2}}of)?[\s-]{{1,2}}{_MONTH}\.?,?[\s-]{{1,2}}{_YEAR})
  | (?P<after_month>{_DAY}(?:,\s{{0,2}}|\s{{1,2}}){_YEAR})
"""

_DIGITS = re.compile(r"\d+")
_NAMED_MONTH = re.compile(rf"(?:{_MONTH})(?=\W)", re.IGNORECASE)
_MONTH_BEFORE = re.compile(rf"(?<!\w){_MONTH}\.?\s{{1,2}}\Z", re.IGNORECASE)
_LONGEST_MONTH_BEFORE = len("september.") + 2


def read_date(match: re.Match[str]) -> tuple[int, tuple[DateKey, ...]]:
    """Where the date of a DATE match begins, and its readings; no reading where it is none."""
    parts = [str(int(part)) for part in _DIGITS.findall(match[0])]
    match match.lastgroup:
        case "iso":
            return match.start(), _valid(tuple(parts))
        case "slashed":
            first, second, year = parts
            return match.start(), _valid((year, first, second), (year, second, first))
        case "day_first":
            named = _NAMED_MONTH.search(match[0])
            return match.start(), _with_month(named, parts)
        case _:
            named = _before(match)
            return (named.start() if named else match.start()), _with_month(named, parts)


def _before(match: re.Match[str]) -> re.Match[str] | None:
    start = match.start()
    return _MONTH_BEFORE.search(match.string, max(0, start - _LONGEST_MONTH_BEFORE), start)


def _with_month(named: re.Match[str] | None, parts: list[str]) -> tuple[DateKey, ...]:
    if named is None:
        return ()
    day, year = parts
    month = _MONTHS.index(named[0][:3].casefold()) + 1
    return _valid((year, str(month), day))


def _valid(*readings: tuple[str, ...]) -> tuple[DateKey, ...]:
    return tuple(
        ("date", year, month, day)
        for year, month, day in dict.fromkeys(readings)
        if 1 <= int(month) <= 12 and 1 <= int(day) <= 31
    )
