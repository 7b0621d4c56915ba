"""OTLP/JSON as senders write it, and as they should not."""

import json
from typing import Any

import pytest

from ragmon.errors import MalformedError, TooLargeError
from ragmon.ingest import bounds
from ragmon.ingest.decode import decode
from ragmon.ingest.split import JSON, SplitBody, split
from ragmon.model.span import AttributeValue, Span, StatusCode

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def _split(**fields: Any) -> SplitBody:
    span = {"traceId": TRACE, "spanId": SPAN} | fields
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    return split(json.dumps(document).encode(), JSON, 0)


def _span(**fields: Any) -> Span:
    read = _split(**fields)
    assert read.problems == ""
    (span,) = decode(read.parts[0].spans)
    return span


def _value(value: Any) -> AttributeValue:
    return _span(attributes=[{"key": "k", "value": value}]).attributes["k"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"stringValue": "é"}, "é"),
        ({"stringValue": ""}, ""),
        ({"boolValue": False}, False),
        ({"intValue": "9223372036854775807"}, 2**63 - 1),
        ({"intValue": -5}, -5),
        ({"intValue": 7.0}, 7),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "2.5"}, 2.5),
        ({"doubleValue": "Infinity"}, float("inf")),
        ({"doubleValue": "-Infinity"}, float("-inf")),
        ({"bytesValue": "+/8="}, b"\xfb\xff"),
        ({"bytesValue": "-_8"}, b"\xfb\xff"),
        ({"arrayValue": {}}, ()),
        ({"arrayValue": {"values": None}}, ()),
        ({"arrayValue": {"values": [{"intValue": 1}, {}, None]}}, (1, None, None)),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"intValue": 1}}]}}, {"a": 1}),
        ({"kvlistValue": {}}, {}),
        ({}, None),
        (None, None),
        ({"stringValue": None}, None),
        ({"someFutureValue": 3}, None),
        ({"stringValueStrindex": 3}, None),
        ({"intValue": 1, "stringValue": "last"}, "last"),
    ],
)
def test_values(value: Any, expected: AttributeValue) -> None:
    """Every kind of value is read in every form that OTLP/JSON allows."""
    read = _value(value)
    assert (type(read), read) == (type(expected), expected)


def test_nan() -> None:
    """A double may be "NaN"."""
    read = _value({"doubleValue": "NaN"})
    assert isinstance(read, float)
    assert read != read  # noqa: PLR0124 - only NaN differs from itself


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"intValue": "18446744073709551616"}, "of the wrong type or out of range"),
        ({"intValue": 2**80}, "of the wrong type or out of range"),
        ({"intValue": "9" * 5_000}, "of the wrong type or out of range"),
        ({"intValue": "one"}, "of the wrong type or out of range"),
        ({"intValue": 1.5}, "expected an integer"),
        ({"intValue": True}, "expected an integer"),
        ({"doubleValue": "wide"}, "of the wrong type or out of range"),
        ({"doubleValue": []}, "of the wrong type or out of range"),
        ({"stringValue": 5}, "of the wrong type or out of range"),
        ({"boolValue": "true"}, "boolValue is no boolean"),
        ({"bytesValue": "é"}, "of the wrong type or out of range"),
        ({"bytesValue": "a"}, "of the wrong type or out of range"),
        ({"bytesValue": 1}, "bytesValue is no string"),
        ({"arrayValue": []}, "expected an object"),
        ({"arrayValue": {"values": {}}}, "expected a list"),
        ({"arrayValue": {"values": [1]}}, "a value is no object"),
        ("bare", "a value is no object"),
    ],
)
def test_bad_values(value: Any, problem: str) -> None:
    """A value that cannot be read costs its span, and is named by its place alone."""
    read = _split(attributes=[{"key": "good"}, {"key": "secret", "value": value}])
    assert (read.span_count, read.rejected) == (0, 1)
    where = "resourceSpans[0].scopeSpans[0].spans[0]: attributes[1]"
    assert read.problems == f"1 of 1 spans rejected; {where}: {problem}"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"traceId": "xyz"}, "traceId: expected hexadecimal"),
        ({"traceId": 5}, "traceId: expected hexadecimal"),
        ({"traceId": "é" * 32}, "traceId: expected hexadecimal"),
        ({"traceId": "AAAAAAAAAAAAAAAAAAAAAA=="}, "traceId: expected hexadecimal"),
        ({"kind": "SPAN_KIND_SERVER"}, "kind: expected the enum's number"),
        ({"kind": 2**40}, "kind: of the wrong type or out of range"),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, "status.code: expected the enum's number"),
        ({"status": []}, "status: expected an object"),
        ({"startTimeUnixNano": "-1"}, "startTimeUnixNano: of the wrong type or out of range"),
        ({"endTimeUnixNano": 2**64}, "endTimeUnixNano: of the wrong type or out of range"),
        ({"endTimeUnixNano": "2026-11-30T00:00:00Z"}, "endTimeUnixNano: of the wrong type"),
        ({"name": ["n"]}, "name: of the wrong type or out of range"),
        ({"attributes": {"a": 1}}, "attributes[0]: expected a list"),
        ({"attributes": [5]}, "attributes[0]: expected an object"),
        ({"attributes": [{"key": 5}]}, "attributes[0]: of the wrong type or out of range"),
        ({"events": [{}, {"attributes": [1]}]}, "events[1].attributes[0]: expected an object"),
        ({"links": [{"flags": -1}]}, "links[0].flags: of the wrong type or out of range"),
    ],
)
def test_bad_fields(fields: dict[str, Any], problem: str) -> None:
    """A field that cannot be read costs its span; the path to it is named."""
    read = _split(**fields)
    assert (read.span_count, read.rejected) == (0, 1)
    assert f"spans[0]: {problem}" in read.problems


