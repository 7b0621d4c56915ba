"""Offline equals online on the same request, bit for bit: the same record, the same functions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon import semconv
from ragmon.evaluate import ChunkEvaluator, evaluate
from ragmon.ingest.split import split
from ragmon.labels.parse import parse_label
from ragmon.metrics.registry import build
from ragmon.metrics.sources import sources_of
from ragmon.metrics.spec import Scope
from ragmon.model.flow import Draft, Kept, Known
from ragmon.model.measurement import Measured, NotMeasured
from ragmon.model.result import Cause
from ragmon.settle import TraceLimits, draft, settle, wanted

REGISTRY = build((1, 3))
S = 10**9
TRACE = "a" * 32
SOURCE = "Alpha beta gamma. Delta epsilon zeta.\n\nEta theta iota kappa. It costs 10 euros in 2024."
CHUNKS = {"1": (0, 17), "2": (18, 37), "3": (39, 60), "4": (50, len(SOURCE)), "5": (3, 25)}
CALL = {
    "cited_ids": semconv.CITATIONS,
    "cost_usd": semconv.COST_USD,
    "input_tokens": semconv.GEN_AI_USAGE_INPUT_TOKENS,
    "output_tokens": semconv.GEN_AI_USAGE_OUTPUT_TOKENS,
}
"""Fields of a row, and where a generation span carries them."""
TEXTS = {name: SOURCE[start:end] for name, (start, end) in CHUNKS.items()}


def value(given: Any) -> AnyValue:
    """An attribute's value."""
    match given:
        case str():
            return AnyValue(string_value=given)
        case int():
            return AnyValue(int_value=given)
        case float():
            return AnyValue(double_value=given)
        case _:
            return AnyValue(array_value=ArrayValue(values=map(value, given)))


def span(number: int, stage: str, start_s: float, end_s: float, **attributes: Any) -> Span:
    """One of ragmon's own spans; the first is the root of all others."""
    named = {
        semconv.STAGE: stage,
        **{key.replace("__", "."): one for key, one in attributes.items()},
    }
    return Span(
        trace_id=bytes.fromhex(TRACE),
        span_id=number.to_bytes(8, "big"),
        parent_span_id=b"" if number == 1 else (1).to_bytes(8, "big"),
        name=stage,
        start_time_unix_nano=int(start_s * S),
        end_time_unix_nano=int(end_s * S),
        attributes=[KeyValue(key=key, value=value(one)) for key, one in named.items()],
    )


def drafted(spans: list[Span], trace_id: str = TRACE) -> Draft:
    """What ragmon reads of these spans."""
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    body = split(request.SerializeToString(), "application/x-protobuf", 1000 * S)
    (part,) = body.parts
    return draft(Kept(trace_id), part.spans, TraceLimits())


def chunking() -> Draft:
    """The run that split the document, before the request."""
    return drafted(
        [
            span(
                1,
                "chunking",
                1,
                2,
                ragmon__source__id="d",
                ragmon__source__text=SOURCE,
                ragmon__documents__id=list(CHUNKS),
                ragmon__documents__text=list(TEXTS.values()),
                ragmon__documents__start=[start for start, _ in CHUNKS.values()],
                ragmon__documents__end=[end for _, end in CHUNKS.values()],
            )
        ]
    )


def spans_of(row: Mapping[str, Any]) -> Iterator[Span]:
    """The spans of one request, each with what its stage knows."""
    yield span(1, "request", 100, 103, ragmon__query=row["query"], ragmon__answer=row["answer"])
    yield span(2, "retrieval", 100, 101, **documents(row["retrieved_ids"]))
    if "reranked_ids" in row:
        yield span(3, "reranking", 101, 101.25, **documents(row["reranked_ids"]))
    if "context_ids" in row:
        budget = {"ragmon__max_context_tokens": row["max_context_tokens"]}
        yield span(4, "augmentation", 101.25, 101.5, **documents(row["context_ids"]), **budget)
    said = {attribute: row[field] for field, attribute in CALL.items() if field in row}
    yield span(5, "generation", 101.5, 103, ragmon__answer=row["answer"], **said)


def documents(ids: list[str]) -> dict[str, Any]:
    """Chunks on a span."""
    return {
        "ragmon__documents__id": ids,
        "ragmon__documents__text": [TEXTS[one] for one in ids],
    }


