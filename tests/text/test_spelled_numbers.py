"""Numbers that are spelled out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragmon.text import Text

UNITS = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SCALES = ("trillion", "billion", "million", "thousand")


def _below_hundred(value: int) -> str:
    if value < 20:
        return UNITS[value]
    tens, unit = divmod(value, 10)
    return TENS[tens - 2] + (f"-{UNITS[unit]}" if unit else "")


def _below_thousand(value: int) -> str:
    hundreds, rest = divmod(value, 100)
    parts = [f"{UNITS[hundreds]} hundred"] if hundreds else []
    return " and ".join([*parts, _below_hundred(rest)] if rest or not hundreds else parts)


def _spell(value: int) -> str:
    parts = []
    for power, scale in zip((12, 9, 6, 3), SCALES, strict=True):
        group = value // 10**power % 1000
        if group:
            parts.append(f"{_below_thousand(group)} {scale}")
    if value % 1000 or not parts:
        parts.append(_below_thousand(value % 1000))
    return " ".join(parts)


@given(st.one_of(st.integers(0, 2000), st.integers(0, 10**15 - 1)))
def test_every_spelled_number_is_read_back(value: int) -> None:
    """A number below a thousand trillion, spelled out in English, supports exactly itself."""
    assert {str(value)} == Text(f"So {_spell(value)}.").context_numbers
    assert {str(value)} == Text(_spell(value).upper()).context_numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two hundred and five", {"205"}),
        ("one, two, three", {"1", "2", "3"}),
        ("twenty, five", {"20", "5"}),
        ("one zero", {"1", "0"}),
        ("a hundred thousand", {"100000"}),
        ("a dog and a million cats", {"1000000"}),
        ("two hundred thousand", {"200000"}),
        ("nineteen hundred and five", {"1905"}),
        ("two and twenty and five", {"2", "20", "5"}),
        ("twenty-first", {"21"}),
        ("the twenty first second", {"21", "2"}),
        ("two hundredth", {"200"}),
        ("the hundredth", {"100"}),
        ("twentieth, fortieth", {"20", "40"}),
        ("twelfth and ninth", {"12", "9"}),
        ("the first hundredth", {"1", "100"}),
        ("hundreds of thousands", set()),
        ("per hundred", set()),
        ("hundred thousand", set()),
        ("3 hundred and six", {"300", "6"}),
        ("one million million", {"1000000"}),
        ("one thousand million", {"1000"}),
        ("two thousand six million", {"2006"}),
        ("someone weighs often", set()),
    ],
)
def test_phrases(text: str, expected: set[str]) -> None:
    """Words compose as far as they can, and a scale needs something to scale."""
    assert expected == Text(text).context_numbers


words = st.lists(
    st.sampled_from([*UNITS, *TENS, *SCALES, "hundred", "first", "second", "and", "a", "cat", ","]),
    max_size=12,
)


@given(words)
def test_a_neighbour_elsewhere_changes_no_number(drawn: list[str]) -> None:
    """What a phrase supports does not depend on other sentences that compose."""
    text = " ".join(drawn)
    other = Text(f"{text} . ; forty-two").context_numbers
    assert Text(text).context_numbers | {"42"} == other


@given(words)
def test_spelled_numbers_are_plain_digits(drawn: list[str]) -> None:
    """Whatever the words, the keys are plain digits."""
    assert all(
        re.fullmatch(r"\d+", key)
        for key in Text(" ".join(drawn)).context_numbers
        if isinstance(key, str)
    )
