"""Offline evaluation: the metrics of live requests over files, lists and data frames.

from ragmon.evaluate import evaluate

report = evaluate("answers.jsonl", k=5, corpus="corpus.jsonl")
print(report.to_markdown())
"""

from ragmon.evaluate.evaluators import (
    AugmentationEvaluator,
    EndToEndEvaluator,
    GenerationEvaluator,
    RerankingEvaluator,
    RetrievalEvaluator,
    evaluate,
)
from ragmon.evaluate.indexing import ChunkEvaluator, EmbeddingEvaluator

__all__ = [
    "AugmentationEvaluator",
    "ChunkEvaluator",
    "EmbeddingEvaluator",
    "EndToEndEvaluator",
    "GenerationEvaluator",
    "RerankingEvaluator",
    "RetrievalEvaluator",
    "evaluate",
]
