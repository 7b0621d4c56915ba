"""Span parts back to an export request, for files that other tools can read."""

from collections.abc import Iterable

from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service_pb

from ragmon.model.flow import SpanPart


def export_request(spans: Iterable[SpanPart]) -> bytes:
    """A serialised ExportTraceServiceRequest of these spans, each with its resource and scope."""
    request = service_pb.ExportTraceServiceRequest()
    for part in spans:
        resource = request.resource_spans.add()
        resource.ParseFromString(part.context)
        scope = resource.scope_spans[0] if resource.scope_spans else resource.scope_spans.add()
        scope.spans.add().ParseFromString(part.span)
    return request.SerializeToString()
