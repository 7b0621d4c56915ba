"""OTLP/protobuf bodies to spans, a bad span costing only itself."""

from collections.abc import Iterator
from typing import Final, TypeAlias, TypeVar

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service_pb
from opentelemetry.proto.trace.v1 import trace_pb2 as pb

from ragmon.errors import MalformedError, TooLargeError
from ragmon.ingest.bounds import SPAN_BYTES, SPANS, WHOLE_BYTES
from ragmon.ingest.wire import Read, ScopeGroup, context_bytes, place

_VARINT, _BYTES = 0, 2
_WIDTHS: Final = {1: 8, 5: 4}
_RESOURCE_SPANS, _SCOPE_SPANS, _SPANS = 1, 2, 2
_MOST_FIELDS: Final = 2 * SPANS
_NOT_OTLP: Final = "the body is no ExportTraceServiceRequest"

_Range: TypeAlias = tuple[int, int]
_M = TypeVar("_M", pb.ResourceSpans, pb.ScopeSpans)


def scope_groups(content: bytes) -> Iterator[ScopeGroup]:
    """The spans of a serialised ExportTraceServiceRequest, in their order.

    Raises:
        MalformedError: the bytes are no such message (also while iterating).
        TooLargeError: more fields than a body may have (also while iterating).
    """
    if len(content) <= WHOLE_BYTES:
        try:
            return _groups(service_pb.ExportTraceServiceRequest.FromString(content))
        except DecodeError:
            pass  # one text cut inside a character is enough: read what can be read
    return _Walk().groups(content)


def _groups(request: service_pb.ExportTraceServiceRequest) -> Iterator[ScopeGroup]:
    for i, resource in enumerate(request.resource_spans):
        for j, scope in enumerate(list(resource.scope_spans)):
            spans = list(scope.spans)
            yield ScopeGroup(place(i, j), context_bytes(resource, scope), spans)


class _Walk:
    """Walks the frames of a body by hand and parses one span at a time.

    This bounds what parsing takes, and keeps an undecodable span from its neighbours.
    """

    def __init__(self) -> None:
        self._fields_left = _MOST_FIELDS

    def groups(self, content: bytes) -> Iterator[ScopeGroup]:
        resources, _ = self._take(content, (0, len(content)), _RESOURCE_SPANS)
        for i, raw_resource in enumerate(resources):
            raw_scopes, rest = self._take(content, raw_resource, _SCOPE_SPANS)
            resource = _parse(pb.ResourceSpans, rest)
            for j, raw_scope in enumerate(raw_scopes):
                raw_spans, rest = self._take(content, raw_scope, _SPANS)
                context = context_bytes(resource, _parse(pb.ScopeSpans, rest))
                spans = (_read_span(content[start:end]) for start, end in raw_spans)
                yield ScopeGroup(place(i, j), context, spans)

    def _take(self, content: bytes, within: _Range, number: int) -> tuple[list[_Range], bytes]:
        """Where the messages under one field number lie, and all other fields as they stand."""
        found: list[_Range] = []
        rest: list[bytes] = []
        wanted = number << 3 | _BYTES
        position, stop = within
        while position < stop:
            self._fields_left -= 1
            if self._fields_left < 0:
                raise TooLargeError(f"a body of more than {_MOST_FIELDS} fields")
            tag, after = _varint(content, position, stop)
            start, end = _extent(content, tag, after, stop)
            if tag == wanted:
                found.append((start, end))
            else:
                rest.append(content[position:end])
            position = end
        return found, b"".join(rest)


def _read_span(raw: bytes) -> Read:
    if len(raw) > SPAN_BYTES:
        return MalformedError(f"a span of {len(raw)} bytes, at most {SPAN_BYTES}")
    try:
        return pb.Span.FromString(raw)
    except DecodeError:
        return MalformedError("undecodable: nested too deeply, or a text that is not UTF-8")


def _parse(message: type[_M], raw: bytes) -> _M:
    try:
        return message.FromString(raw)
    except DecodeError as error:
        raise MalformedError(_NOT_OTLP) from error


def _extent(content: bytes, tag: int, position: int, stop: int) -> _Range:
    """Where the value of a field begins and ends."""
    number, wire_type = tag >> 3, tag & 7
    if number == 0:
        raise MalformedError(f"{_NOT_OTLP}: a field without a number")
    if wire_type == _BYTES:
        length, start = _varint(content, position, stop)
        end = start + length
    elif wire_type == _VARINT:
        start, end = position, _varint(content, position, stop)[1]
    elif wire_type in _WIDTHS:
        start, end = position, position + _WIDTHS[wire_type]
    else:
        raise MalformedError(f"{_NOT_OTLP}: wire type {wire_type}")
    if end > stop:
        raise MalformedError(f"{_NOT_OTLP}: it ends inside a field")
    return start, end


def _varint(content: bytes, position: int, stop: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 64, 7):
        if position >= stop:
            break
        byte = content[position]
        position += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, position
    raise MalformedError(f"{_NOT_OTLP}: a number without an end")
