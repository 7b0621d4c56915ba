"""The frames of an OTLP/protobuf body, walked by hand without parsing what they hold.

Traces and logs are framed alike: resources, scopes in them, and spans or log records in these.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from ragmon.errors import MalformedError, TooLargeError
from ragmon.ingest.bounds import SPANS

_VARINT, _BYTES = 0, 2
_WIDTHS: Final = {1: 8, 5: 4}
_RESOURCES, _SCOPES, _LEAVES = 1, 2, 2
_MOST_FIELDS: Final = 2 * SPANS

Range: TypeAlias = tuple[int, int]
"""Where a message lies in the body: from, and up to."""


class Frame(NamedTuple):
    """One scope: its place, where its spans or records lie, and all else of it as it stands."""

    resource_at: int
    scope_at: int
    resource: bytes
    scope: bytes
    leaves: list[Range]


def walk(content: bytes, request: str) -> Iterator[Frame]:
    """Every scope of a serialised request, in order. request: the name of its message.

    Raises:
        MalformedError: the bytes are no such message (also while iterating).
        TooLargeError: more fields than a body may have (also while iterating).
    """
    return _Walk(content, request).frames()


class _Walk:
    def __init__(self, content: bytes, request: str) -> None:
        self._content = content
        self._not_otlp = f"the body is no {request}"
        self._fields_left = _MOST_FIELDS

    def frames(self) -> Iterator[Frame]:
        resources, _ = self._take((0, len(self._content)), _RESOURCES)
        for i, within in enumerate(resources):
            scopes, resource = self._take(within, _SCOPES)
            for j, inside in enumerate(scopes):
                leaves, scope = self._take(inside, _LEAVES)
                yield Frame(i, j, resource, scope, leaves)

    def _take(self, within: Range, number: int) -> tuple[list[Range], bytes]:
        """Where the messages under one field number lie, and all other fields as they stand."""
        found: list[Range] = []
        rest: list[bytes] = []
        wanted = number << 3 | _BYTES
        position, stop = within
        while position < stop:
            self._fields_left -= 1
            if self._fields_left < 0:
                raise TooLargeError(f"a body of more than {_MOST_FIELDS} fields")
            tag, after = self._varint(position, stop)
            start, end = self._extent(tag, after, stop)
            if tag == wanted:
                found.append((start, end))
            else:
                rest.append(self._content[position:end])
            position = end
        return found, b"".join(rest)

    def _extent(self, tag: int, position: int, stop: int) -> Range:
        """Where the value of a field begins and ends."""
        number, wire_type = tag >> 3, tag & 7
        if number == 0:
            raise MalformedError(f"{self._not_otlp}: a field without a number")
        if wire_type == _BYTES:
            length, start = self._varint(position, stop)
            end = start + length
        elif wire_type == _VARINT:
            start, end = position, self._varint(position, stop)[1]
        elif wire_type in _WIDTHS:
            start, end = position, position + _WIDTHS[wire_type]
        else:
            raise MalformedError(f"{self._not_otlp}: wire type {wire_type}")
        if end > stop:
            raise MalformedError(f"{self._not_otlp}: it ends inside a field")
        return start, end

    def _varint(self, position: int, stop: int) -> Range:
        """The number that stands at a position, and the position behind it."""
        number = 0
        for shift in range(0, 64, 7):
            if position >= stop:
                break
            byte = self._content[position]
            position += 1
            number |= (byte & 127) << shift
            if byte < 128:
                return number, position
        raise MalformedError(f"{self._not_otlp}: a number without an end")
