"""Attribute values of any type, read as the type that is expected or as None."""

from math import isfinite

from ragmon.model.span import AttributeValue

_LARGEST_AMOUNT = 1e9


def text(value: object) -> str | None:
    """The value where it is a string."""
    return value if isinstance(value, str) else None


def name(value: object) -> str | None:
    """The value where it is a string that is not empty."""
    return value if isinstance(value, str) and value else None


def identifier(value: object) -> str | None:
    """A string that is not empty, or an integer written as one."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def number(value: object) -> float | None:
    """The value where it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        read = float(value)
    except OverflowError:
        return None
    return read if isfinite(read) else None


def amount(value: object) -> float | None:
    """The value where it is a number that is not negative and can be true.

    Beyond a billion tokens or dollars a sender is wrong, and one such value would hide
    every other in a sum.
    """
    read = number(value)
    return read if read is not None and 0 <= read <= _LARGEST_AMOUNT else None


def count(value: object) -> int | None:
    """The value where it is such an amount, and whole."""
    read = amount(value)
    return int(read) if read is not None and read == int(read) else None


def array(value: AttributeValue) -> tuple[AttributeValue, ...] | None:
    """The value where it is an array."""
    return value if isinstance(value, tuple) else None


def names(value: AttributeValue) -> tuple[str, ...] | None:
    """The strings of an array that are not empty; None where it is no array."""
    entries = array(value)
    return None if entries is None else tuple(filter(None, map(identifier, entries)))
