"""One written form for every decimal number, however large a hostile one claims to be."""

from decimal import Decimal
from typing import Final

FRACTIONS: Final = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5),
    "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8),
    "⅝": (5, 8), "⅞": (7, 8), "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
"""The vulgar fractions that are one character: numerator and denominator."""

_MAX_DIGITS = 100
_MAX_EXPONENT = 400


def canonical(mantissa: str, exponent: int) -> str | None:
    """The number mantissa * 10**exponent without superfluous zeros; None if too long.

    `mantissa` holds digits of any script and at most one point.

    >>> canonical("3.50", 6), canonical("007", 0), canonical(".5", 0), canonical("1", 10**9)
    ('3500000', '7', '0.5', None)
    """
    if len(mantissa) > _MAX_DIGITS or abs(exponent) > _MAX_EXPONENT:
        return None
    plain = mantissa
    if exponent or not (mantissa.isascii() and mantissa.isdigit()):
        plain = format(Decimal(f"{mantissa}e{exponent}"), "f")
    whole, _, fraction = plain.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def exponent_of(digits: str) -> int:
    """The value of a signed exponent; of one beyond all bounds, any that is beyond them.

    >>> exponent_of("-3"), exponent_of("999999999") > 400
    (-3, True)
    """
    return int(digits) if len(digits) <= len("-400") else _MAX_EXPONENT + 1


def mixed(whole: str, fraction: str) -> str:
    """A whole number and a vulgar fraction as one decimal number.

    >>> mixed("2", "½")
    '2.5'
    """
    numerator, denominator = FRACTIONS[fraction]
    if len(whole) > _MAX_DIGITS:
        return whole + fraction
    return format(Decimal(int(whole or "0") * denominator + numerator) / denominator, "f")
