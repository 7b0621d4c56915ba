"""The stock exporters and every recorded trace are taken, over every road."""

import asyncio
from pathlib import Path

import grpc
import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (
    OTLPSpanExporter as GrpcExporter,
)
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import (
    OTLPSpanExporter as HttpExporter,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from ragmon.ingest.decode import decode
from ragmon.ingest.request import export_request
from ragmon.ingest.split import JSON, split
from tests.server.fakes import NOW, Running

TRACES = sorted((Path(__file__).parents[1] / "fixtures" / "traces").glob("*.json"))


def _send(exporter: SpanExporter) -> bool:
    provider = TracerProvider(resource=Resource.create({"service.name": "rag"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("request") as request:
        request.set_attribute("ragmon.stage", "request")
        for _ in range(20):
            with tracer.start_as_current_span("retrieve") as span:
                span.set_attribute("ragmon.documents.text", ("a" * 1_000,) * 5)
    flushed = provider.force_flush()
    provider.shutdown()
    return flushed


@pytest.mark.parametrize("road", ["http", "http gzip", "http deflate", "grpc", "grpc gzip"])
async def test_stock_exporters(running: Running, road: str) -> None:
    """Each stock exporter delivers its spans, in each of its compressions."""
    compression = road.partition(" ")[2]
    exporter: SpanExporter
    if road.startswith("http"):
        exporter = HttpExporter(
            endpoint=running.http + "/v1/traces", compression=Compression(compression or "none")
        )
    else:
        exporter = GrpcExporter(
            endpoint=running.target, insecure=True, compression=_grpc(compression)
        )
    assert await asyncio.to_thread(_send, exporter)
    (part,) = running.intake.parts
    names = sorted(span.name for span in decode(part.spans))
    assert names == ["request"] + ["retrieve"] * 20


def _grpc(compression: str) -> grpc.Compression:
    return grpc.Compression.Gzip if compression else grpc.Compression.NoCompression


@pytest.fixture
def recorded() -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in TRACES}


async def test_trace_files(running: Running, recorded: dict[str, bytes]) -> None:
    """Every recorded trace gives the same parts as JSON over HTTP, protobuf over HTTP and gRPC."""
    assert len(recorded) == 32
    for name, content in recorded.items():
        parts = split(content, JSON, NOW).parts
        message = export_request(span for part in parts for span in part.spans)
        assert (await running.post(content, JSON)).content == b"{}", name
        assert (await running.post(message)).content == b"", name
        assert await running.export(message) == b"", name
        assert [body.parts for body, _ in running.intake.accepted[-3:]] == [parts] * 3, name
