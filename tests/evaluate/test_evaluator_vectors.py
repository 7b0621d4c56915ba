"""The reference vectors through the public evaluators.

RAGMON_VECTORS names another folder with files of the same form.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ragmon.evaluate import (
    AugmentationEvaluator,
    ChunkEvaluator,
    EmbeddingEvaluator,
    EndToEndEvaluator,
    GenerationEvaluator,
    RerankingEvaluator,
    RetrievalEvaluator,
)
from ragmon.summary.report import Report

Vector = dict[str, Any]
FOLDER = Path(
    os.environ.get("RAGMON_VECTORS") or Path(__file__).parents[1] / "fixtures" / "vectors"
)


def vectors(name: str) -> list[Any]:
    """The vectors of a file, each under its own name."""
    found = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]
    return [pytest.param(one, id=str(one.get("id", place))) for place, one in enumerate(found)]


def check(report: Report, expected: Mapping[str, float | None]) -> None:
    """Every expected metric is in the report, with its value or not measured."""
    (stage,) = report.stages
    for name, value in expected.items():
        metric = report.metric(f"{stage.stage}.{name}")
        assert metric is not None, name
        if value is None:
            assert metric.value is None, name
        else:
            assert value == pytest.approx(metric.value, abs=1e-9), name


@pytest.mark.parametrize("vector", vectors("stage_retrieval_rank"))
def test_ranks(vector: Vector) -> None:
    """Metrics of a ranked list."""
    report = RetrievalEvaluator(k=vector["k"]).evaluate(
        retrieved_ids=[vector["retrieved_ids"]], relevant_ids=[vector["gold"]]
    )
    check(report, vector["expected"])


@pytest.mark.parametrize("vector", vectors("stage_reranking"))
def test_reranking(vector: Vector) -> None:
    """Metrics of two orders of one list."""
    report = RerankingEvaluator(k=vector["k"]).evaluate(
        retrieved_ids=[vector["retrieved_ids"]],
        reranked_ids=[vector["reranked_ids"]],
        relevant_ids=[vector["gold"]],
    )
    check(report, vector["expected"])


@pytest.mark.parametrize("vector", vectors("stage_retrieval_token"))
def test_retrieved_tokens(vector: Vector) -> None:
    """Token metrics of chunks that are given as texts of one source."""
    chunks = vector["top_k_chunks"]
    report = RetrievalEvaluator(k=max(1, len(chunks)), source=vector["source"]).evaluate(
        retrieved_texts=[chunks], expected_evidence=[vector["expected_evidence"]]
    )
    check(report, vector["expected"])


@pytest.mark.parametrize("vector", vectors("stage_augmentation"))
def test_context(vector: Vector) -> None:
    """Context metrics of chunks that the corpus knows by their ids."""
    given = vector["input"]
    chunks = [as_chunk(chunk) for chunk in given["context"]]
    ids = [json.dumps(chunk) for chunk in chunks]
    registered = [
        {**chunk, "id": id_} for id_, chunk in dict(zip(ids, chunks, strict=True)).items()
    ]
    corpus = [{"document_id": "d", "text": given["source"], "chunks": registered}]
    report = AugmentationEvaluator(corpus=corpus).evaluate(
        context_ids=[ids],
        context=[[chunk["text"] for chunk in chunks]],
        expected_evidence=[given.get("gold")],
        max_context_tokens=[given.get("max_context_tokens")],
    )
    check(report, vector["expected"])


def as_chunk(given: Mapping[str, Any]) -> Vector:
    """A chunk of a vector with its span as start and end."""
    chunk = {name: value for name, value in given.items() if name != "span"}
    if "span" in given:
        chunk["start"], chunk["end"] = given["span"]
    return chunk


@pytest.mark.parametrize("vector", vectors("stage_chunking"))
def test_chunking(vector: Vector) -> None:
    """Metrics of one split document."""
    given = vector["input"]
    settings = {
        name: given[name]
        for name in ("size_limits", "boundary_tolerance", "required_keys")
        if name in given
    }
    document = {
        "text": given["source"],
        "chunks": [as_chunk(chunk) for chunk in given["chunks"]],
        "expected_evidence": given.get("gold"),
        **{
            name: given.get(name)
            for name in ("expected_chunks", "expected_metadata", "sentence_vectors")
        },
        "chunk_vectors": given.get("chunk_vectors"),
    }
    check(ChunkEvaluator(**settings).evaluate([document]), vector["expected"])


@pytest.mark.parametrize("vector", vectors("stage_embedding"))
def test_embedding(vector: Vector) -> None:
    """Metrics of vectors and of queries against them."""
    given = vector["input"]
    names = {"gold": "relevant_ids", "index_ids": "retrieved_ids"}
    queries = [
        {names.get(name, name): value for name, value in query.items()}
        for query in given.get("queries", ())
    ]
    report = EmbeddingEvaluator(k=given.get("k", 5)).evaluate(
        given["vectors"],
        indexed_ids=given.get("indexed_ids"),
        queries=queries if "queries" in given else None,
    )
    check(report, vector["expected"])


def of_answer(vector: Vector, **fields: Any) -> Report:
    """The report of one generated answer."""
    return GenerationEvaluator().evaluate([{"answer": vector["answer"], **fields}])


@pytest.mark.parametrize("vector", vectors("stage_generation_text"))
def test_answers(vector: Vector) -> None:
    """Overlap of an answer with its reference."""
    check(of_answer(vector, reference_answers=[vector["reference"]]), vector["expected"])


@pytest.mark.parametrize("vector", vectors("squad_em_f1"))
def test_squad(vector: Vector) -> None:
    """SQuAD's own evaluation, of generation and end to end."""
    fields = {"answer": vector["answer"], "reference_answers": [vector["reference"]]}
    check(
        of_answer(vector, reference_answers=[vector["reference"]]),
        {"exact_match": vector["em_v2"], "answer_f1": vector["f1_v2"]},
    )
    check(
        EndToEndEvaluator().evaluate([fields]),
        {"answer_exact_match": vector["em_v2"], "answer_f1": vector["f1_v2"]},
    )


