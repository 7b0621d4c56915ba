"""Spans as protobuf and as OTLP/JSON, for the tests of this room."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

TRACES = Path(__file__).parents[1] / "fixtures" / "traces"
_ID_KEYS = ("traceId", "spanId", "parentSpanId")


def _hex_ids(value: Any) -> Any:
    """The base64 ids of protobuf's own JSON as the hex ids of OTLP/JSON."""
    if isinstance(value, list):
        return [_hex_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(one).hex() if key in _ID_KEYS else _hex_ids(one)
        for key, one in value.items()
    }


def _to_json(request: ExportTraceServiceRequest) -> bytes:
    document = json_format.MessageToDict(request, use_integers_for_enums=True)
    return json.dumps(_hex_ids(document)).encode()


def _base64_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_base64_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(one)).decode() if key in _ID_KEYS else _base64_ids(one)
        for key, one in value.items()
    }


def _from_json(content: bytes) -> ExportTraceServiceRequest:
    """Protobuf's own reading of OTLP/JSON: slow, and independent of ours."""
    return json_format.ParseDict(
        _base64_ids(json.loads(content)), ExportTraceServiceRequest(), ignore_unknown_fields=True
    )


def _request(*spans: Span) -> ExportTraceServiceRequest:
    return ExportTraceServiceRequest(
        resource_spans=[ResourceSpans(scope_spans=[ScopeSpans(spans=list(spans))])]
    )


@pytest.fixture(scope="session")
def to_json() -> Callable[[ExportTraceServiceRequest], bytes]:
    return _to_json


@pytest.fixture(scope="session")
def from_json() -> Callable[[bytes], ExportTraceServiceRequest]:
    return _from_json


@pytest.fixture(scope="session")
def request_of() -> Callable[..., ExportTraceServiceRequest]:
    return _request


@pytest.fixture(params=sorted(TRACES.glob("*.json")), ids=lambda path: path.stem)
def trace_file(request: pytest.FixtureRequest) -> bytes:
    path: Path = request.param
    return path.read_bytes()
