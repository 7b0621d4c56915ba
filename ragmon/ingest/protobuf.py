"""OTLP/protobuf bodies to spans, a bad span costing only itself."""

from collections.abc import Iterator
from typing import Final, TypeVar

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
        for i, raw_resource in enumerate(self._take(content, _RESOURCE_SPANS)[0]):
            raw_scopes, rest = self._take(raw_resource, _SCOPE_SPANS)
            resource = _parse(pb.ResourceSpans, rest)
            for j, raw_scope in enumerate(raw_scopes):
                raw_spans, rest = self._take(raw_scope, _SPANS)
                context = context_bytes(resource, _parse(pb.ScopeSpans, rest))
                yield ScopeGroup(place(i, j), context, map(_read_span, raw_spans))

    def _take(self, content: bytes, number: int) -> tuple[list[bytes], bytes]:
        """The messages under one field number, and all other fields as they stand."""
        found: list[bytes] = []
        rest: list[bytes] = []
        position = 0
        while position < len(content):
            self._fields_left -= 1
            if self._fields_left < 0:
                raise TooLargeError(f"a body of more than {_MOST_FIELDS} fields")
            tag, after = _varint(content, position)
            start, end = _extent(content, tag, after)
            if tag == number << 3 | _BYTES:
                found.append(content[start:end])
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


def _extent(content: bytes, tag: int, position: int) -> tuple[int, int]:
    """Where the value of a field begins and ends."""
    number, wire_type = tag >> 3, tag & 7
    if number == 0:
        raise MalformedError(f"{_NOT_OTLP}: a field without a number")
    if wire_type == _BYTES:
        length, start = _varint(content, position)
        end = start + length
    elif wire_type == _VARINT:
        start, end = position, _varint(content, position)[1]
    elif wire_type in _WIDTHS:
        start, end = position, position + _WIDTHS[wire_type]
    else:
        raise MalformedError(f"{_NOT_OTLP}: wire type {wire_type}")
    if end > len(content):
        raise MalformedError(f"{_NOT_OTLP}: it ends inside a field")
    return start, end


def _varint(content: bytes, position: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 64, 7):
        if position >= len(content):
            break
        byte = content[position]
        position += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, position
    raise MalformedError(f"{_NOT_OTLP}: a number without an end")
