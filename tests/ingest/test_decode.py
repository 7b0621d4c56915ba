"""Canonical bytes become spans."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from ragmon.errors import MalformedError
from ragmon.ingest.decode import decode
from ragmon.ingest.split import JSON, PROTOBUF, split
from ragmon.model.flow import SpanPart
from ragmon.model.span import Span as Decoded
from ragmon.model.span import SpanEvent, SpanKind, StatusCode

T1, S1, S2 = bytes(15) + b"\x01", bytes(7) + b"\x01", bytes(7) + b"\x02"


def _texts(**pairs: str) -> list[KeyValue]:
    return [KeyValue(key=key, value=AnyValue(string_value=value)) for key, value in pairs.items()]


def _parts(*spans: Span) -> tuple[SpanPart, ...]:
    request = ExportTraceServiceRequest(
        resource_spans=[
            ResourceSpans(
                resource=Resource(attributes=_texts(service="rag")),
                scope_spans=[ScopeSpans(scope=InstrumentationScope(name="lib"), spans=spans)],
            )
        ]
    )
    return split(request.SerializeToString(), PROTOBUF, 0).parts[0].spans


def test_every_field() -> None:
    """Every field of a span arrives, with its resource and scope."""
    sent = Span(
        trace_id=T1,
        span_id=S2,
        parent_span_id=S1,
        trace_state="ot=th:8",
        flags=0x301,
        name="answer",
        kind=Span.SPAN_KIND_CLIENT,
        start_time_unix_nano=5,
        end_time_unix_nano=9,
        attributes=_texts(a="b"),
        dropped_attributes_count=2,
        dropped_events_count=1,
        events=[Span.Event(time_unix_nano=7, name="exception", attributes=_texts(c="d"))],
        status=Status(code=Status.STATUS_CODE_ERROR, message="no"),
    )
    (span,) = decode(_parts(sent))
    assert span == Decoded(
        trace_id=T1.hex(),
        span_id=S2.hex(),
        parent_id=S1.hex(),
        name="answer",
        kind=SpanKind.CLIENT,
        start_ns=5,
        end_ns=9,
        attributes={"a": "b"},
        events=(SpanEvent("exception", 7, {"c": "d"}),),
        status=StatusCode.ERROR,
        status_message="no",
        parent_is_remote=True,
        trace_state="ot=th:8",
        resource={"service": "rag"},
        scope_name="lib",
        dropped=3,
        arrival_ns=0,
    )


def test_order_and_sharing() -> None:
    """Spans keep their order, and those of one context share one resource."""
    first, second = decode(_parts(Span(trace_id=T1, span_id=S2), Span(trace_id=T1, span_id=S1)))
    assert (first.span_id, second.span_id) == (S2.hex(), S1.hex())
    assert first.resource is second.resource


def test_unknown_numbers() -> None:
    """A kind or status beyond the known ones reads as unspecified and unset."""
    sent = Span(trace_id=T1, span_id=S1)
    sent.MergeFromString(b"\x30\x63\x7a\x02\x18\x63")
    (span,) = decode(_parts(sent))
    assert (span.kind, span.status) == (SpanKind.UNSPECIFIED, StatusCode.UNSET)


def test_damaged_bytes() -> None:
    """Kept bytes that are no span raise an error that names the cause."""
    (part,) = _parts(Span(trace_id=T1, span_id=S1))
    with pytest.raises(MalformedError, match="a kept span cannot be decoded"):
        decode([replace(part, span=b"\x0a\x05")])


def test_trace_files(trace_file: bytes, from_json: Callable[[bytes], object]) -> None:
    """Every recorded span decodes with its name, its times and all its attribute keys."""
    sent = from_json(trace_file)
    assert isinstance(sent, ExportTraceServiceRequest)
    expected = {
        span.span_id.hex(): (span.name, span.start_time_unix_nano, {a.key for a in span.attributes})
        for resource in sent.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
    decoded = [span for part in split(trace_file, JSON, 0).parts for span in decode(part.spans)]
    assert expected == {s.span_id: (s.name, s.start_ns, set(s.attributes)) for s in decoded}
