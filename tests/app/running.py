"""A processor put together in a test, and small requests to send to it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.wiring import Parts, assembled
from ragmon.config import load
from ragmon.ingest.split import PROTOBUF
from ragmon.model.flow import Body
from ragmon.telemetry import Transport

S = 1_000_000_000
START_NS = 1_796_100_000 * S


def trace_id(trace: int) -> str:
    """The trace id of a number, as labels write it."""
    return trace.to_bytes(16, "big").hex()


def span(trace: int, number: int = 1, parent: int | None = None, **attributes: object) -> Span:
    """One span that took the second before START_NS; `__` in a name stands for a dot."""
    return Span(
        trace_id=trace.to_bytes(16, "big"),
        span_id=number.to_bytes(8, "big"),
        parent_span_id=b"" if parent is None else parent.to_bytes(8, "big"),
        name="span",
        start_time_unix_nano=START_NS - S,
        end_time_unix_nano=START_NS,
        attributes=_attributes(attributes),
    )


def request(trace: int, query: str = "which way") -> Span:
    """The root span of a request."""
    return span(trace, ragmon__stage="request", ragmon__query=query)


def retrieval(trace: int, *document_ids: str) -> Span:
    """A search below the root span of a request."""
    given: dict[str, object] = {
        "ragmon.stage": "retrieval",
        "ragmon.documents.id": list(document_ids),
    }
    return span(trace, 2, 1, **given)


def body(*spans: Span, received_ns: int = START_NS, pipeline: str = "shop") -> Body:
    """An export request with these spans of one pipeline."""
    exported = ExportTraceServiceRequest()
    resource = exported.resource_spans.add()
    resource.resource.attributes.extend(_attributes({"service.name": pipeline}))
    resource.scope_spans.add().spans.extend(spans)
    return Body(received_ns, PROTOBUF, "", exported.SerializeToString(), len(spans))


def send(parts: Parts, *bodies: Body) -> None:
    """Acknowledge bodies as the receiver does."""
    for one in bodies:
        parts.writer.submit(one).result()
        parts.exporter.received(Transport.HTTP, one.span_count)


@contextmanager
def running(
    path: Path | None = None, *, assembly: Mapping[str, object] | None = None, **store: object
) -> Iterator[Parts]:
    """A processor with its store in a folder, or in memory."""
    kept = {"path": "memory" if path is None else str(path), **store}
    with assembled(load(None, {"store": kept, "assembly": assembly or {}})) as parts:
        yield parts


def series(parts: Parts, name: str, having: str = "") -> float:
    """The sum of a family's series whose labels hold a text."""
    lines = parts.exporter.exposition().body.decode().splitlines()
    return sum(
        float(line.rsplit(" ", 1)[1])
        for line in lines
        if line.startswith((f"{name}{{", f"{name} ")) and having in line
    )


def law(parts: Parts) -> tuple[float, float]:
    """Spans that came, and spans that went somewhere: equal at any time."""
    came = ("spans_received_total", "spans_replayed_total")
    went = ("spans_duplicate_total", "spans_settled_total", "spans_dropped_total", "open_spans")
    return _sum(parts, came), _sum(parts, went)


def _sum(parts: Parts, names: Sequence[str]) -> float:
    return sum(series(parts, f"ragmon_processor_{name}") for name in names)


def _attributes(values: dict[str, object]) -> list[KeyValue]:
    return [
        KeyValue(key=name.replace("__", "."), value=_value(value)) for name, value in values.items()
    ]


def _value(value: object) -> AnyValue:
    if isinstance(value, list):
        return AnyValue(array_value=ArrayValue(values=[_value(one) for one in value]))
    return AnyValue(string_value=str(value))
