import logging
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import NoOpTracerProvider

import ragmon
from tests.capture.conftest import Sink, Spans

ROOT = Path(__file__).parents[2]


@pytest.fixture
def provider() -> Iterator[TracerProvider]:
    provider = TracerProvider(shutdown_on_exit=False)
    yield provider
    provider.shutdown()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def run(program: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a program in a fresh process: a global provider can be set only once."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
        env={"PATH": "", "PYTHONPATH": str(ROOT), **environment},
    )


APP = """
import ragmon
ragmon.configure({options})
search = ragmon.retrieval(lambda query: [query])
answer = ragmon.request(lambda question: search(question)[0])
assert answer("q") == "q"
print(ragmon.flush())
ragmon.shutdown()
"""


def test_configure_own_provider_passes_rag_spans_and_their_ancestors(
    sink: Sink, provider: TracerProvider
) -> None:
    """Of an application's spans pass ragmon's, known dialects' and their local ancestors."""
    ragmon.configure(tracer_provider=provider, endpoint=sink.url)
    tracer = provider.get_tracer("web")
    search = ragmon.retrieval(lambda query: [query])
    with tracer.start_as_current_span("GET /ask"):
        with tracer.start_as_current_span("authorise"):
            pass
        with tracer.start_as_current_span("controller"):
            search("q")
            with tracer.start_as_current_span("chat") as chat:
                chat.set_attribute("gen_ai.operation.name", "chat")
                with tracer.start_as_current_span("POST"):
                    pass
            with tracer.start_as_current_span("vectors") as vectors:
                vectors.add_event("db.query.result")
    with tracer.start_as_current_span("GET /health"):
        pass
    assert ragmon.flush()
    assert sorted(sink.names()) == [
        "GET /ask",
        "chat",
        "controller",
        "retrieval <lambda>",
        "vectors",
    ]


def test_configure_twice_adds_one_processor(sink: Sink, provider: TracerProvider) -> None:
    """Configuring again sends nothing twice, and changes the settings."""
    for pipeline in ("first", "second"):
        ragmon.configure(tracer_provider=provider, endpoint=sink.url, pipeline=pipeline)
    ragmon.retrieval(lambda query: [query])("q")
    assert ragmon.flush()
    (span,) = sink.spans()
    attributes = {pair.key: pair.value for pair in span.attributes}
    assert attributes["ragmon.pipeline"].string_value == "second"
    assert [
        value.string_value for value in attributes["ragmon.documents.text"].array_value.values
    ] == ["q"]


def test_configure_keeps_the_applications_keys(
    sink: Sink, provider: TracerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headers of the application's own backend never go to ragmon's endpoint."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-api-key=secret")
    monkeypatch.setenv("RAGMON_ENDPOINT", sink.url)
    ragmon.configure(tracer_provider=provider, headers={"X-Token": "mine"})
    ragmon.retrieval(lambda query: [query])("q")
    assert ragmon.flush()
    (headers,) = sink.headers
    assert headers["x-token"] == "mine"
    assert "x-api-key" not in headers
    assert "secret" not in str(headers)


