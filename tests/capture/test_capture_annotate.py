import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry.trace import StatusCode, get_current_span

import ragmon
from tests.capture.conftest import Spans

DOCUMENTS = [{"id": "a", "text": "Alpha"}]


def test_annotate_everything(spans: Spans) -> None:
    """Every keyword is written under its name on the wire."""

    @ragmon.generation
    def generate() -> None:
        ragmon.annotate(
            answer="A",
            citations=["a", "b"],
            context=DOCUMENTS,
            cost_usd=0.25,
            data_source="handbook",
            documents=DOCUMENTS,
            finish_reason="stop",
            input_documents=DOCUMENTS,
            input_tokens=10,
            max_context_tokens=99,
            model="small",
            output_tokens=2,
            prompt="P",
            query="Q",
            source_id="s",
            top_k=5,
            request_id="r",
            conversation_id="c",
            session_id="u",
        )

    generate()
    assert spans.only() == {
        "ragmon.answer": "A",
        "ragmon.citations": ("a", "b"),
        "ragmon.context.id": ("a",),
        "ragmon.context.text": ("Alpha",),
        "ragmon.cost_usd": 0.25,
        "gen_ai.data_source.id": "handbook",
        "ragmon.documents.count": 1,
        "ragmon.documents.id": ("a",),
        "ragmon.documents.text": ("Alpha",),
        "gen_ai.response.finish_reasons": ("stop",),
        "ragmon.input_documents.id": ("a",),
        "ragmon.input_documents.text": ("Alpha",),
        "gen_ai.usage.input_tokens": 10,
        "ragmon.max_context_tokens": 99,
        "gen_ai.response.model": "small",
        "gen_ai.usage.output_tokens": 2,
        "ragmon.prompt": "P",
        "ragmon.query": "Q",
        "ragmon.source.id": "s",
        "gen_ai.retrieval.top_k": 5,
        "ragmon.request_id": "r",
        "gen_ai.conversation.id": "c",
        "session.id": "u",
        "ragmon.stage": "generation",
        "gen_ai.operation.name": "chat",
    }


def test_annotate_request_from_inside(spans: Spans) -> None:
    """Ids of the request go to its span from any depth; the rest to the innermost."""

    @ragmon.generation
    def generate(prompt: str) -> str:
        ragmon.annotate(request_id="r", cost_usd=0.5)
        return "A"

    ragmon.request(generate)("q")
    assert spans.attributes("request")["ragmon.request_id"] == "r"
    assert "ragmon.request_id" not in spans.attributes("generation")
    assert spans.attributes("generation")["ragmon.cost_usd"] == 0.5


def test_annotate_foreign_span(spans: Spans) -> None:
    """Where no ragmon span is open, OpenTelemetry's current one is annotated."""
    tracer = spans.provider.get_tracer("mine")
    with tracer.start_as_current_span("mine"):
        ragmon.annotate(request_id="r", citations="a")
    assert spans.only() == {"ragmon.request_id": "r", "ragmon.citations": ("a",)}


def test_annotate_without_span(spans: Spans) -> None:
    """Without any span nothing happens."""
    ragmon.annotate(request_id="r")
    assert spans.all() == []


def test_annotate_unknown_keyword(spans: Spans) -> None:
    """A keyword that is none names the nearest, in strict mode; the others are written."""

    @ragmon.generation
    def generate() -> None:
        with pytest.raises(TypeError, match="'input_token'; did you mean 'input_tokens'"):
            ragmon.annotate(input_token=1, output_tokens=2)  # type: ignore[call-arg]

    generate()
    assert spans.only()["gen_ai.usage.output_tokens"] == 2


def test_annotate_context_as_one_string(spans: Spans) -> None:
    """One string is one entry of context without an id."""
    with ragmon.span("generation", context="all of it"):
        pass
    assert spans.only()["ragmon.context.id"] == ("",)
    assert spans.only()["ragmon.context.text"] == ("all of it",)


def test_span_block(spans: Spans) -> None:
    """A block does what a decorator does."""
    with ragmon.span("retrieval", query="q", top_k=3) as span:
        assert get_current_span().is_recording()
        span.documents = DOCUMENTS
        assert span.documents is DOCUMENTS
        span.annotate(data_source="handbook")
    assert spans.only() == {
        "gen_ai.retrieval.query.text": "q",
        "gen_ai.retrieval.top_k": 3,
        "gen_ai.data_source.id": "handbook",
        "ragmon.documents.count": 1,
        "ragmon.documents.id": ("a",),
        "ragmon.documents.text": ("Alpha",),
        "ragmon.stage": "retrieval",
        "gen_ai.operation.name": "retrieval",
    }
    assert not get_current_span().get_span_context().is_valid


async def test_span_block_async(spans: Spans) -> None:
    """A block may be `async with`; inside a request block it is a child."""
    async with ragmon.span("request", query="q") as request:
        async with ragmon.span("generation", name="mine", prompt="P") as generation:
            generation.first_chunk()
            generation.answer = "A"
        request.answer = "A"
    assert spans.named("mine").parent == spans.named("request").context
    assert "gen_ai.response.time_to_first_chunk" in spans.attributes("mine")
    assert spans.attributes("request")["ragmon.answer"] == "A"


def test_span_block_error(spans: Spans) -> None:
    """An exception leaves the block unchanged, and marks its span."""
    error = ValueError("no")
    with pytest.raises(ValueError, match="no") as caught, ragmon.span("reranking"):
        raise error
    assert caught.value is error
    assert spans.only()["error.type"] == "ValueError"
    assert spans.named("reranking").status.status_code is StatusCode.ERROR


def test_span_unknown_stage(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage that is none never breaks the block."""
    monkeypatch.delenv("RAGMON_STRICT")
    with ragmon.span("retreival") as span:  # type: ignore[arg-type]
        span.documents = []
    assert spans.all() == []


def test_propagate_into_a_pool(spans: Spans) -> None:
    """Functions sent to a thread pool belong to the request that sent them."""

    @ragmon.retrieval
    def search(query: str) -> list[str]:
        return [query]

    @ragmon.request
    def answer(question: str) -> str:
        with ThreadPoolExecutor(2) as pool:
            lists = list(pool.map(ragmon.propagate(search), [question, question + "?"]))
        return lists[0][0]

    assert answer("q") == "q"
    request = spans.named("request")
    parents = [span.parent for span in spans.all() if span.name.startswith("retrieval")]
    assert parents == [request.context, request.context]


def test_propagate_keeps_the_function() -> None:
    """`propagate` keeps name and signature."""

    def search(query: str) -> list[str]:
        return [query]

    carried = ragmon.propagate(search)
    assert carried.__name__ == "search"
    assert inspect.signature(carried) == inspect.signature(search)
