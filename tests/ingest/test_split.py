"""A body becomes the spans of its traces; what is bad costs only itself."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from ragmon.errors import MalformedError, TooLargeError
from ragmon.ingest import bounds
from ragmon.ingest.split import JSON, PROTOBUF, SplitBody, split
from ragmon.model.flow import Ends, SpanPart

ToJson = Callable[[ExportTraceServiceRequest], bytes]
FromJson = Callable[[bytes], ExportTraceServiceRequest]
RequestOf = Callable[..., ExportTraceServiceRequest]

T1, T2 = bytes(15) + b"\x01", bytes(15) + b"\x02"
S1, S2 = bytes(7) + b"\x01", bytes(7) + b"\x02"
NOW = 1_800_000_000_000_000_000


def _span(**fields: Any) -> Span:
    return Span(**({"trace_id": T1, "span_id": S1, "name": "s"} | fields))


def _only(body: SplitBody) -> SpanPart:
    ((part,),) = [trace.spans for trace in body.parts]
    return part


# --- the same span in both encodings -----------------------------------------------------

_text = st.text(max_size=5)
_scalars = st.one_of(
    st.builds(lambda v: AnyValue(string_value=v), _text),
    st.builds(lambda v: AnyValue(bool_value=v), st.booleans()),
    st.builds(lambda v: AnyValue(int_value=v), st.integers(-(2**63), 2**63 - 1)),
    st.builds(lambda v: AnyValue(double_value=v), st.floats(allow_nan=False)),
    st.builds(lambda v: AnyValue(bytes_value=v), st.binary(max_size=5)),
    st.builds(AnyValue),
)


def _pairs(values: st.SearchStrategy[AnyValue]) -> st.SearchStrategy[list[KeyValue]]:
    pair = st.builds(lambda k, v: KeyValue(key=k, value=v), _text, st.none() | values)
    return st.lists(pair, max_size=3)


_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.builds(
            lambda v: AnyValue(array_value=ArrayValue(values=v)), st.lists(inner, max_size=3)
        ),
        st.builds(lambda v: AnyValue(kvlist_value=KeyValueList(values=v)), _pairs(inner)),
    ),
    max_leaves=6,
)
_u64, _u32 = st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1)
_ids = st.binary(min_size=8, max_size=8).filter(any)
_spans = st.builds(
    Span,
    trace_id=st.sampled_from((T1, T2)),
    span_id=_ids,
    parent_span_id=st.just(b"") | _ids,
    trace_state=_text,
    flags=_u32,
    name=_text,
    kind=st.integers(0, 9),
    start_time_unix_nano=_u64,
    end_time_unix_nano=_u64,
    attributes=_pairs(_values),
    dropped_attributes_count=_u32,
    events=st.lists(
        st.builds(Span.Event, time_unix_nano=_u64, name=_text, attributes=_pairs(_values)),
        max_size=2,
    ),
    links=st.lists(
        st.builds(Span.Link, trace_id=st.just(T2), span_id=_ids, flags=_u32), max_size=2
    ),
    status=st.none() | st.builds(Status, message=_text, code=st.integers(0, 4)),
)
_scopes = st.builds(
    ScopeSpans,
    scope=st.none() | st.builds(InstrumentationScope, name=_text, attributes=_pairs(_values)),
    spans=st.lists(_spans, max_size=3),
    schema_url=_text,
)
_requests = st.builds(
    ExportTraceServiceRequest,
    resource_spans=st.lists(
        st.builds(
            ResourceSpans,
            resource=st.none() | st.builds(Resource, attributes=_pairs(_values)),
            scope_spans=st.lists(_scopes, max_size=2),
            schema_url=_text,
        ),
        max_size=2,
    ),
)


@settings(max_examples=150, deadline=None)
@given(sent=_requests)
def test_encodings_agree(to_json: ToJson, sent: ExportTraceServiceRequest) -> None:
    """A span in JSON and in protobuf gives equal parts."""
    read = split(sent.SerializeToString(), PROTOBUF, NOW)
    assert read.rejected == 0
    assert read == split(to_json(sent), JSON, NOW)


@settings(max_examples=50, deadline=None)
@given(sent=_requests)
def test_walking_agrees(sent: ExportTraceServiceRequest) -> None:
    """A body read span by span gives the parts that parsing it whole gives."""
    content = sent.SerializeToString()
    padding = b"\x7a" + _varint(bounds.WHOLE_BYTES) + bytes(bounds.WHOLE_BYTES)
    assert split(content, PROTOBUF, NOW) == split(content + padding, PROTOBUF, NOW)


def _varint(number: int) -> bytes:
    raw = []
    while number > 127:
        raw.append(number & 127 | 128)
        number >>= 7
    return bytes([*raw, number])


def test_trace_files_agree(trace_file: bytes, from_json: FromJson) -> None:
    """Every recorded trace gives the same parts as JSON and as protobuf's own reading of it."""
    read = split(trace_file, JSON, NOW)
    assert read == split(from_json(trace_file).SerializeToString(), PROTOBUF, NOW)
    assert read.span_count > 0
    assert (read.rejected, read.problems) == (0, "")