def test_configure_over_grpc(provider: TracerProvider) -> None:
    """`protocol="grpc"` sends over gRPC."""
    arrived: list[Any] = []

    class Service(trace_service_pb2_grpc.TraceServiceServicer):
        def Export(self, request: Any, context: Any) -> Any:
            arrived.append((request, dict(context.invocation_metadata())))
            return trace_service_pb2.ExportTraceServiceResponse()

    server = grpc.server(futures.ThreadPoolExecutor(1))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(Service(), server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        endpoint = f"127.0.0.1:{port}"
        ragmon.configure(
            tracer_provider=provider, endpoint=endpoint, protocol="grpc", headers={"X-Token": "t"}
        )
        ragmon.retrieval(lambda query: [query])("q")
        assert ragmon.flush()
    finally:
        server.stop(None).wait()
    ((request, metadata),) = arrived
    assert request.resource_spans[0].scope_spans[0].scope.name == "ragmon"
    assert metadata["x-token"] == "t"


def test_configure_unreachable_endpoint(
    provider: TracerProvider, caplog: pytest.LogCaptureFixture
) -> None:
    """An endpoint that does not answer is one warning, then silence; calls are unharmed."""
    port = free_port()
    ragmon.configure(tracer_provider=provider, endpoint=f"http://127.0.0.1:{port}")
    search = ragmon.retrieval(lambda query: [query])
    assert search("q") == ["q"]
    ragmon.flush(timeout_s=30)
    for _ in range(3000):
        search("q")
    began = time.monotonic()
    ragmon.shutdown(timeout_s=30)
    assert time.monotonic() - began < 15
    assert [(record.name, record.levelno) for record in caplog.records] == [
        ("ragmon.capture", logging.WARNING)
    ]
    assert f"cannot send spans to http://127.0.0.1:{port}/v1/traces" in caplog.text


def test_configure_flush_is_bounded(sink: Sink, provider: TracerProvider) -> None:
    """`flush` returns in time even if the endpoint takes its own."""
    sink.gate.clear()
    ragmon.configure(tracer_provider=provider, endpoint=sink.url)
    ragmon.retrieval(lambda query: [query])("q")
    assert ragmon.flush(timeout_s=0.05) is False
    sink.gate.set()
    assert ragmon.flush(timeout_s=30) is True


def test_configure_makes_a_provider(sink: Sink) -> None:
    """Without a provider ragmon makes one, with service, pipeline and version on it."""
    options = f"service='desk', pipeline='faq', pipeline_version='7', endpoint='{sink.url}'"
    done = run(APP.format(options=options))
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert sorted(sink.names()) == ["request <lambda>", "retrieval <lambda>"]
    resource = sink.resource()
    assert resource["service.name"] == "desk"
    assert resource["ragmon.pipeline"] == "faq"
    assert resource["ragmon.pipeline_version"] == "7"


def test_configure_respects_otel_variables(sink: Sink) -> None:
    """Where ragmon makes the provider, endpoint, headers, service and resource are OTel's."""
    done = run(
        APP.format(options=""),
        OTEL_EXPORTER_OTLP_ENDPOINT=sink.url,
        OTEL_EXPORTER_OTLP_HEADERS="x-token=mine",
        OTEL_SERVICE_NAME="desk",
        OTEL_RESOURCE_ATTRIBUTES="deployment.environment.name=test",
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert sink.resource()["service.name"] == "desk"
    assert sink.resource()["deployment.environment.name"] == "test"
    assert sink.headers[0]["x-token"] == "mine"
    (span, *_) = sink.spans()
    assert "ragmon.pipeline" not in {pair.key for pair in span.attributes}


def test_configure_exit_sends_what_is_queued(sink: Sink) -> None:
    """A normal exit sends the last spans without any call."""
    program = APP.format(options=f"endpoint='{sink.url}'").split("print")[0]
    assert run(program).stderr == ""
    assert len(sink.names()) == 2


def test_configure_exit_with_dead_endpoint() -> None:
    """A dead endpoint costs one line at exit and little time."""
    program = APP.format(options=f"endpoint='http://127.0.0.1:{free_port()}'").split("print")[0]
    began = time.monotonic()
    done = run(program)
    assert time.monotonic() - began < 20
    assert done.returncode == 0
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
    ],
)
def test_configure_nowhere(environment: dict[str, str]) -> None:
    """Without an endpoint, or turned off by OTel's variables, no SDK is even loaded."""
    program = APP.format(options="") + "import sys; print('opentelemetry.sdk' in sys.modules)"
    done = run(program, **environment)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "False"
    assert "Traceback" not in done.stderr


def test_configure_provider_without_processors(
    sink: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    """A provider that takes no processors is left alone, and that is said."""
    ragmon.configure(tracer_provider=NoOpTracerProvider(), endpoint=sink.url)
    assert ragmon.retrieval(lambda query: [query])("q") == ["q"]
    assert "takes no processors" in caplog.text


def test_configure_never_raises(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration that cannot work does not stop the application; strict mode tells."""
    broken: Any = "no number"
    with pytest.raises(TypeError):
        ragmon.configure(max_text_chars=broken)
    monkeypatch.delenv("RAGMON_STRICT")
    ragmon.configure(max_text_chars=broken)


def test_configure_pipeline_on_spans(spans: Spans) -> None:
    """Pipeline and version stand on each span; a request's own pipeline holds inside it."""
    ragmon.configure(tracer_provider=spans.provider, service="desk", pipeline_version="7")
    search = ragmon.retrieval(lambda query: [query])
    search("q")
    ragmon.request(pipeline="other")(search)("q")
    found = [
        (
            (span.attributes or {})["ragmon.pipeline"],
            (span.attributes or {})["ragmon.pipeline_version"],
        )
        for span in spans.all()
    ]
    assert found == [("desk", "7"), ("other", "7"), ("other", "7")]