def test_spelling() -> None:
    """Ids are hex of either case; numbers may be strings; unknown keys and nulls are ignored."""
    read = _span(
        traceId=TRACE.upper(),
        parentSpanId="",
        startTimeUnixNano=5,
        endTimeUnixNano="6",
        kind=None,
        someFutureField={"x": 1},
        status={"code": 2, "message": "bad"},
        trace_state="ignored",
    )
    assert (read.trace_id, read.span_id, read.parent_id) == (TRACE, SPAN, None)
    assert (read.start_ns, read.end_ns, read.trace_state) == (5, 6, "")
    assert (read.status, read.status_message) == (StatusCode.ERROR, "bad")


def test_duplicate_keys() -> None:
    """Of a repeated attribute key the last value stands."""
    twice = [{"key": "k", "value": {"intValue": 1}}, {"key": "k", "value": {"intValue": 2}}]
    assert _span(attributes=twice).attributes == {"k": 2}


def test_snake_case() -> None:
    """Snake-case keys are ignored as OTLP wants, and the sender is warned."""
    for document, key in (
        ({"resource_spans": [{}]}, "resource_spans"),
        ({"resourceSpans": [{"scope_spans": []}]}, "scope_spans"),
    ):
        read = split(json.dumps(document).encode(), JSON, 0)
        assert (read.span_count, read.rejected) == (0, 0)
        assert read.problems == f"the key '{key}' is ignored: OTLP/JSON keys are lowerCamelCase"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"cut \ud83d", "cut \ufffd"),
        (r"\udc00 alone", "\ufffd alone"),
        (r"\ud83d\ude00 whole, \ud83d", "\U0001f600 whole, \ufffd"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"no escape \\ud83d, but \ud83d", "no escape \\ud83d, but \ufffd"),
        (r"\u0041 \n\ud83d", "A \n\ufffd"),
    ],
)
def test_half_surrogates(written: str, read: str) -> None:
    """Half a surrogate pair, as a cut emoji leaves it, becomes the replacement character."""
    start = f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"{TRACE}","spanId":"{SPAN}"'
    content = f'{start},"name":"{written}"}}]}}]}}]}}'
    split_body = split(content.encode(), JSON, 0)
    (span,) = decode(split_body.parts[0].spans)
    assert span.name == read


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "the body: expected a JSON object"),
        (b"5", "the body: expected a JSON object"),
        (b'{"resourceSpans":5}', "resourceSpans: expected a list"),
        (b'{"resourceSpans":[5]}', r"resourceSpans\[0\]: expected a JSON object"),
        (b'{"resourceSpans":[{"scopeSpans":[1]}]}', r"scopeSpans\[0\]: expected a JSON object"),
        (
            b'{"resourceSpans":[{"scopeSpans":[{"spans":{}}]}]}',
            r"resourceSpans\[0\].scopeSpans\[0\].spans: expected a list",
        ),
        (
            b'{"resourceSpans":[{"resource":{"attributes":[0]},"scopeSpans":[{}]}]}',
            r"resource.attributes\[0\]: expected an object",
        ),
        (
            b'{"resourceSpans":[{"resource":{"entityRefs":[{"idKeys":[1]}]},"scopeSpans":[{}]}]}',
            r"resource.entityRefs\[0\].idKeys: of the wrong type",
        ),
        (b'{"a":NaN}', "the body is no JSON"),
        (b'{"a":"\xff"}', "the body is no JSON"),
        (rb'{"a":"\ud83d"', "the body is no JSON"),
        (rb'{"a":"\ud83', "the body is no JSON"),
    ],
)
def test_undecodable(content: bytes, message: str) -> None:
    """A document that is no request is refused as a whole, and the place is named."""
    with pytest.raises(MalformedError, match=message):
        split(content, JSON, 0)


def test_swelling_json() -> None:
    """JSON of millions of tiny objects is refused before it fills the memory."""
    content = b'{"x":[' + b"{}," * (bounds.JSON_MEMORY_BYTES // 240) + b"{}]}"
    with pytest.raises(TooLargeError, match="too many values; send smaller batches"):
        split(content, JSON, 0)
