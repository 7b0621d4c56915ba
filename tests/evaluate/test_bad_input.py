"""Input that says nothing, or too much: a reason or a clear error, never a silent 0."""

from typing import Any

import pytest

from ragmon.evaluate import (
    AugmentationEvaluator,
    ChunkEvaluator,
    EmbeddingEvaluator,
    EndToEndEvaluator,
    GenerationEvaluator,
    RetrievalEvaluator,
    evaluate,
)
from ragmon.summary.report import Report

SOURCE = "Alpha beta gamma. Delta epsilon zeta."
CORPUS = [
    {"document_id": "d", "text": SOURCE, "chunks": [{"id": "1", "text": "Alpha beta gamma."}]}
]
HOSTILE = ("", " ", "\ud800", "\x00", "1e999999999", "٣" * 50, "a" * 100_000, "٪\u2005.\u2018U.S")


def why(report: Report, key: str) -> str:
    """The one reason why a metric has no value."""
    metric = report.metric(key)
    assert metric is not None
    assert metric.value is None
    (reason,) = metric.reasons
    return reason


@pytest.mark.parametrize("answer", HOSTILE)
@pytest.mark.parametrize("context", [[], [""], ["\ud800"], ["1e999999999 " * 10]])
def test_any_text_gives_a_report(answer: str, context: list[str]) -> None:
    """No metric fails, whatever stands in the texts; a fact alone cannot be blank."""
    row = {"answer": answer, "context": context, "query": answer, "reference_answers": [answer]}
    report = evaluate(
        [{**row, "required_facts": [answer.strip() or "-"], "expected_evidence": [answer]}]
    )
    failed = [
        (metric.key, reason)
        for stage in report.stages
        for metric in stage.metrics
        for reason in metric.reasons
        if reason.startswith("failed")
    ]
    assert [] == failed


def test_an_empty_answer_has_no_grounding() -> None:
    """Nothing to ground is undefined; an empty context for an answer is 0."""
    assert "undefined" == why(
        GenerationEvaluator().evaluate([{"answer": "", "context": ["a"]}]),
        "generation.context_grounding",
    )
    found = GenerationEvaluator().evaluate([{"answer": "a b", "context": []}])
    metric = found.metric("generation.context_grounding")
    assert metric is not None
    assert 0.0 == metric.value


def test_no_rows_measure_nothing() -> None:
    """An empty file is no row of zeros."""
    report = RetrievalEvaluator().evaluate([])
    values = [metric.value for stage in report.stages for metric in stage.metrics]
    assert {None} == set(values)
    assert () == evaluate([]).stages


def test_chunks_that_nobody_registered_are_missing() -> None:
    """Never the recall of what is not known."""
    row = {"retrieved_ids": ["1", "unheard"], "expected_evidence": ["beta"]}
    report = RetrievalEvaluator(corpus=CORPUS).evaluate([row])
    assert "missing:source" == why(report, "retrieval.token_recall")


def test_gold_that_no_document_holds_is_left_out_and_counted() -> None:
    """All of it gone is undefined; some of it gone is a note beside the rest."""
    evaluator = AugmentationEvaluator(corpus=CORPUS)
    gone = evaluator.evaluate(context_ids=[["1"]], expected_evidence=[["not there"]])
    assert "undefined:gold_not_found" == why(gone, "augmentation.context_recall")
    some = evaluator.evaluate(context_ids=[["1"]], expected_evidence=[["not there", "beta"]])
    metric = some.metric("augmentation.context_recall")
    assert metric is not None
    assert 1.0 == metric.value
    assert {"gold_not_found": 1} == some.stages[0].notes


def test_durations_that_ran_backwards_are_left_out_and_counted() -> None:
    """They enter no quantile."""
    report = EndToEndEvaluator().evaluate(latency_ms=[-5.0, 100.0, None, 300.0])
    metric = report.metric("end_to_end.p50_latency_ms")
    assert metric is not None
    assert (200.0, 2) == (metric.value, metric.count)
    assert {"negative_durations": 1} == report.stages[0].notes


def test_a_repeated_id_counts_once() -> None:
    """At its first rank, and K is applied then."""
    report = RetrievalEvaluator(k=2).evaluate(retrieved_ids=[["a", "a", "b"]], relevant_ids=[["b"]])
    metric = report.metric("retrieval.precision_at_k")
    assert metric is not None
    assert 0.5 == metric.value


def test_vectors_that_are_none_are_left_out_and_counted() -> None:
    """NaN, infinity, and another size than most."""
    vectors = {
        "a": [1.0, 0.0],
        "nan": [float("nan"), 0.0],
        "infinite": [float("inf"), 0.0],
        "short": [1.0],
        "b": [0.0, 0.0],
    }
    report = EmbeddingEvaluator().evaluate(vectors)
    metric = report.metric("embedding.zero_norm_rate")
    assert metric is not None
    assert 0.5 == metric.value
    assert {"invalid_vectors": 3} == report.stages[0].notes


def test_a_query_vector_that_is_none_measures_nothing() -> None:
    """And costs no other query."""
    report = EmbeddingEvaluator(k=1).evaluate(
        {"a": [1.0, 0.0]},
        queries=[
            {"vector": [float("nan"), 1.0], "relevant_ids": ["a"]},
            {"vector": [1.0, 0.0], "relevant_ids": ["a"]},
        ],
    )
    metric = report.metric("embedding.query_topk_recall")
    assert metric is not None
    assert (1.0, 1) == (metric.value, metric.count)


def test_a_large_text_is_measured() -> None:
    """Ten megabytes without a space, and as many of words."""
    for text in ("x" * 10_000_000, "word and " * 1_100_000):
        document: dict[str, Any] = {"text": text, "chunks": [text[:1000], text[-1000:]]}
        metric = ChunkEvaluator().evaluate([document]).metric("chunking.coverage")
        assert metric is not None
        assert metric.value is not None


def test_several_documents_are_pooled() -> None:
    """Coverage is of all tokens, not the mean of the documents; boundaries are the mean."""
    report = ChunkEvaluator().evaluate(
        [
            {
                "text": "a b c d e f",
                "chunks": ["a b c d e f"],
                "expected_chunks": ["a b c", "d e f"],
            },
            {"text": "g h", "chunks": ["g"], "expected_chunks": ["g", "h"]},
        ]
    )
    coverage = report.metric("chunking.coverage")
    boundaries = report.metric("chunking.boundary_f1")
    assert coverage is not None
    assert boundaries is not None
    assert 7 / 8 == coverage.value
    assert 0.5 == boundaries.value
    assert [1.0, 0.5] == [value for _, value in report.stages[0].values(coverage)]
