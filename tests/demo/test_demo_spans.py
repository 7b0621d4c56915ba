from collections.abc import Mapping

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragmon import semconv
from ragmon.capture.settings import SCOPE, active
from ragmon.demo.app import CANDIDATES, App
from ragmon.demo.corpus import split
from ragmon.demo.generate import extract
from ragmon.demo.prompt import CONTEXT_WORDS
from ragmon.demo.retrieve import Index
from ragmon.demo.words import words

QUERY = "What is a lambda expression in Python?"

Spans = Mapping[str, ReadableSpan]


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(active, "tracer", provider.get_tracer(SCOPE))
    return exporter


def by_stage(exporter: InMemorySpanExporter) -> Spans:
    return {stage_of(span): span for span in exporter.get_finished_spans()}


def stage_of(span: ReadableSpan) -> str:
    return str((span.attributes or {})[semconv.STAGE])


def attribute(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {})[name]


def test_a_request_is_one_tree_of_all_stages(index: Index, exported: InMemorySpanExporter) -> None:
    """Every stage is a span below the request."""
    App(index.search, extract).ask(QUERY, "r-1")
    spans = by_stage(exported)
    stages = {"request", "retrieval", "reranking", "augmentation", "generation"}
    root = spans["request"].context
    assert stages == set(spans)
    assert root is not None
    assert {root.span_id} == {
        span.parent.span_id for span in spans.values() if span.parent is not None
    }


def test_the_request_carries_query_answer_and_its_own_id(
    index: Index, exported: InMemorySpanExporter
) -> None:
    """What labels and text metrics need stands on the request's span."""
    answer = App(index.search, extract).ask(QUERY, "r-1")
    request = by_stage(exported)["request"]
    assert QUERY == attribute(request, semconv.QUERY)
    assert answer == attribute(request, semconv.ANSWER)
    assert "r-1" == attribute(request, semconv.REQUEST_ID)


def test_the_stages_carry_their_documents(index: Index, exported: InMemorySpanExporter) -> None:
    """Candidates, ranked and packed documents are told apart, by the ids that labels use."""
    App(index.search, extract).ask(QUERY, "r-1")
    spans = by_stage(exported)
    found = attribute(spans["retrieval"], semconv.DOCUMENTS_ID)
    ranked = attribute(spans["reranking"], semconv.DOCUMENTS_ID)
    packed = attribute(spans["augmentation"], semconv.DOCUMENTS_ID)
    assert isinstance(found, tuple)
    assert isinstance(ranked, tuple)
    assert isinstance(packed, tuple)
    assert tuple(hit.id for hit in index.search(QUERY, CANDIDATES)) == found
    assert set(found) == set(ranked)
    assert set(packed) < set(ranked)


def test_prompt_builder_and_generator_carry_what_they_spent(
    index: Index, exported: InMemorySpanExporter
) -> None:
    """The budget, the model, its tokens and its cost are on the spans."""
    App(index.search, extract).ask(QUERY, "r-1")
    spans = by_stage(exported)
    generation = spans["generation"]
    prompt = str(attribute(generation, semconv.PROMPT))
    assert CONTEXT_WORDS == attribute(spans["augmentation"], semconv.MAX_CONTEXT_TOKENS)
    assert "extractive" == attribute(generation, semconv.GEN_AI_RESPONSE_MODEL)
    assert len(words(prompt)) == attribute(generation, semconv.GEN_AI_USAGE_INPUT_TOKENS)
    assert attribute(generation, semconv.COST_USD)


def test_an_empty_index_is_captured_as_empty(exported: InMemorySpanExporter) -> None:
    """No document found is told apart from nothing captured."""
    App(lambda query, top_k: [], extract).ask(QUERY, "r-1")
    spans = by_stage(exported)
    stages = ("retrieval", "reranking", "augmentation")
    counts = [attribute(spans[stage], semconv.DOCUMENTS_COUNT) for stage in stages]
    assert [0, 0, 0] == counts


def test_chunking_carries_source_and_passages(exported: InMemorySpanExporter) -> None:
    """An indexing run says which topic it cut, and into what."""
    passages = split("loops", "A loop repeats.")
    chunking = by_stage(exported)["chunking"]
    assert "loops" == attribute(chunking, semconv.SOURCE_ID)
    assert "A loop repeats." == attribute(chunking, semconv.SOURCE_TEXT)
    assert tuple(p.id for p in passages) == attribute(chunking, semconv.DOCUMENTS_ID)
