"""OTLP/protobuf bodies to spans, a bad span costing only itself."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final, TypeVar

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service_pb
from opentelemetry.proto.trace.v1 import trace_pb2 as pb

from ragmon.errors import MalformedError
from ragmon.ingest.bounds import SPAN_BYTES, WHOLE_BYTES
from ragmon.ingest.frames import walk
from ragmon.ingest.wire import Read, ScopeGroup, context_bytes, place

_REQUEST: Final = "ExportTraceServiceRequest"

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
    return _walked(content)


def _groups(request: service_pb.ExportTraceServiceRequest) -> Iterator[ScopeGroup]:
    for i, resource in enumerate(request.resource_spans):
        for j, scope in enumerate(list(resource.scope_spans)):
            spans = list(scope.spans)
            yield ScopeGroup(place(i, j), context_bytes(resource, scope), spans)


def _walked(content: bytes) -> Iterator[ScopeGroup]:
    """The same, one span at a time: bounded, and with an undecodable span costing only itself."""
    for _, frames in groupby(walk(content, _REQUEST), key=lambda frame: frame.resource_at):
        resource: pb.ResourceSpans | None = None
        for frame in frames:
            resource = resource or _parse(pb.ResourceSpans, frame.resource)
            context = context_bytes(resource, _parse(pb.ScopeSpans, frame.scope))
            spans = (_read_span(content[start:end]) for start, end in frame.leaves)
            yield ScopeGroup(place(frame.resource_at, frame.scope_at), context, spans)


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
        raise MalformedError(f"the body is no {_REQUEST}") from error
