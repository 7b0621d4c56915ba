import logging
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased
from opentelemetry.trace import ProxyTracerProvider, get_current_span

import ragmon
from ragmon.capture import faults
from ragmon.capture.settings import active
from tests.capture.conftest import Spans


class Broken:
    """A document that fails when it is looked at."""

    @property
    def text(self) -> str:
        raise RuntimeError("a secret of the user")


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in production: faults are logged, at most once a minute."""
    monkeypatch.delenv("RAGMON_STRICT")
    monkeypatch.setattr(faults, "_faults", faults._Faults())


@pytest.mark.usefixtures("lenient")
def test_fault_leaves_the_call_unharmed(spans: Spans, caplog: pytest.LogCaptureFixture) -> None:
    """A fault of ragmon's own is counted and logged once, without the user's text."""
    found = [Broken()]

    @ragmon.reranking
    def rerank(query: str, documents: list[Any]) -> list[Any]:
        return documents

    for _ in range(3):
        assert rerank("q", found) is found
    assert faults.fault_count() == 6
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("ragmon.capture", logging.WARNING)
    assert "RuntimeError" in record.getMessage()
    assert "secret" not in caplog.text
    first = dict(spans.all()[0].attributes or {})
    assert (first["ragmon.query"], first["ragmon.stage"]) == ("q", "reranking")


def test_fault_propagates_in_strict_mode(spans: Spans) -> None:
    """With RAGMON_STRICT=1 a fault is raised, so that tests see it; the span still ends."""
    with pytest.raises(RuntimeError):
        ragmon.retrieval(lambda: [Broken()])()
    assert spans.only()["ragmon.stage"] == "retrieval"


@pytest.mark.usefixtures("lenient")
def test_fault_of_an_option(spans: Spans) -> None:
    """A `result` or `chunk` function that raises harms neither call nor stream."""

    def fail(value: object) -> str:
        raise RuntimeError

    stream = ragmon.generation(chunk=fail)(lambda: None)
    assert stream() is None
    assert ragmon.retrieval(result=fail)(lambda: ["x"])() == ["x"]

    @ragmon.generation(chunk=fail)
    def letters() -> Any:
        yield from "abc"

    assert list(letters()) == ["a", "b", "c"]
    assert faults.fault_count() == 4


@pytest.mark.usefixtures("lenient")
def test_fault_of_the_tracer(spans: Spans) -> None:
    """A tracer that raises is borne."""

    class NoTracer:
        def start_span(self, *args: object, **kwargs: object) -> None:
            raise RuntimeError

    active.tracer = NoTracer()  # type: ignore[assignment]
    assert ragmon.retrieval(lambda: ["x"])() == ["x"]
    with ragmon.span("generation") as span:
        span.answer = "A"
    assert faults.fault_count() == 2


async def test_without_sdk() -> None:
    """Without an SDK every decorator is transparent and looks at nothing."""
    active.tracer = ProxyTracerProvider().get_tracer("ragmon")
    broken = [Broken()]

    async def later(documents: list[Any]) -> list[Any]:
        return documents

    def stream(documents: list[Any]) -> Any:
        yield from documents

    async def stream_later(documents: list[Any]) -> Any:
        yield documents[0]

    assert ragmon.reranking(lambda documents: documents)(broken) is broken
    assert await ragmon.reranking(later)(broken) is broken
    assert list(ragmon.reranking(stream)(broken)) == broken
    assert [one async for one in ragmon.reranking(stream_later)(broken)] == broken
    with ragmon.span("retrieval", documents=broken):
        ragmon.annotate(documents=broken)


def test_unsampled() -> None:
    """Where the sampler declines nothing is read, and children follow their parent."""
    provider = TracerProvider(sampler=ParentBased(ALWAYS_OFF), shutdown_on_exit=False)
    ragmon.configure(tracer_provider=provider)
    inside: list[bool] = []

    def search(documents: list[Any]) -> list[Any]:
        inside.append(get_current_span().get_span_context().is_valid)
        return documents

    broken = [Broken()]
    captured = ragmon.reranking(search)
    assert ragmon.request(captured)(broken) is broken
    assert inside == [True]
    assert not get_current_span().get_span_context().is_valid
