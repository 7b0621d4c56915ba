"""What each evaluator reads, measures and tells."""

from collections.abc import Iterator
from typing import Any

from ragmon.evaluate import (
    AugmentationEvaluator,
    ChunkEvaluator,
    EmbeddingEvaluator,
    EndToEndEvaluator,
    GenerationEvaluator,
    RerankingEvaluator,
    RetrievalEvaluator,
    evaluate,
)
from ragmon.summary.report import Report

SOURCE = "Alpha beta gamma. Delta epsilon zeta. Alpha beta gamma."
CORPUS = [
    {
        "document_id": "d",
        "text": SOURCE,
        "chunks": [
            {"id": "1", "start": 0, "end": 17},
            {"id": "2", "text": "Delta epsilon zeta."},
            {"id": "3", "text": "not of this document"},
        ],
    }
]
REFERENCE = {
    "chunking": "coverage size_compliance mean_chunk_tokens min_chunk_tokens max_chunk_tokens"
    " size_cv overlap_ratio evidence_completeness evidence_fragmentation structural_integrity"
    " boundary_f1 semantic_cohesion semantic_boundary_clarity semantic_chunk_stickiness"
    " metadata_completeness metadata_accuracy lexical_cohesion lexical_boundary_clarity"
    " lexical_chunk_stickiness",
    "embedding": "zero_norm_rate duplicate_vector_rate mean_vector_norm index_coverage"
    " query_topk_recall ann_recall_at_k positive_similarity negative_similarity similarity_margin",
    "retrieval": "precision_at_k recall_at_k f1_at_k mrr_at_k ndcg_at_k hit_at_k"
    " average_precision_at_k token_recall token_precision token_iou complete_evidence_recall"
    " p50_latency_ms p95_latency_ms",
    "reranking": "ndcg_at_k mrr_at_k ndcg_gain mrr_gain precision_gain first_relevant_rank_change"
    " candidate_set_preservation_rate",
    "augmentation": "context_precision context_recall context_noise context_sufficient"
    " duplicate_ratio budget_compliant evidence_edge_placement",
    "generation": "exact_match answer_precision answer_recall answer_f1 rouge_l_f1"
    " required_fact_coverage citation_precision citation_recall citation_f1"
    " annotated_claim_support abstention_accuracy context_grounding unsupported_number_rate"
    " task_success p95_latency_ms",
    "end_to_end": "answer_exact_match answer_f1 task_success_rate p50_latency_ms p95_latency_ms"
    " mean_cost_usd mean_total_tokens",
}


def value(report: Report, key: str) -> float | None:
    """The value of a metric that must be in the report."""
    metric = report.metric(key)
    assert metric is not None, key
    return metric.value


def reports() -> Iterator[Report]:
    """One report of each evaluator, of nothing."""
    yield ChunkEvaluator().evaluate([])
    yield EmbeddingEvaluator().evaluate({})
    for evaluator in (
        RetrievalEvaluator,
        RerankingEvaluator,
        AugmentationEvaluator,
        GenerationEvaluator,
        EndToEndEvaluator,
    ):
        yield evaluator().evaluate([])


def test_every_key_of_the_reference_is_in_the_report_of_its_stage() -> None:
    """And in no other: a report tells of one stage."""
    told = {
        str(stage.stage): {metric.spec.name for metric in stage.metrics}
        for report in reports()
        for stage in report.stages
    }
    assert REFERENCE.keys() == told.keys()
    missing = [
        f"{stage}.{key}"
        for stage, keys in REFERENCE.items()
        for key in keys.split()
        if key not in told[stage]
    ]
    assert [] == missing


def test_a_value_is_the_mean_of_the_rows_that_have_one() -> None:
    """With its count, its quantiles by linear interpolation, and why others have none."""
    report = RetrievalEvaluator(k=2).evaluate(
        [
            {"name": "found", "retrieved_ids": ["a"], "relevant_ids": ["a"]},
            {"query_id": "late", "retrieved_ids": ["x", "a"], "relevant_ids": {"a": 2, "x": 0}},
            {"id": "not labelled", "retrieved_ids": ["a"]},
            {"retrieved_ids": ["a"], "relevant_ids": []},
        ]
    )
    metric = report.metric("retrieval.mrr_at_k")
    assert metric is not None
    assert (0.75, 2, 3) == (metric.value, metric.count, metric.possible)
    assert (0.75, 0.975) == (metric.p50, metric.p95)
    assert {"missing:gold_ids": 1, "undefined:no_relevant_ids": 1} == metric.reasons
    (stage,) = report.stages
    assert ["found", "late", "not labelled", "4"] == [row.name for row in stage.rows]
    assert [("found", 1.0), ("late", 0.5)] == list(stage.values(metric))


