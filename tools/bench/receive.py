"""Receiving against parsing alone: 40 KB traces of 6 spans, microseconds a trace.

The floor is upb's parse of the whole body. All figures of one run, best of several rounds
that take turns, since the machine's speed drifts.
"""

import base64
import gzip
import random
import time
from collections.abc import Callable
from typing import Any

import orjson
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragmon.ingest.compression import GZIP, inflate
from ragmon.ingest.decode import decode
from ragmon.ingest.split import JSON, PROTOBUF, split

_TRACES = 64
_ROUNDS = 9
_ID_KEYS = ("traceId", "spanId", "parentSpanId")
_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "retrieval", "grounding", "the", "of", "a")


def main() -> None:
    """Print microseconds a trace and the ratio to parsing alone."""
    message = _request(random.Random(7))
    content = message.SerializeToString()
    as_json = _otlp_json(message)
    base64_ids = json_format.MessageToDict(message, use_integers_for_enums=True)
    parts = [span for part in split(content, PROTOBUF, 0).parts for span in part.spans]
    packed = gzip.compress(content)
    took = _fastest(
        {
            "parse alone (upb)": lambda: ExportTraceServiceRequest.FromString(content),
            "split protobuf": lambda: split(content, PROTOBUF, 0),
            "decode": lambda: decode(parts),
            "inflate gzip": lambda: inflate(packed, GZIP, 1 << 30),
            "JSON parse alone (orjson)": lambda: orjson.loads(as_json),
            "split JSON": lambda: split(as_json, JSON, 0),
            "protobuf's own json_format": lambda: json_format.ParseDict(
                base64_ids, ExportTraceServiceRequest()
            ),
        }
    )
    floor = took["parse alone (upb)"]
    print(f"{len(content) / _TRACES / 1024:.1f} KiB a trace, {_TRACES} traces a body")
    for name, seconds in took.items():
        print(f"{name:28} {seconds / _TRACES * 1e6:8.1f} us a trace  x{seconds / floor:.2f}")
    ratio = took["protobuf's own json_format"] / took["split JSON"]
    print(f"{'json_format / split JSON':28} x{ratio:.1f}")


def _fastest(functions: dict[str, Callable[[], object]]) -> dict[str, float]:
    took = dict.fromkeys(functions, float("inf"))
    for _ in range(_ROUNDS):
        for name, function in functions.items():
            start = time.process_time()
            function()
            took[name] = min(took[name], time.process_time() - start)
    return took


def _request(source: random.Random) -> ExportTraceServiceRequest:
    """A request of whole RAG traces from one scope."""
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    service = resource.resource.attributes.add(key="service.name")
    service.value.string_value = "rag"
    scope = resource.scope_spans.add()
    scope.scope.name = "ragmon"
    for _ in range(_TRACES):
        trace_id, parent = source.randbytes(16), b""
        for stage in (
            "request",
            "embedding",
            "retrieval",
            "reranking",
            "augmentation",
            "generation",
        ):
            span = scope.spans.add(trace_id=trace_id, span_id=source.randbytes(8), name=stage)
            span.parent_span_id = parent
            parent = parent or span.span_id
            span.start_time_unix_nano = 1_796_071_958_828_499_341
            span.end_time_unix_nano = 1_796_071_959_828_499_341
            _add_attributes(span, stage, source)
    return request


def _add_attributes(span: Any, stage: str, source: random.Random) -> None:
    _text(span, "ragmon.stage", stage)
    for number in range(8):
        _text(span, f"app.attribute.{number}", _words(source, 30))
    if stage in ("retrieval", "reranking"):
        texts = span.attributes.add(key="ragmon.documents.text").value.array_value.values
        scores = span.attributes.add(key="ragmon.documents.score").value.array_value.values
        for _ in range(10):
            texts.add().string_value = _words(source, 1_100)
            scores.add().double_value = source.random()
    if stage == "generation":
        _text(span, "ragmon.prompt", _words(source, 11_000))
        _text(span, "ragmon.answer", _words(source, 800))
        span.attributes.add(key="gen_ai.usage.input_tokens").value.int_value = 1_800


def _text(span: Any, key: str, value: str) -> None:
    span.attributes.add(key=key).value.string_value = value


def _words(source: random.Random, length: int) -> str:
    return " ".join(source.choices(_WORDS, k=length // 5))[:length]


def _otlp_json(message: ExportTraceServiceRequest) -> bytes:
    document = json_format.MessageToDict(message, use_integers_for_enums=True)
    return orjson.dumps(_hex_ids(document))


def _hex_ids(value: Any) -> Any:
    """OTLP's JSON has its ids in hex where protobuf's has them in base64."""
    if isinstance(value, list):
        return [_hex_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(one).hex() if key in _ID_KEYS else _hex_ids(one)
        for key, one in value.items()
    }


if __name__ == "__main__":
    main()