@pytest.mark.parametrize("vector", vectors("stage_citations"))
def test_citations(vector: Vector) -> None:
    """Cited ids against the expected ones."""
    report = GenerationEvaluator().evaluate(
        cited_ids=[vector["cited_ids"]], expected_citations=[vector["expected_ids"]]
    )
    check(report, vector["expected"])


_RATES: Mapping[str, tuple[str, Callable[[Vector], Vector]]] = {
    "stage_required_facts": (
        "required_fact_coverage",
        lambda one: {"required_facts": one["required_facts"]},
    ),
    "stage_context_grounding": ("context_grounding", lambda one: {"context": one["contexts"]}),
    "stage_unsupported_numbers": (
        "unsupported_number_rate",
        lambda one: {"context": one["contexts"]},
    ),
}


@pytest.mark.parametrize(
    ("name", "vector"),
    [
        pytest.param(name, *one.values, id=f"{name}-{one.id}")
        for name in _RATES
        for one in vectors(name)
    ],
)
def test_rates_of_an_answer(name: str, vector: Vector) -> None:
    """Facts, grounding and numbers of one answer."""
    metric, fields = _RATES[name]
    check(of_answer(vector, **fields(vector)), {metric: vector["expected"]})


@pytest.mark.parametrize("vector", vectors("stage_percentiles"))
def test_percentiles(vector: Vector) -> None:
    """Quantiles of latencies by linear interpolation; what is missing is left out."""
    report = EndToEndEvaluator().evaluate([{"latency_ms": one} for one in vector["values"]])
    check(report, {"p50_latency_ms": vector["p50"], "p95_latency_ms": vector["p95"]})
