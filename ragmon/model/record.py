"""Records: what a trace means, free of the dialect it was told in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ragmon.model.canary import canary_of
from ragmon.text import Text
from ragmon.text.abstention import Decision


class Stage(StrEnum):
    """The stages of a RAG system, named as the metric reference names them."""

    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    RETRIEVAL = "retrieval"
    RERANKING = "reranking"
    AUGMENTATION = "augmentation"
    GENERATION = "generation"
    END_TO_END = "end_to_end"


class Outcome(StrEnum):
    """What became of a request.

    An error wins, an answer in part is answered; unknown is what has no answer that was
    captured, or one whose language has no rule for abstentions.
    """

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    ERROR = "error"
    UNKNOWN = "unknown"

    @classmethod
    def of(cls, decision: Decision | None) -> "Outcome":
        """The outcome of an answer that does this; of None, which no rule decided, unknown."""
        if decision is None:
            return cls.UNKNOWN
        return cls.ABSTAINED if decision is Decision.ABSTAIN else cls.ANSWERED


class ContextSource(StrEnum):
    """Where the context of a request was taken from, best first."""

    PACKED = "packed"
    RERANKED = "reranked"
    RETRIEVED = "retrieved"
    PROMPT = "prompt"


class Absence(StrEnum):
    """Why a field that a span could have carried is None."""

    NOT_CAPTURED = "not_captured"
    MASKED = "masked"
    UNPARSABLE = "unparsable"
    DROPPED_ATTRIBUTES = "dropped_attributes"


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved, reranked or packed chunk; a part that was not captured is None."""

    id: str | None
    text: Text | None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Tokens and cost of one model in one request, summed over its leaf calls."""

    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class StageRun:
    """One stage of one request: its duration (None where clocks ran backwards), its error."""

    duration_s: float | None
    error_type: str | None = None


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request, as a metric sees it.

    None means not captured; an empty tuple means captured and empty. `span_id` is the
    request's key within its trace, `span_ids` are the spans it was read from, sorted.
    `event_ns` is the request's time; `latency_s` is None without a request span.
    `documents` lists are best first. `absent` says for a field that is None why it is.
    `weight` is the number of requests this one stands for, None where unknown. `canary`:
    ragmon sent it, and no user.
    """

    trace_id: str
    span_id: str
    span_ids: tuple[str, ...]
    dialect: str
    pipeline: str
    event_ns: int
    outcome: Outcome
    pipeline_version: str | None = None
    request_id: str | None = None
    latency_s: float | None = None
    error_type: str | None = None
    query: Text | None = None
    retrieved: tuple[Document, ...] | None = None
    reranked: tuple[Document, ...] | None = None
    context: tuple[Document, ...] | None = None
    context_source: ContextSource | None = None
    max_context_tokens: int | None = None
    prompt: Text | None = None
    answer: Text | None = None
    citations: tuple[str, ...] | None = None
    model: str | None = None
    usage: tuple[ModelUsage, ...] = ()
    time_to_first_token_s: float | None = None
    stages: Mapping[Stage, StageRun] = field(default_factory=dict)
    absent: Mapping[str, Absence] = field(default_factory=dict)
    weight: float | None = None
    clock_faults: tuple[str, ...] = ()
    canary: bool = False

    @property
    def shown_pipeline(self) -> str:
        """The pipeline under which it is shown; labels and the corpus go by `pipeline`."""
        return canary_of(self.pipeline) if self.canary else self.pipeline

    @property
    def input_tokens(self) -> int | None:
        """Tokens sent to models, over all leaf calls; None where none was reported."""
        return _total([use.input_tokens for use in self.usage])

    @property
    def output_tokens(self) -> int | None:
        """Tokens received from models, over all leaf calls; None where none was reported."""
        return _total([use.output_tokens for use in self.usage])

    @property
    def cost_usd(self) -> float | None:
        """Cost in US dollars over all leaf calls; None where no call carried one."""
        costs = [use.cost_usd for use in self.usage if use.cost_usd is not None]
        return sum(costs) if costs else None


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
