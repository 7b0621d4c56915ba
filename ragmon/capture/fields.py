"""Looking into the values that applications pass around: mappings and objects alike."""

from collections.abc import Iterable, Mapping
from typing import Any


def field(value: Any, name: str) -> Any:
    """One field of a mapping or object; None where it has none, or only a method."""
    if isinstance(value, Mapping):
        return value.get(name)
    found = getattr(value, name, None)
    return None if callable(found) else found


def first_field(value: Any, names: Iterable[str]) -> Any:
    """The first of these fields that is there and not None."""
    for name in names:
        found = field(value, name)
        if found is not None:
            return found
    return None


def is_plain_tuple(value: object) -> bool:
    """A tuple that is no named tuple."""
    return isinstance(value, tuple) and not hasattr(value, "_fields")


def as_text(value: object) -> str | None:
    """The value if it is a string."""
    return value if isinstance(value, str) else None


def as_count(value: object) -> int | None:
    """The value if it is an integer of 0 or more."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
