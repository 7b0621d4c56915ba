"""Bodies without the spans of a trace."""

import gzip
from dataclasses import replace

import pytest
from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragmon.ingest.removal import without
from ragmon.ingest.split import JSON, PROTOBUF, split
from ragmon.model.flow import Body
from tests.app.running import body, request, retrieval, trace_id

BOTH = body(request(1), request(2), retrieval(1, "a"))


def _spans(one: Body) -> set[tuple[str, str, bytes, bytes]]:
    parts = split(one.content, one.media_type, one.received_ns).parts
    spans = (span for part in parts for span in part.spans)
    return {(span.trace_id, span.span_id, span.context, span.span) for span in spans}


def _as_json(one: Body) -> Body:
    """The same request as OTLP/JSON, whose ids are hexadecimal."""
    message = ExportTraceServiceRequest.FromString(one.content)
    written = MessageToJson(message)
    for resource in message.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                written = _hexadecimal(_hexadecimal(written, span.trace_id), span.span_id)
    return replace(one, media_type=JSON, content=written.encode())


def _hexadecimal(written: str, identifier: bytes) -> str:
    from base64 import b64encode

    return written.replace(b64encode(identifier).decode(), identifier.hex())


def _zipped(one: Body) -> Body:
    return replace(one, encoding="gzip", content=gzip.compress(one.content))


@pytest.mark.parametrize("made", [BOTH, _zipped(BOTH), _as_json(BOTH), _zipped(_as_json(BOTH))])
def test_the_other_traces_stay_whole(made: Body) -> None:
    """In whatever form they came, with the time at which they came."""
    left = without(made, {trace_id(1)})
    assert left is not None
    assert (1, BOTH.received_ns) == (left.span_count, left.received_ns)
    kept = {span for span in _spans(BOTH) if span[0] == trace_id(2)}
    assert kept == _spans(left)


def test_a_body_without_the_trace_is_left_as_it_is() -> None:
    """Nothing is written for it."""
    assert without(BOTH, {trace_id(3)}) is None


def test_a_body_of_the_trace_alone_is_left_empty() -> None:
    """It keeps its place in the inbox."""
    left = without(body(request(1)), {trace_id(1)})
    assert left == Body(BOTH.received_ns, PROTOBUF, "", b"", 0)


@pytest.mark.parametrize(
    "damaged",
    [
        replace(BOTH, content=b"\xff\xff"),
        replace(BOTH, media_type=""),
        replace(BOTH, encoding="gzip"),
    ],
)
def test_a_body_that_cannot_be_read_is_emptied_once(damaged: Body) -> None:
    """Its spans go on to be counted as those that failed."""
    left = without(damaged, {trace_id(1)})
    assert left is not None
    assert (b"", "", BOTH.span_count) == (left.content, left.media_type, left.span_count)
    assert without(left, {trace_id(1)}) is None
