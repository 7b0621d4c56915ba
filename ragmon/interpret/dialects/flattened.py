"""Lists that an instrumentation wrote as one attribute per entry and field."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from ragmon.model.span import Attributes, AttributeValue

Fields: TypeAlias = Mapping[str, AttributeValue]
Rows: TypeAlias = dict[int, dict[str, AttributeValue]]

_INDEX_DIGITS: Final = 6


def collect(attributes: Attributes, *lists: str) -> tuple[Rows, ...]:
    """The entries of `<list>.<i>.<field>` attributes by index, for each of the lists.

    The attributes are walked once. What has no decimal index is passed over.
    """
    heads = tuple([f"{name}." for name in lists])
    found: tuple[Rows, ...] = tuple([{} for _ in lists])
    for key, value in attributes.items():
        if key.startswith(heads):
            for head, rows in zip(heads, found, strict=True):
                if key.startswith(head):
                    _put(rows, key[len(head) :], value)
                    break
    return found


def _put(rows: Rows, rest: str, value: AttributeValue) -> None:
    index, _, field = rest.partition(".")
    if field and index.isdecimal() and len(index) <= _INDEX_DIGITS:
        rows.setdefault(int(index), {})[field] = value


def is_whole(rows: Rows) -> bool:
    """Whether no entry is missing before the last: SDKs throw away the oldest attributes."""
    return not rows or max(rows) + 1 == len(rows)


def in_order(rows: Rows) -> list[Fields]:
    """The entries by rising index."""
    return [rows[index] for index in sorted(rows)]