def test_latency_of_a_retrieval_evaluator_is_the_retrievals() -> None:
    """Where a row tells both apart, each is what it says; a whole request's is not the model's."""
    alone = RetrievalEvaluator().evaluate(latency_ms=[100.0, 300.0])
    assert (200.0, 290.0) == (
        value(alone, "retrieval.p50_latency_ms"),
        value(alone, "retrieval.p95_latency_ms"),
    )
    both = {"latency_ms": 900.0, "retrieval_latency_ms": 5.0, "generation_latency_ms": 700.0}
    assert 5.0 == value(RetrievalEvaluator().evaluate([both]), "retrieval.p95_latency_ms")
    assert 700.0 == value(GenerationEvaluator().evaluate([both]), "generation.p95_latency_ms")
    assert 900.0 == value(EndToEndEvaluator().evaluate([both]), "end_to_end.p95_latency_ms")
    whole = GenerationEvaluator().evaluate(latency_ms=[900.0])
    assert value(whole, "generation.p95_latency_ms") is None


def test_negative_durations_are_counted_in_their_stage() -> None:
    """Of each stage its own."""
    report = evaluate(
        [{"retrieval_latency_ms": -1, "latency_ms": 5}, {"generation_latency_ms": -0.5}],
        stages=["retrieval", "generation", "end_to_end"],
    )
    assert [{"negative_durations": 1}, {"negative_durations": 1}, {}] == [
        stage.notes for stage in report.stages
    ]


def test_one_row_feeds_every_stage_that_it_tells_of() -> None:
    """In one pass; a stage without a value is not in the report, unless it was asked for."""
    rows = [{"retrieved_ids": ["a"], "relevant_ids": ["a"], "answer": "yes", "latency_ms": 7.0}]
    told = [stage.stage for stage in evaluate(rows).stages]
    assert ["retrieval", "generation", "end_to_end"] == told
    asked = evaluate(rows, stages=["reranking", "retrieval"])
    assert ["retrieval", "reranking"] == [stage.stage for stage in asked.stages]
    assert asked.stages[:1] == evaluate(rows, stages="retrieval").stages


def test_rows_are_read_one_at_a_time() -> None:
    """With word of how many were read; the next row is made when the last one was measured."""
    made: list[int] = []
    told: list[tuple[int, int]] = []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(250):
            made.append(number)
            yield {"answer": "a", "query": str(number)}

    evaluate(rows(), progress=lambda read: told.append((read, len(made))))
    assert [(100, 100), (200, 200), (250, 250)] == told


def test_ids_are_enough_where_the_corpus_has_the_texts() -> None:
    """Also to see that an answer which refuses stands in its own context."""
    report = evaluate(
        [{"context_ids": ["1", "2"], "answer": "alpha zeta", "max_context_tokens": 6}],
        corpus=CORPUS,
    )
    assert 1.0 == value(report, "generation.context_grounding")
    assert 1.0 == value(report, "augmentation.budget_compliant")
    said = "No evidence of fraud was found by the auditors."
    chunks = [{"id": "f", "text": said}]
    corpus = [{"document_id": "d", "text": said, "chunks": chunks}]
    quoted = evaluate([{"context_ids": ["f"], "answer": said}], corpus=corpus)
    assert 0.0 == value(quoted, "generation.abstained")


def test_texts_of_one_source_need_no_ids() -> None:
    """What is made of ids stays missing: nobody gave any."""
    rows = [
        {
            "retrieved_texts": ["Delta epsilon zeta.", "Alpha beta gamma."],
            "expected_evidence": ["epsilon"],
            "relevant_ids": ["1"],
            "context": ["Delta epsilon zeta."],
            "cited_ids": ["1"],
        }
    ]
    report = evaluate(rows, source=SOURCE, stages=["retrieval", "augmentation", "generation"])
    assert (1.0, 1 / 6) == (
        value(report, "retrieval.token_recall"),
        value(report, "retrieval.token_precision"),
    )
    assert 1 / 3 == value(report, "augmentation.context_precision")
    recall = report.metric("retrieval.recall_at_k")
    assert recall is not None
    assert {"missing:retrieved_ids": 1} == recall.reasons
    assert value(report, "generation.citation_validity") is None


