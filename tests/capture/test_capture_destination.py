from collections.abc import Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

import ragmon
from ragmon.capture.destination import find_otel, find_own
from ragmon.capture.exporting import QuietExporter, portions
from tests.capture.conftest import Spans


@pytest.mark.parametrize(
    ("endpoint", "url", "protocol"),
    [
        ("http://host:4318", "http://host:4318/v1/traces", "http/protobuf"),
        ("http://host:4318/", "http://host:4318/v1/traces", "http/protobuf"),
        ("https://host/otlp/v1/traces", "https://host/otlp/v1/traces", "http/protobuf"),
        ("https://host/otlp", "https://host/otlp/v1/traces", "http/protobuf"),
        ("host:4318", "http://host:4318/v1/traces", "http/protobuf"),
        ("host:4317", "http://host:4317", "grpc"),
    ],
)
def test_destination_of_an_endpoint(endpoint: str, url: str, protocol: str) -> None:
    """An endpoint is taken as people write it; port 4317 is gRPC."""
    found = find_own(endpoint, None, None)
    assert found is not None
    assert (found.url, found.protocol) == (url, protocol)


def test_destination_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """OTel's protocol variable decides; the shown place holds no credentials."""
    assert find_own(None, None, None) is None
    assert find_otel(None, None) is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:key@host:4317/x")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    found = find_otel(None, {"k": "secret"})
    assert found is not None
    assert found.protocol == "http/protobuf"
    assert found.place == "https://host:4317/x"
    assert "secret" not in repr(found)


class Dead(SpanExporter):
    """An exporter whose endpoint never answers."""

    def __init__(self) -> None:
        self.tried = 0
        self.closed = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.tried += 1
        raise ConnectionError

    def shutdown(self) -> None:
        self.closed += 1


def test_export_at_the_end_wastes_no_time(spans: Spans, caplog: pytest.LogCaptureFixture) -> None:
    """Once the process ends, an endpoint known to be dead is not tried again."""
    ragmon.retrieval(lambda query: [query])("q")
    dead = Dead()
    exporter = QuietExporter(dead, "nowhere")
    results = [exporter.export(spans.all()) for _ in range(2)]
    exporter.hurry()
    results.append(exporter.export(spans.all()))
    assert results == [SpanExportResult.FAILURE] * 3
    assert (dead.tried, dead.closed) == (2, 1)
    assert len(caplog.records) == 1


def test_export_in_portions(spans: Spans) -> None:
    """A batch is cut where the text of one request would grow too large."""
    generate = ragmon.generation(lambda prompt: "a")
    ragmon.configure(tracer_provider=spans.provider, max_text_chars=4 << 20)
    for size in (10, 2 << 20, 2 << 20, 4 << 20, 10):
        generate("p" * size)
    cut = list(portions(spans.all()))
    assert [len(portion) for portion in cut] == [2, 1, 1, 1]
    assert [span for portion in cut for span in portion] == spans.all()


class Hostile(str):
    """A text whose methods raise."""

    __slots__ = ()

    def __str__(self) -> str:
        raise ValueError

    def __len__(self) -> int:
        raise ValueError


def test_a_text_with_methods_of_its_own_costs_no_batch(spans: Spans) -> None:
    """What a subclass of str does never reaches the export."""
    with spans.provider.get_tracer("t").start_as_current_span("s") as span:
        span.set_attribute("ragmon.answer", Hostile("text"))
    assert list(portions(spans.all())) == [spans.all()]
