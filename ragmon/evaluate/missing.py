"""What a row must say so that what was missing is measured."""

from collections.abc import Iterator, Mapping
from typing import Final

from ragmon.model.measurement import Kind, NotMeasured
from ragmon.summary.report import Report

ADDED: Final[Mapping[str, str]] = {
    "context_keys": "the field context",
    "context_ranges": "the field context_ids or context",
    "context_texts": "the field context",
    "evidence_ranges": "the field expected_evidence",
    "gold_grades": "the field relevant_ids",
    "gold_ids": "the field relevant_ids",
    "latency_s": "the field latency_ms",
    "retrieval_latency_s": "the field retrieval_latency_ms",
    "generation_latency_s": "the field generation_latency_ms",
    "packed_context_texts": "the field context",
    "packed_keys": "the field context_ids or context",
    "reranked_keys": "the field reranked_ids or reranked_texts",
    "result_keys": "the field retrieved_ids or retrieved_texts",
    "result_scores": "the field retrieved_scores",
    "retrieved_ranges": "the field retrieved_ids or retrieved_texts",
    "source": "--corpus, with the documents of all chunks",
    "stated_citations": "the field cited_ids",
}
"""What to add where an input is missing that has not the name of the field it is read from."""


def hints(report: Report) -> Iterator[str]:
    """A line for each input that rows lacked, once, with what to add."""
    metrics = (metric for stage in report.stages for metric in stage.metrics)
    for reason in sorted({reason for metric in metrics for reason in metric.reasons}):
        missing = NotMeasured.parse(reason)
        if missing.kind is Kind.MISSING and missing.detail in ADDED:
            yield f"{reason}: add {ADDED[missing.detail]}"
