"""The span that says of a trace that a canary began it, and no user."""

import secrets
from dataclasses import dataclass

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon import semconv
from ragmon.model.flow import Body

_PROTOBUF = "application/x-protobuf"


@dataclass(frozen=True, slots=True)
class TraceContext:
    """The trace of one canary request, and the span of its sender."""

    trace_id: str
    span_id: str

    @property
    def traceparent(self) -> str:
        """The W3C header, sampled."""
        return f"00-{self.trace_id}-{self.span_id}-01"


def new_context() -> TraceContext:
    """A random one."""
    return TraceContext(secrets.token_hex(16), secrets.token_hex(8))


def marker(context: TraceContext, canary: str, now_ns: int) -> Body:
    """The body that brings the span; it holds nothing of the query.

    It has a parent, which never comes, so that its end does not end the trace.
    """
    exported = ExportTraceServiceRequest()
    scope = exported.resource_spans.add().scope_spans.add()
    scope.scope.name = semconv.PROBE_SCOPE
    scope.spans.append(
        Span(
            trace_id=bytes.fromhex(context.trace_id),
            span_id=bytes.fromhex(context.span_id),
            parent_span_id=secrets.token_bytes(8),
            name="canary",
            kind=Span.SPAN_KIND_CLIENT,
            start_time_unix_nano=now_ns,
            end_time_unix_nano=now_ns,
            attributes=[KeyValue(key=semconv.CANARY, value=AnyValue(string_value=canary))],
        )
    )
    return Body(now_ns, _PROTOBUF, "", exported.SerializeToString(), 1)
