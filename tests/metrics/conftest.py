"""A request with every input, made of plain values."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

from ragmon.model.gold import Gold
from ragmon.model.record import (
    ContextSource,
    Document,
    ModelUsage,
    Outcome,
    RequestRecord,
    Stage,
    StageRun,
)
from ragmon.text import Text
from tests.metrics.measuring import Measure, hashed, plain

# The first example of a test builds patterns that all others share.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

MakeRecord = Callable[..., RequestRecord]


@pytest.fixture
def make_record() -> MakeRecord:
    """Makes a fully captured request; keywords replace single fields."""

    def make(**fields: Any) -> RequestRecord:
        documents = (
            Document("a", Text("Alpha 10."), 0.75),
            Document("b", Text("Beta 20."), 0.5),
        )
        captured: dict[str, Any] = {
            "outcome": Outcome.ANSWERED,
            "latency_s": 2.0,
            "query": Text("Alpha in 30?"),
            "retrieved": documents,
            "reranked": documents[::-1],
            "context": documents,
            "context_source": ContextSource.PACKED,
            "max_context_tokens": 10,
            "answer": Text("Alpha 10 or 30"),
            "citations": ("a", "z"),
            "usage": (ModelUsage("m", 100, 20, 0.5),),
            "stages": {Stage.RETRIEVAL: StageRun(0.25), Stage.GENERATION: StageRun(1.5)},
        }
        return RequestRecord(
            trace_id="0" * 32,
            span_id="0" * 16,
            span_ids=(),
            dialect="ragmon",
            pipeline="tests",
            event_ns=0,
            **(captured | fields),
        )

    return make


@pytest.fixture(params=[plain, hashed])
def measured(request: pytest.FixtureRequest) -> Measure:
    """Measures a request with its texts, and again sealed, with the hashes of their tokens."""
    rule: Measure = request.param
    return rule


@pytest.fixture
def gold() -> Gold:
    """Every label that a metric can ask for."""
    return Gold(
        relevant={"b": 2.0, "c": 1.0, "a": 0.0},
        expected_evidence=({"text": "Beta", "document": "d"},),
        reference_answers=(Text("no"), Text("Alpha 10")),
        required_facts=(("ten", "10"), ("beta",)),
        expected_citations=("a", "b"),
        answerable=True,
        verified_claims=(True, False, None),
        task_success=True,
    )
