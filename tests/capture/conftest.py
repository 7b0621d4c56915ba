import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import ragmon
from ragmon.capture.settings import active


class Spans:
    """What was captured in one test."""

    def __init__(self, exporter: InMemorySpanExporter, provider: TracerProvider) -> None:
        self._exporter = exporter
        self.provider = provider

    def all(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def named(self, start: str) -> ReadableSpan:
        (found,) = (span for span in self.all() if span.name.startswith(start))
        return found

    def attributes(self, start: str) -> Mapping[str, Any]:
        return dict(self.named(start).attributes or {})

    def only(self) -> Mapping[str, Any]:
        (span,) = self.all()
        return dict(span.attributes or {})


@pytest.fixture(autouse=True)
def strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Faults of ragmon's own propagate, and no test leaves its settings behind."""
    for name in ("RAGMON_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAGMON_STRICT", "1")
    settings, tracer = active.settings, active.tracer
    yield
    active.settings, active.tracer = settings, tracer


@pytest.fixture
def spans() -> Iterator[Spans]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    ragmon.configure(tracer_provider=provider)
    yield Spans(exporter, provider)
    provider.shutdown()


class Sink:
    """A small OTLP/HTTP receiver: what arrived, in order, with its headers."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def spans(self) -> list[Any]:
        return [
            span
            for request in self.requests
            for of_resource in request.resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]

    def names(self) -> list[str]:
        return [span.name for span in self.spans()]

    def resource(self) -> dict[str, str]:
        attributes = self.requests[0].resource_spans[0].resource.attributes
        return {pair.key: pair.value.string_value for pair in attributes}


@pytest.fixture
def sink() -> Iterator[Sink]:
    sink = Sink()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sink.gate.wait(10)
            sink.headers.append({name.lower(): value for name, value in self.headers.items()})
            sink.requests.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200 if self.path == "/v1/traces" else 404)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.daemon_threads = True
    sink.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield sink
    finally:
        sink.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