def online(
    row: Mapping[str, Any], labels: Mapping[str, Any]
) -> dict[tuple[str, int | None], Measured]:
    """The request as a trace: settled with its labels and the registered corpus."""
    made = drafted(list(spans_of(row)))
    known = Known(parse_label({"trace_id": TRACE, **labels}, 0)) if labels else Known()
    registered = settle(chunking(), Known(), REGISTRY, Cause.LATE_SPAN).corpus
    sources = {key: sources_of(registered, one) for key, one in wanted(made, known).items()}
    settled = settle(made, Known(known.labels, sources), REGISTRY, Cause.LATE_SPAN)
    (result,) = settled.results
    return {(slot.key, slot.k): one for slot, one in zip(result.layout, result.values, strict=True)}


def offline(
    row: Mapping[str, Any], labels: Mapping[str, Any]
) -> dict[tuple[str, int | None], Measured]:
    """The request as a row of a file, which knows neither texts nor spans."""
    chunks = [{"id": name, "start": start, "end": end} for name, (start, end) in CHUNKS.items()]
    corpus = [{"document_id": "d", "text": SOURCE, "chunks": chunks}]
    times = {"retrieval_latency_ms": 1000.0, "generation_latency_ms": 1500.0, "latency_ms": 3000.0}
    stages = ("retrieval", "reranking", "augmentation", "generation", "end_to_end")
    report = evaluate([{**row, **labels, **times}], k=(1, 3), corpus=corpus, stages=stages)
    return {
        (metric.key, metric.k): one
        for stage in report.stages
        for metric, one in zip(stage.row_metrics, stage.rows[0].values, strict=True)
    }


ids = st.lists(st.sampled_from([*CHUNKS]), max_size=5)
words = st.lists(
    st.sampled_from(["alpha", "10", "euros", "kappa.", "not", "known", "It"]), max_size=6
)
rows = st.fixed_dictionaries(
    {
        "query": words.map(" ".join),
        "retrieved_ids": ids,
        "answer": words.map(" ".join),
    }
)
packed = st.fixed_dictionaries({"context_ids": ids, "max_context_tokens": st.integers(0, 30)})
extras = st.fixed_dictionaries(
    {},
    optional={
        "reranked_ids": ids,
        "cited_ids": ids,
        "cost_usd": st.floats(0, 1),
        "input_tokens": st.integers(0, 1000),
        "output_tokens": st.integers(0, 1000),
    },
)
golds = st.fixed_dictionaries(
    {},
    optional={
        "relevant_ids": st.dictionaries(st.sampled_from([*CHUNKS]), st.integers(0, 3), max_size=3),
        "expected_evidence": st.lists(
            st.sampled_from(["beta gamma", "Eta theta", "gamma. Delta", "nowhere"]).map(
                lambda text: {"text": text, "document": "d"}
            ),
            max_size=3,
        ),
        "reference_answers": st.lists(words.map(" ".join), min_size=1, max_size=2),
        "required_facts": st.lists(st.sampled_from(["10 euros", "kappa"]), max_size=2),
        "expected_citations": ids,
        "verified_claims": st.lists(st.booleans() | st.none(), max_size=3),
        "answerable": st.booleans(),
        "task_success": st.booleans(),
    },
)


@settings(max_examples=60, deadline=None)
@given(base=rows, context=st.just({}) | packed, extra=extras, labels=golds)
def test_offline_equals_online(
    base: dict[str, Any], context: dict[str, Any], extra: dict[str, Any], labels: dict[str, Any]
) -> None:
    """Every value of every metric, and every reason why there is none."""
    row = {**base, **context, **extra}
    assert online(row, labels) == offline(row, labels)


def test_a_split_document_is_measured_as_its_run() -> None:
    """Chunking of one document, offline and from its span."""
    (result,) = settle(chunking(), Known(), REGISTRY, Cause.LATE_SPAN).results
    chunks = [{"id": name, "start": start, "end": end} for name, (start, end) in CHUNKS.items()]
    report = ChunkEvaluator().evaluate([{"document_id": "d", "text": SOURCE, "chunks": chunks}])
    assert REGISTRY.layouts[Scope.DOCUMENT] == result.layout
    assert result.values == report.stages[0].rows[0].values
    assert json.dumps([metric.value for metric in report.stages[0].metrics]) == json.dumps(
        [None if isinstance(one, NotMeasured) else one for one in result.values]
    )