# --- what routing needs ------------------------------------------------------------------


def test_parts_by_trace(request_of: RequestOf) -> None:
    """Spans are grouped by trace, in order of their first span, and share one context."""
    sent = request_of(
        _span(trace_id=T2), _span(span_id=S2, parent_span_id=S1, end_time_unix_nano=7), _span()
    )
    read = split(sent.SerializeToString(), PROTOBUF, NOW)
    assert [trace.trace_id for trace in read.parts] == [T2.hex(), T1.hex()]
    first, second = read.parts[1].spans
    assert (first.span_id, first.parent_id, first.end_ns) == (S2.hex(), S1.hex(), 7)
    assert (second.span_id, second.parent_id, second.arrival_ns) == (S1.hex(), None, NOW)
    assert first.context is second.context
    assert read.span_count == 3


def _stage(value: str) -> KeyValue:
    return KeyValue(key="ragmon.stage", value=AnyValue(string_value=value))


@pytest.mark.parametrize(
    ("fields", "ends"),
    [
        ({}, Ends.REQUEST),
        ({"parent_span_id": bytes(8)}, Ends.REQUEST),
        ({"parent_span_id": S2}, Ends.NOTHING),
        ({"parent_span_id": S2, "attributes": [_stage("request")]}, Ends.REQUEST),
        ({"parent_span_id": S2, "attributes": [_stage("retrieval")]}, Ends.NOTHING),
        (
            {"parent_span_id": S2, "attributes": [_stage("request"), _stage("retrieval")]},
            Ends.NOTHING,
        ),
        ({"parent_span_id": S2, "name": "ragmon.stage"}, Ends.NOTHING),
        (
            {"parent_span_id": S2, "events": [Span.Event(attributes=[_stage("request")])]},
            Ends.NOTHING,
        ),
        ({"parent_span_id": S2, "flags": 0x301}, Ends.ENTRY),
        ({"parent_span_id": S2, "flags": 0x101}, Ends.NOTHING),
        ({"parent_span_id": S2, "flags": 0x200}, Ends.NOTHING),
        ({"parent_span_id": S2, "kind": 2}, Ends.ENTRY),
        ({"parent_span_id": S2, "kind": 5}, Ends.ENTRY),
        ({"parent_span_id": S2, "kind": 3}, Ends.NOTHING),
    ],
)
def test_ends(request_of: RequestOf, fields: dict[str, Any], ends: Ends) -> None:
    """A root or a request span ends a request; a remote parent or a server kind an entry."""
    read = split(request_of(_span(**fields)).SerializeToString(), PROTOBUF, NOW)
    assert _only(read).ends is ends


