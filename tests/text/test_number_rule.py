"""The number rule: what is a number, what it equals, what supports it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragmon.text import Text
from ragmon.text.decimals import canonical
from ragmon.text.numbers import answer_numbers
from ragmon.text.scan import Number, NumberKey, find_numbers

MAY_3 = ("date", "2024", "5", "3")


def _read(text: str) -> list[tuple[str, tuple[NumberKey, ...]]]:
    return [(number.surface, number.keys) for number in answer_numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,234.5", [("1,234.5", "1234.5")]),
        ("0.50", [("0.50", "0.5")]),
        ("100", [("100", "100")]),
        ("½ cup", [("½", "0.5")]),
        ("2½", [("2½", "2.5")]),
        ("-½", [("-½", "-0.5")]),
        ("\u22127", [("\u22127", "-7")]),
        ("+7", [("+7", "7")]),
        ("-.5 .5", [("-.5", "-0.5"), (".5", "0.5")]),
        ("wait...5", [("5", "5")]),
        ("end.5", [("5", "5")]),
        ("a-5 )-5 .-5 ,-5", [("5", "5")] * 4),
        ("--5", [("-5", "-5")]),
        ("-0", [("-0", "-0")]),
        ("2020\u20132021", [("2020", "2020"), ("2021", "2021")]),
        ("3,14", [("3", "3"), ("14", "14")]),
        ("1.234,5", [("1.234", "1.234"), ("5", "5")]),
        ("1,234,5678", [("1,234", "1234"), ("5678", "5678")]),
        ("5\u00a0000\u202f", [("5\u00a0000", "5000")]),
        ("5\u202f000\u202f000", [("5\u202f000\u202f000", "5000000")]),
        ("1,23,45,678", [("1,23,45,678", "12345678")]),
        ("10km, 2x, 5G", [("10", "10"), ("2", "2"), ("5", "5")]),
        ("covid-19", [("19", "19")]),
        ("v2.5 B12 x_3 x²", []),
        ("1e-2 1E3", [("1e-2", "0.01"), ("1E3", "1000")]),
        ("1e5x", [("1", "1")]),
        ("5th. 1st", [("5th", "5"), ("1st", "1")]),
        ("5thx", [("5", "5")]),
        ("3 millions", [("3", "3")]),
        ("1½ million", [("1½ million", "1500000")]),
        ("5 hundred", [("5 hundred", "500")]),
        ("3.11 3.11.", [("3.11", "3.11"), ("3.11", "3.11")]),
        ("25:70", [("25", "25"), ("70", "70")]),
        ("99/99/2024", [("99", "99"), ("99", "99"), ("2024", "2024")]),
        ("2024-13-45", [("2024", "2024"), ("13", "13"), ("45", "45")]),
        ("sometime 3, 2024", [("3", "3"), ("2024", "2024")]),
        ("May 32, 2024", [("32", "32"), ("2024", "2024")]),
        ("\u0663\u066b\u0665", [("\u0663", "3"), ("\u0665", "5")]),
    ],
)
def test_plain_numbers(text: str, expected: list[tuple[str, str]]) -> None:
    """A plain number is found whole, and written in one way."""
    assert [(surface, (key,)) for surface, key in expected] == _read(text)


@pytest.mark.parametrize(
    ("text", "surface", "keys"),
    [
        ("$3.5M", "3.5M", ("3.5", "3500000")),
        ("5 m", "5 m", ("5", "5000000")),
        ("-2 bn", "-2 bn", ("-2", "-2000000000")),
        ("4\u212a", "4\u212a", ("4", "4000")),
        ("3 May 2024", "3 May 2024", (MAY_3,)),
        ("the 3rd of May, 2024", "3rd of May, 2024", (MAY_3,)),
        ("on May 3rd 2024", "May 3rd 2024", (MAY_3,)),
        ("3-may-2024", "3-may-2024", (MAY_3,)),
        ("Sept. 3, 2024", "Sept. 3, 2024", (("date", "2024", "9", "3"),)),
        ("13/05/2024", "13/05/2024", (("date", "2024", "5", "13"),)),
        ("05/05/2024", "05/05/2024", (("date", "2024", "5", "5"),)),
        ("09:05:07", "09:05:07", (("time", "9", "5", "7"),)),
        ("10.0.0.1.", "10.0.0.1", (("dotted", "10.0.0.1"),)),
    ],
)
def test_numbers_of_other_kinds(text: str, surface: str, keys: tuple[NumberKey, ...]) -> None:
    """Dates, times, versions and scales are one number, with every acceptable reading."""
    assert [(surface, keys)] == _read(text)


def test_an_iso_date_and_time_is_a_date_and_a_time() -> None:
    """The T between date and time hides neither; seconds of zero add nothing."""
    expected = [("2024-05-03", (MAY_3,)), ("10:30:00", (("time", "10", "30"),))]
    assert expected == _read("2024-05-03T10:30:00Z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. One\n  2) Two\n3.5 three", ["3.5"]),
        ("10. Ten\n2024. Then", ["2024"]),
        ("42.", ["42"]),
        ("see [1], [^2], [3-5; 7] and [x 8]", ["8"]),
    ],
)
def test_markers_of_an_answer_are_no_numbers(text: str, expected: list[str]) -> None:
    """List markers and citations are taken out of an answer, and nothing else."""
    assert expected == [number.surface for number in answer_numbers(text)]


@pytest.mark.parametrize(
    ("answer", "context", "supported"),
    [
        ("-5", "fell by 5 %", True),
        ("5", "\u22125", True),
        ("[2] 2", "see [2]", True),
        ("2024", "on 3 May 2024", True),
        ("5", "03/05/2024", True),
        ("10", "10:30", False),
        ("3.11", "3.11.2", False),
        ("3", "3 million", False),
        ("5 m", "5000000", True),
        ("21", "twenty-one", True),
        ("2", "the second", True),
    ],
)
def test_what_supports_a_number(answer: str, context: str, *, supported: bool) -> None:
    """Support is equality of value, without signs, or a part of a date."""
    number = answer_numbers(answer)[-1]
    assert supported == number.supported_by(Text(context).context_numbers)


def test_a_hostile_exponent_is_compared_as_it_is_written() -> None:
    """A number beyond all bounds is never expanded, and still equals itself."""
    huge = "9" * 5000
    for text in ("1e999999999", "-1E-99999999999999999999", huge, f"{huge}½", f"1e{huge}"):
        (number,) = answer_numbers(text)
        assert len(number.keys[0]) <= len(text)
        assert number.supported_by(Text(text).context_numbers)


@given(st.integers(0, 10**30), st.integers(-20, 20))
def test_the_canonical_form_is_one_per_value(mantissa: int, exponent: int) -> None:
    """Zeros that change nothing change no key."""
    assert canonical(str(mantissa), exponent) == canonical(f"00{mantissa}0", exponent - 1)
    assert canonical(str(mantissa), exponent) == canonical(f"{mantissa}.00", exponent)


numeric = st.text(st.sampled_from("0123456789.,:/-+eE %½kmnT\u00a0\u2212aMy[]^()"), max_size=40)


@given(numeric)
@example("2024-05-03T10:30")
def test_the_ascii_search_equals_the_pattern(text: str) -> None:
    """A character beyond ASCII at the end of a text changes no number in it."""
    assert list(find_numbers(text)) == list(find_numbers(f"{text} é"))


@given(st.one_of(st.text(max_size=60), numeric))
def test_numbers_stand_in_their_order_and_apart(text: str) -> None:
    """Numbers are pieces of the text, from left to right, that do not overlap."""
    position = 0
    for surface, keys in find_numbers(text):
        position = text.index(surface, position) + len(surface)
        assert keys
    assert position <= len(text)


@given(st.one_of(st.text(max_size=60), numeric))
def test_a_text_supports_its_own_numbers(text: str) -> None:
    """Whatever a text states as an answer, it supports as a context."""
    known = Text(text).context_numbers
    unsupported: list[Number] = [
        number for number in find_numbers(text) if not number.supported_by(known)
    ]
    assert [] == unsupported
