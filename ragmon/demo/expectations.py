"""What each fault must move in the monitor, what it may move, and what it must not.

All of it is about means per request over the same questions (same seed and count), once
without the fault and once with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from ragmon.demo.faults import SLOW_S, Fault


class Direction(StrEnum):
    """Where a mean goes."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Tracked:
    """A number to watch: its key, the series it is read from, how far it moves by chance.

    `key` is `stage.metric`, or the family where it is a count per request. `steady_within`
    is in the metric's own unit (ratio, ms, USD, tokens).
    """

    key: str
    series: str
    steady_within: float


@dataclass(frozen=True, slots=True)
class Move:
    """A mean that must go in a direction by at least so much, in the metric's own unit."""

    key: str
    direction: Direction
    at_least: float


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one fault does; every tracked key is in exactly one of the three."""

    must: tuple[Move, ...] = ()
    may: tuple[str, ...] = ()

    @property
    def must_not(self) -> tuple[Tracked, ...]:
        """The tracked numbers that stay as they are, within `steady_within`."""
        moving = {move.key for move in self.must} | set(self.may)
        return tuple(tracked for tracked in TRACKED if tracked.key not in moving)


def _score(stage: str, metric: str) -> Tracked:
    series = f'ragmon_score{{stage="{stage}",metric="{metric}"}}'
    return Tracked(f"{stage}.{metric}", series, 0.02)


def _signed(stage: str, metric: str) -> Tracked:
    series = f'ragmon_score_delta_positive_total{{stage="{stage}",metric="{metric}"}}'
    return Tracked(f"{stage}.{metric}", series, 0.05)


def _count(stage: str, metric: str) -> Tracked:
    return Tracked(f"{stage}.{metric}", f"ragmon_{stage}_{metric}", 0.05)


_RANKED = (
    *("precision_at_k", "recall_at_k", "f1_at_k", "mrr_at_k", "ndcg_at_k", "hit_at_k"),
    "average_precision_at_k",
)
_GAINS = ("ndcg_gain", "mrr_gain", "precision_gain", "first_relevant_rank_change")
_NUMBERS = ("unsupported_number_rate", "unsupported_number_rate_with_question")
_AGAINST_REFERENCE = (
    *("answer_precision", "answer_recall", "answer_f1", "exact_match"),
    "rouge_l_f1",
)
_CITATIONS = ("citation_precision", "citation_recall", "citation_f1")
_NOT_LABELLED = ("annotated_claim_support", "required_fact_coverage", "task_success")

_TOKENS = ("token_recall", "token_precision", "token_iou", "complete_evidence_recall")
_CONTEXT = (
    *("context_precision", "context_recall", "context_noise", "context_sufficient"),
    *("duplicate_ratio", "evidence_edge_placement"),
)

TRACKED: tuple[Tracked, ...] = (
    *(_score("retrieval", metric) for metric in (*_RANKED, *_TOKENS)),
    _count("retrieval", "result_count"),
    _score("retrieval", "empty_retrieval"),
    _count("retrieval", "retrieved_documents"),
    _score("retrieval", "duplicate_result_ratio"),
    _signed("retrieval", "top_score"),
    _signed("retrieval", "score_gap"),
    _score("retrieval", "query_term_coverage"),
    Tracked("retrieval.latency_ms", 'ragmon_stage_duration_seconds{stage="retrieval"}', 50),
    _score("reranking", "ndcg_at_k"),
    _score("reranking", "mrr_at_k"),
    *(_signed("reranking", metric) for metric in _GAINS),
    _score("reranking", "candidate_set_preservation_rate"),
    _score("reranking", "rank_biased_overlap"),
    _count("reranking", "reranked_documents"),
    *(_score("augmentation", metric) for metric in _CONTEXT),
    _score("augmentation", "duplicate_ratio_text"),
    _score("augmentation", "budget_compliant"),
    _count("augmentation", "packed_documents"),
    _score("generation", "context_grounding"),
    *(_score("generation", metric) for metric in _NUMBERS),
    _score("generation", "citation_validity"),
    _count("generation", "used_documents"),
    _score("generation", "abstained"),
    *(_score("generation", metric) for metric in _AGAINST_REFERENCE),
    *(_score("generation", metric) for metric in _CITATIONS),
    _score("generation", "abstention_accuracy"),
    *(_score("generation", metric) for metric in _NOT_LABELLED),
    Tracked("generation.latency_ms", 'ragmon_stage_duration_seconds{stage="generation"}', 150),
    _score("end_to_end", "answer_exact_match"),
    _score("end_to_end", "answer_f1"),
    _score("end_to_end", "task_success"),
    Tracked("end_to_end.latency_ms", "ragmon_request_duration_seconds", 250),
    Tracked("end_to_end.cost_usd", "ragmon_cost_usd_total", 0.000_02),
    Tracked("end_to_end.total_tokens", "ragmon_tokens_total", 5),
    Tracked("ragmon_empty_retrievals_total", "ragmon_empty_retrievals_total", 0.02),
    Tracked("ragmon_stage_errors_total", "ragmon_stage_errors_total", 0.02),
)

_SLOWER_MS = 0.8 * SLOW_S * 1000
_RETRIEVAL_LOST = (
    *(Move(f"retrieval.{metric}", Direction.DOWN, 0.1) for metric in _RANKED),
    Move("retrieval.query_term_coverage", Direction.DOWN, 0.5),
    Move("reranking.ndcg_at_k", Direction.DOWN, 0.1),
    Move("reranking.mrr_at_k", Direction.DOWN, 0.1),
)
_NOTHING_FOUND = (
    Move("retrieval.empty_retrieval", Direction.UP, 0.5),
    Move("retrieval.result_count", Direction.DOWN, 5),
    Move("retrieval.retrieved_documents", Direction.DOWN, 5),
    Move("reranking.reranked_documents", Direction.DOWN, 5),
    Move("augmentation.packed_documents", Direction.DOWN, 1),
    Move("generation.used_documents", Direction.DOWN, 0.5),
)
_NUMBERS_INVENTED = tuple(Move(f"generation.{m}", Direction.UP, 0.5) for m in _NUMBERS)
_GROUNDING = "generation.context_grounding"
_ANSWER_TEXT = (
    *(f"generation.{metric}" for metric in _AGAINST_REFERENCE),
    "generation.abstention_accuracy",
    "end_to_end.answer_exact_match",
    "end_to_end.answer_f1",
    "end_to_end.cost_usd",
)
_CONTEXT_TEXT = (
    *_ANSWER_TEXT,
    *(f"generation.{metric}" for metric in _NUMBERS),
    *(f"reranking.{metric}" for metric in _GAINS),
    "reranking.rank_biased_overlap",
    *(f"augmentation.{metric}" for metric in _CONTEXT),
    "augmentation.duplicate_ratio_text",
)

EXPECTATIONS: Mapping[Fault, Expectation] = MappingProxyType(
    {
        Fault.NONE: Expectation(),
        Fault.SLOW_GENERATION: Expectation(
            must=(
                Move("generation.latency_ms", Direction.UP, _SLOWER_MS),
                Move("end_to_end.latency_ms", Direction.UP, _SLOWER_MS),
            ),
        ),
        Fault.INVENTED_NUMBERS: Expectation(
            must=_NUMBERS_INVENTED,
            may=(
                *_ANSWER_TEXT,
                _GROUNDING,
                "generation.abstained",
                "generation.used_documents",
                "end_to_end.total_tokens",
            ),
        ),
        Fault.WRONG_DOCUMENTS: Expectation(
            must=(
                *_RETRIEVAL_LOST,
                Move(_GROUNDING, Direction.DOWN, 0.1),
                Move("generation.abstained", Direction.UP, 0.1),
            ),
            may=(
                *_CONTEXT_TEXT,
                "augmentation.packed_documents",
                "generation.used_documents",
                "end_to_end.total_tokens",
            ),
        ),
        Fault.EMPTY_INDEX: Expectation(
            must=(
                *_RETRIEVAL_LOST,
                *_NOTHING_FOUND,
                Move("ragmon_empty_retrievals_total", Direction.UP, 0.5),
                Move(_GROUNDING, Direction.DOWN, 0.5),
                Move("generation.abstained", Direction.UP, 0.5),
                Move("end_to_end.total_tokens", Direction.DOWN, 100),
            ),
            may=(
                *_CONTEXT_TEXT,
                "retrieval.duplicate_result_ratio",
                "retrieval.top_score",
                "retrieval.score_gap",
            ),
        ),
    }
)
"""With the extractive writer; a model may move the text metrics otherwise."""
