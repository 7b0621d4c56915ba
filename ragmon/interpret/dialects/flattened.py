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
    found: list[dict[str, dict[str, AttributeValue]]] = [{} for _ in lists]
    for key, value in attributes.items():
        if key.startswith(heads):
            place = 0
            while not key.startswith(heads[place]):
                place += 1
            index, _, field = key[len(heads[place]) :].partition(".")
            entries = found[place]
            if index in entries:
                entries[index][field] = value
            else:
                entries[index] = {field: value}
    return tuple([_by_number(entries) for entries in found])


def _by_number(entries: dict[str, dict[str, AttributeValue]]) -> Rows:
    return {
        int(index): fields
        for index, fields in entries.items()
        if index.isdecimal() and len(index) <= _INDEX_DIGITS
    }


def is_whole(rows: Rows) -> bool:
    """Whether no entry is missing before the last: SDKs throw away the oldest attributes."""
    return not rows or max(rows) + 1 == len(rows)


def in_order(rows: Rows) -> list[Fields]:
    """The entries by rising index."""
    return [rows[index] for index in sorted(rows)]
