"""From decorated indexing calls to `/metrics`, without a socket."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

import ragmon
from ragmon.capture.settings import active
from ragmon.export.exporter import Exporter
from ragmon.ingest.split import PROTOBUF, SplitBody, split
from ragmon.labels import parse_label
from ragmon.metrics.registry import Registry, build
from ragmon.model.corpus import CorpusDocument, Sources, TokenRange
from ragmon.model.flow import Draft, Kept, Known, Settled
from ragmon.model.gold import GoldLabel
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import Cause, Observation, RequestKey, Result
from ragmon.replay import LIMITS, releases, replay
from ragmon.settle import draft, settle, wanted
from ragmon.store.settings import StoreSettings
from ragmon.store.sqlite import SqliteStore
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import merge

SOURCE = "Parcels travel free. Returns take 14 days."
CHUNKS = [{"id": "a", "text": "Parcels travel free."}, {"id": "b", "text": "Returns take 14"}]
NOTHING = Known()
NOW_NS = 2_000_000_000_000_000_000

Capture = Callable[[], SplitBody]


@pytest.fixture
def captured(monkeypatch: pytest.MonkeyPatch) -> Iterator[Capture]:
    """What was captured in one test, as the receiver splits it."""
    monkeypatch.setenv("RAGMON_STRICT", "1")
    settings, tracer = active.settings, active.tracer
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    ragmon.configure(pipeline="faq", vectors=True, tracer_provider=provider)

    def body() -> SplitBody:
        content = encode_spans(exporter.get_finished_spans()).SerializeToString()
        return split(content, PROTOBUF, NOW_NS)

    yield body
    provider.shutdown()
    active.settings, active.tracer = settings, tracer


@ragmon.chunking(size_limits=(2, 3))
def cut(document: dict[str, str]) -> list[dict[str, str]]:
    return CHUNKS if document else []


@ragmon.embedding
def embed(chunks: list[dict[str, str]]) -> list[list[float]]:
    ragmon.annotate(indexed_ids=["a"])
    return [[0.0, 0.0] if chunk["id"] == "a" else [3.0, 4.0] for chunk in chunks]


def index() -> None:
    """Split a document and embed its chunks, in one job."""
    with ragmon.span("chunking", name="job"):
        embed(cut({"id": "d", "text": SOURCE}))


@ragmon.request
def ask(question: str) -> str:
    return f"{question} 14 days."


def drafts(body: SplitBody) -> list[Draft]:
    """Every trace of a body, read."""
    return [draft(Kept(one.trace_id), one.spans, LIMITS) for one in releases([body], NOW_NS)]


def settled(body: SplitBody, registry: Registry, known: Known = NOTHING) -> list[Settled]:
    """Every trace of a body, settled."""
    return [settle(one, known, registry, Cause.LATE_SPAN) for one in drafts(body)]


def measured(result: Result) -> dict[str, Measured]:
    """The values of a result by their keys."""
    return {slot.key: value for slot, value in zip(result.layout, result.values, strict=True)}


def series(exporter: Exporter) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """Everything in `/metrics`, by name and labels."""
    found: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    text = exporter.exposition().body.decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value
    return found


def labels(**named: str) -> frozenset[tuple[str, str]]:
    return frozenset({"pipeline": "faq", **named}.items())


def test_indexing_calls_reach_prometheus(captured: Capture) -> None:
    """Scores, evaluations, durations and windows of the runs; no request is counted."""
    cut({"id": "d", "text": SOURCE})
    embed(CHUNKS)
    registry = build()
    exporter = Exporter(registry, (), 900.0, 50, "test")
    with SqliteStore(None, StoreSettings()) as store:
        fresh, _ = store.commit(settled(captured(), registry), NOW_NS)
        rows = list(store.rows(0, 1 << 62))
    for one in fresh:
        exporter.observe(one)
    exporter.set_windows({"1h": merge(roll_up(rows, 0, "faq"), registry.slots)})
    found = series(exporter)
    coverage = labels(stage="chunking", metric="coverage")
    zeros = labels(stage="embedding", metric="zero_norm_rate")
    assert found["ragmon_score_sum"][coverage] == 6 / 7
    assert found["ragmon_score_sum"][zeros] == 0.5
    assert found["ragmon_score_sum"][labels(stage="embedding", metric="index_coverage")] == 0.5
    assert found["ragmon_embedding_mean_vector_norm_sum"][labels()] == 2.5
    assert found["ragmon_evaluations_total"][coverage | {("result", "measured")}] == 1
    assert found["ragmon_stage_duration_seconds_count"][labels(stage="chunking")] == 1
    assert found["ragmon_window_mean"][coverage | {("window", "1h")}] == 6 / 7
    assert found.keys().isdisjoint({"ragmon_requests_total", "ragmon_request_duration_seconds_sum"})
    assert "ragmon_label_coverage_ratio" not in found


def test_a_run_has_no_outcome_to_count(captured: Capture) -> None:
    """What is observed of it is its time alone, under a layout of its own."""
    cut({"id": "d", "text": SOURCE})
    (result,) = settled(captured(), build())[0].results
    assert set(result.observations) == {Observation("duration", Stage.CHUNKING)}
    assert (result.outcome, set(result.durations)) == (Outcome.UNKNOWN, {Stage.CHUNKING})
    assert {slot.stage for slot in result.layout} == {"chunking"}


def test_a_failed_run_is_an_error_of_its_stage(captured: Capture) -> None:
    """The error is counted under the stage; the run has values as far as it has inputs."""

    @ragmon.chunking
    def fail(document: dict[str, str]) -> list[str]:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        fail({"text": SOURCE})
    (result,) = settled(captured(), build())[0].results
    assert result.outcome is Outcome.ERROR
    assert result.observations[Observation("stage_error", Stage.CHUNKING, "TimeoutError")] == 1


def test_requests_are_the_same_beside_indexing(captured: Capture) -> None:
    """What else goes on in the process changes no result of a request."""
    ask("When?")
    registry = build()
    (alone,) = settled(captured(), registry)[0].results
    index()
    beside = [one for made in settled(captured(), registry) for one in made.results]
    assert [one for one in beside if one.layout == registry.layout] == [alone]
    assert [one.record.span_id for one in replay([captured()], (), registry, NOW_NS)] == [
        alone.key.span_id
    ]


def test_a_split_registers_its_document(captured: Capture) -> None:
    """Tokens and places of the chunks, under the ids that the split gave."""
    cut({"id": "d", "text": SOURCE})
    (made,) = settled(captured(), build())
    (document,) = made.corpus
    assert document == CorpusDocument(
        pipeline="faq",
        document_id="d",
        tokens=" parcels travel free returns take 14 days ",
        chunks=(("a", TokenRange("d", 0, 3)), ("b", TokenRange("d", 3, 6))),
        registered_ns=made.results[0].event_ns,
    )


def test_a_document_without_an_id_is_known_by_its_tokens(captured: Capture) -> None:
    """The same text is the same document; a chunk without an id is left out, as a repeat is."""

    @ragmon.chunking
    def split_text(text: str) -> list[Any]:
        return [{"id": "x", "text": "Gone."}, {"text": "free"}, {"id": "x", "text": "Parcels"}]

    split_text(SOURCE)
    split_text(SOURCE.upper())
    split_text("Other.")
    found = [one for made in settled(captured(), build()) for one in made.corpus]
    assert len({one.document_id for one in found}) == 2
    assert [one.chunks for one in found] == [(("x", None),)] * 3


def test_without_a_source_nothing_is_registered(captured: Capture) -> None:
    """With content off a split is a run all the same, and registers nothing."""
    active.settings = replace(active.settings, content="off")
    cut({"id": "d", "text": SOURCE})
    (made,) = settled(captured(), build())
    masked = NotMeasured(Kind.MISSING, "documents:masked")
    assert (made.corpus, measured(made.results[0])["chunking.coverage"]) == ((), masked)


def gold(trace_id: str, **fields: object) -> tuple[GoldLabel, ...]:
    return parse_label({"trace_id": trace_id, **fields}, NOW_NS)


def test_labels_reach_a_split(captured: Capture) -> None:
    """Gold metrics of chunking are measured once a label on the span or trace is there."""
    cut({"id": "d", "text": SOURCE})
    (read,) = drafts(captured())
    registry = build()
    ideal = gold(
        read.kept.trace_id, expected_chunks=["Parcels travel free.", "Returns take 14 days."]
    )
    (before,) = settle(read, Known(), registry, Cause.LATE_SPAN).results
    made = settle(read, Known(ideal), registry, Cause.LABEL)
    f1 = "chunking.boundary_f1"
    missing = NotMeasured(Kind.MISSING, "expected_chunks")
    assert (measured(before)[f1], measured(made.results[0])[f1]) == (missing, 2 / 3)
    assert (before.labelled, made.results[0].labelled) == (False, True)
    assert made.labels_read == ideal


def test_a_request_is_measured_with_what_it_reads_of_the_corpus(captured: Capture) -> None:
    """The store is told what each request wants, and gives its sources by the request's key."""

    @ragmon.retrieval
    def search(query: str) -> list[dict[str, str]]:
        return CHUNKS

    @ragmon.request
    def answer(question: str) -> str:
        return str(search(question))

    answer("When?")
    (read,) = drafts(captured())
    (record,) = read.records
    key = RequestKey(record.trace_id, record.span_id)
    label = gold(record.trace_id, expected_evidence=[{"text": "14 days", "document": "d"}])
    assert wanted(read, Known(label))[key].chunk_ids == ("a", "b")
    assert wanted(read, Known(label))[key].documents == ("d",)
    tokens = {"d": " parcels travel free returns take 14 days "}
    places = {"a": TokenRange("d", 0, 3), "b": TokenRange("d", 3, 6)}
    known = Known(label, {key: Sources(places, tokens)}, {"faq": 3})
    made = settle(read, known, build(), Cause.CORPUS)
    assert measured(made.results[0])["retrieval.token_recall"] == 0.5
    assert made.corpus_read == {"faq": 3}
    assert made.results[0].wanted != ()