# --- single bad spans --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"trace_id": bytes(15) + b"\x01\x02"}, "trace id of 17 bytes, expected 16"),
        ({"trace_id": b""}, "trace id of 0 bytes, expected 16"),
        ({"trace_id": bytes(16)}, "trace id is all zero"),
        ({"span_id": b"\x01"}, "span id of 1 bytes, expected 8"),
        ({"span_id": bytes(8)}, "span id is all zero"),
        ({"parent_span_id": b"\x01"}, "parent span id of 1 bytes, expected 8 or none"),
        ({"end_time_unix_nano": 2**64 - 1}, "a time beyond the year 2262"),
        ({"start_time_unix_nano": 2**63}, "a time beyond the year 2262"),
    ],
)
def test_bad_spans(
    request_of: RequestOf, to_json: ToJson, fields: dict[str, Any], problem: str
) -> None:
    """A bad span is rejected by itself, and the message says what and where."""
    sent = request_of(_span(), _span(**fields), _span(span_id=S2))
    read = split(sent.SerializeToString(), PROTOBUF, NOW)
    assert (read.span_count, read.rejected) == (2, 1)
    where = "resourceSpans[0].scopeSpans[0].spans[1]"
    assert read.problems == f"1 of 3 spans rejected; {where}: {problem}"
    assert read == split(to_json(sent), JSON, NOW)


def test_problems_are_bounded(request_of: RequestOf) -> None:
    """However many spans are bad, the message stays short and counts them all."""
    sent = request_of(*(_span(trace_id=b"x") for _ in range(1_000)))
    read = split(sent.SerializeToString(), PROTOBUF, NOW)
    assert (read.rejected, read.problems.count("trace id")) == (1_000, 5)
    assert read.problems.startswith("1000 of 1000 spans rejected; ")
    assert len(read.problems) < 1_200


def test_end_before_start(request_of: RequestOf) -> None:
    """A span that ends before it starts is taken as it is."""
    sent = request_of(_span(start_time_unix_nano=9, end_time_unix_nano=5))
    assert _only(split(sent.SerializeToString(), PROTOBUF, NOW)).end_ns == 5


# --- protobuf that does not parse as a whole ---------------------------------------------


def _cut_text(request_of: RequestOf) -> bytes:
    sent = request_of(_span(name="cut!"), _span(span_id=S2))
    return sent.SerializeToString().replace(b"cut!", b"cut\xc3")


def test_bad_utf8(request_of: RequestOf) -> None:
    """A text cut inside a character costs its own span, not the batch."""
    read = split(_cut_text(request_of), PROTOBUF, NOW)
    assert (read.span_count, read.rejected) == (1, 1)
    assert "spans[0]: undecodable" in read.problems


def _field(tag: bytes, raw: bytes) -> bytes:
    return tag + _varint(len(raw)) + raw


def _proto_nested(levels: int) -> bytes:
    """A request with `levels` arrays inside one another, written from the inside out."""
    raw = b"\x0a\x01x"
    for _ in range(levels):
        raw = _field(b"\x2a", _field(b"\x0a", raw))
    attribute = _field(b"\x0a", b"k") + _field(b"\x12", raw)
    raw = _field(b"\x0a", T1) + _field(b"\x12", S1) + _field(b"\x4a", attribute)
    for tag in (b"\x12", b"\x12", b"\x0a"):
        raw = _field(tag, raw)
    return raw


def _json_nested(levels: int) -> bytes:
    opening, closing = b'{"arrayValue":{"values":[' * levels, b"]}}" * levels
    return (
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"%s",'
        b'"attributes":[{"key":"k","value":%s{"stringValue":"x"}%s}]}]}]}]}'
        % (T1.hex().encode(), S1.hex().encode(), opening, closing)
    )


def test_nesting_limit() -> None:
    """JSON may nest exactly as deeply as a protobuf body, so that its bytes can be read again."""
    deepest = 47
    read = split(_json_nested(deepest), JSON, NOW)
    assert read.span_count == 1
    assert read == split(_proto_nested(deepest), PROTOBUF, NOW)
    refused = split(_json_nested(deepest + 1), JSON, NOW)
    assert (refused.span_count, refused.rejected) == (0, 1)
    assert "attributes[0]: nested too deeply" in refused.problems