def test_texts_of_one_source_may_have_ids() -> None:
    """Of the same row, the ids are compared with gold ids and the texts with evidence."""
    report = RetrievalEvaluator(k=1, source=SOURCE).evaluate(
        retrieved_ids=[["x"]],
        retrieved_texts=[["Delta epsilon zeta."]],
        relevant_ids=[["x"]],
        expected_evidence=[["Delta"]],
    )
    assert (1.0, 1.0) == (
        value(report, "retrieval.recall_at_k"),
        value(report, "retrieval.token_recall"),
    )


def test_doubtful_places_are_counted_in_every_run() -> None:
    """A text that stands twice in its source, and a registered chunk that stands nowhere."""
    twice = RetrievalEvaluator(source=SOURCE)
    for _ in range(2):
        report = twice.evaluate(retrieved_texts=[["Alpha beta gamma."], ["Delta"]])
        assert {"ambiguous": 1} == report.stages[0].notes
    nowhere = AugmentationEvaluator(corpus=CORPUS).evaluate(context_ids=[["3", "1", "unheard"]])
    assert {"unlocated": 1} == nowhere.stages[0].notes


def test_the_row_says_whether_it_abstained() -> None:
    """Else its answer does."""
    report = GenerationEvaluator().evaluate(
        answer=["I do not know the answer.", "I do not know the answer.", "It is 10."],
        abstained=[None, False, True],
    )
    (stage,) = report.stages
    metric = report.metric("generation.abstained")
    assert metric is not None
    assert [1.0, 0.0, 1.0] == [found for _, found in stage.values(metric)]


def test_tokens_are_sent_and_received_or_a_total() -> None:
    """One side alone is no total."""
    report = EndToEndEvaluator().evaluate(
        input_tokens=[100, 100, None], output_tokens=[20, None, None], total_tokens=[None, None, 80]
    )
    metric = report.metric("end_to_end.mean_total_tokens")
    assert metric is not None
    assert (100.0, 2) == (metric.value, metric.count)


def test_the_budget_of_a_row_counts_before_the_evaluators() -> None:
    """Each in word tokens, inclusive."""
    report = AugmentationEvaluator(max_context_tokens=1).evaluate(
        context=[["a b"], ["a b"]], max_context_tokens=[2, None]
    )
    assert 0.5 == value(report, "augmentation.budget_compliant")


def test_sentences_keep_their_places_beside_one_that_is_no_vector() -> None:
    """A boundary without a sound vector is left out; it is not the sentence before it."""
    nothing = [float("nan"), 0.0]
    report = ChunkEvaluator().evaluate(
        [
            {
                "text": "A b. C d. E f.",
                "chunks": ["A b. C d.", "E f."],
                "sentence_vectors": [[[1.0, 0.0], nothing], [[1.0, 0.0]]],
                "chunk_vectors": [[1.0, 0.0], [1.0, 0.0, 0.0]],
            }
        ]
    )
    assert value(report, "chunking.semantic_boundary_clarity") is None
    assert {"invalid_vectors": 2} == report.stages[0].notes
    report = ChunkEvaluator().evaluate(
        chunks=[["A b. C d.", "E f."]],
        sentence_vectors=[[[nothing, [0.0, 1.0]], [[0.0, 1.0]]]],
    )
    assert 0.0 == value(report, "chunking.semantic_boundary_clarity")


def test_documents_without_ids_are_told_apart() -> None:
    """In the corpus, and where each has evidence of its own."""
    documents = [
        {"text": "one two", "chunks": [{"id": "1", "text": "one two"}]},
        {"text": "three four", "chunks": [{"id": "2", "text": "three four"}]},
    ]
    found = RetrievalEvaluator(corpus=documents).evaluate(
        retrieved_ids=[["1"], ["2"]], expected_evidence=[["one two"], ["three four"]]
    )
    assert 1.0 == value(found, "retrieval.token_iou")
    split = ChunkEvaluator().evaluate(
        [{**one, "expected_evidence": [one["text"]]} for one in documents]
    )
    assert 1.0 == value(split, "chunking.evidence_completeness")
    assert {} == split.stages[0].notes