def test_nesting_of_ten_thousand() -> None:
    """A value nested ten thousand levels deep is refused, never a crash."""
    assert split(_proto_nested(10_000), PROTOBUF, NOW).rejected == 1
    with pytest.raises(MalformedError, match="the body is no JSON: depth limit"):
        split(_json_nested(10_000), JSON, NOW)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x0a\x05abc", "ends inside a field"),
        (b"\x0b", "wire type 3"),
        (b"\x00\x00", "a field without a number"),
        (b"\xff" * 20, "a number without an end"),
        (b"\x0a\x02\x0a\x05", "is no ExportTraceServiceRequest"),
        (b"\x0d\x00", "ends inside a field"),
        (b"\x08\xff", "a number without an end"),
        (b"\x0a", "a number without an end"),
    ],
)
def test_undecodable_protobuf(content: bytes, message: str) -> None:
    """Bytes that are no request are refused as a whole."""
    with pytest.raises(MalformedError, match=message):
        split(content, PROTOBUF, NOW)


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200), media_type=st.sampled_from((JSON, PROTOBUF)))
def test_random_bytes(content: bytes, media_type: str) -> None:
    """Whatever the bytes, the answer is a split or a MalformedError."""
    with contextlib.suppress(MalformedError):
        assert split(content, media_type, NOW).span_count >= 0


@settings(max_examples=100, deadline=None)
@given(flip=st.integers(0, 10_000), value=st.integers(0, 255), sent=_requests)
def test_damaged_bytes(flip: int, value: int, sent: ExportTraceServiceRequest) -> None:
    """A request with one damaged byte never crashes the split."""
    raw = bytearray(sent.SerializeToString() or b"\x00")
    raw[flip % len(raw)] = value
    with contextlib.suppress(MalformedError):
        assert split(bytes(raw), PROTOBUF, NOW).rejected >= 0


@pytest.mark.parametrize("content", [b"\x0a\x00" * (4 << 20), b"\x7a\x00" * (4 << 20)])
def test_swelling_protobuf(content: bytes) -> None:
    """A body of millions of empty messages is refused before it fills the memory."""
    with pytest.raises(TooLargeError, match="more than 400000 fields"):
        split(content, PROTOBUF, NOW)


def test_too_many_spans(request_of: RequestOf) -> None:
    """A body has a bound on its number of spans."""
    sent = request_of(*(Span() for _ in range(bounds.SPANS + 1)))
    with pytest.raises(TooLargeError, match="more than 200000 spans in one body"):
        split(sent.SerializeToString(), PROTOBUF, NOW)


def test_one_huge_span(request_of: RequestOf, to_json: ToJson) -> None:
    """A span over its bound is rejected, in either encoding."""
    huge = "x" * bounds.SPAN_BYTES
    sent = request_of(_span(name=huge)).SerializeToString()
    assert "spans[0]: a span of 16777" in split(sent, PROTOBUF, NOW).problems
    content = to_json(request_of(_span(name=huge)))
    assert "spans[0]: a span of 16777" in split(content, JSON, NOW).problems


def test_one_huge_resource(request_of: RequestOf, to_json: ToJson) -> None:
    """The spans of a resource over its bound are rejected, in either encoding."""
    sent = request_of(_span())
    name = AnyValue(string_value="x" * bounds.CONTEXT_BYTES)
    sent.resource_spans[0].resource.attributes.append(KeyValue(key="a", value=name))
    for content, kind in ((sent.SerializeToString(), PROTOBUF), (to_json(sent), JSON)):
        refused = split(content, kind, NOW)
        assert (0, 1) == (refused.span_count, refused.rejected)
        assert "spans[0]: a resource of 1048" in refused.problems


def test_empty_bodies() -> None:
    """An empty request is a success; a JSON body of no bytes is no JSON."""
    nothing = SplitBody((), 0, 0, "")
    assert nothing == split(b"", PROTOBUF, NOW)
    for empty in (b"{}", b'{"resourceSpans":null}', b'{"resourceSpans":[{"scopeSpans":[{}]}]}'):
        assert nothing == split(empty, JSON, NOW)
    with pytest.raises(MalformedError, match="no JSON"):
        split(b"", JSON, NOW)
