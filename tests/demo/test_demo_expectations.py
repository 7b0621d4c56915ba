from collections.abc import Callable, Sequence
from functools import cache
from statistics import fmean

import pytest

from ragmon.demo.app import CANDIDATES
from ragmon.demo.corpus import Passage
from ragmon.demo.expectations import EXPECTATIONS, TRACKED, Direction
from ragmon.demo.faults import Fault, break_search, break_writer
from ragmon.demo.generate import extract
from ragmon.demo.gold import Gold
from ragmon.demo.labels import request_label
from ragmon.demo.pace import paced_search, paced_writer
from ragmon.demo.prompt import CONTEXT_WORDS, build_prompt
from ragmon.demo.rerank import rerank
from ragmon.demo.retrieve import Index
from ragmon.labels.join import join
from ragmon.labels.parse import parse_label
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import build
from ragmon.model.measurement import NotMeasured
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
from ragmon.text.abstention import decide

REGISTRY = build()
FAULTS = [fault for fault in Fault if fault is not Fault.NONE]


Means = dict[str, float]


def documents(passages: Sequence[Passage]) -> tuple[Document, ...]:
    return tuple(Document(passage.id, Text(passage.text), passage.score) for passage in passages)


def record_of(fault: Fault, index: Index, gold: Gold, number: int) -> RequestRecord:
    """What the app does for one question, as the processor would record it; naps are durations."""
    searching: list[float] = []
    writing: list[float] = []
    search = paced_search(break_search(fault, index), searching.append, seed=0)
    write = break_writer(fault, paced_writer(extract, writing.append, seed=0), writing.append)
    query = gold.question.text
    found = search(query, CANDIDATES)
    ranked = rerank(query, found)
    prompt, packed = build_prompt(query, ranked)
    draft = write(query, prompt, packed)
    usage = ModelUsage(draft.model, draft.input_tokens, draft.output_tokens, draft.cost_usd)
    return RequestRecord(
        trace_id=f"{number:032x}",
        span_id="0" * 16,
        span_ids=("0" * 16,),
        dialect="ragmon",
        pipeline="p",
        event_ns=0,
        outcome=Outcome.of(decide(Text(draft.answer), [Text(one.text) for one in packed])),
        request_id=f"r-{number}",
        latency_s=sum(searching) + sum(writing),
        query=Text(query),
        retrieved=documents(found),
        reranked=documents(ranked),
        context=documents(packed),
        context_source=ContextSource.PACKED,
        max_context_tokens=CONTEXT_WORDS,
        prompt=Text(prompt),
        answer=Text(draft.answer),
        model=draft.model,
        usage=(usage,),
        stages={
            Stage.RETRIEVAL: StageRun(sum(searching)),
            Stage.GENERATION: StageRun(sum(writing)),
        },
    )


@pytest.fixture(scope="session")
def means(index: Index, golds: tuple[Gold, ...]) -> Callable[[Fault], Means]:
    """Per fault, the mean of every metric over all questions, by the processor's own formulas."""

    @cache
    def of(fault: Fault) -> Means:
        values: dict[str, list[float]] = {}
        for number, gold in enumerate(golds):
            record = record_of(fault, index, gold, number)
            labels = parse_label(request_label(gold, f"r-{number}", "p"), received_ns=0)
            measured = measure(record, join(record, labels), REGISTRY)
            for slot, value in zip(REGISTRY.layout, measured, strict=True):
                if not isinstance(value, NotMeasured):
                    values.setdefault(slot.key, []).append(value)
            values.setdefault("ragmon_empty_retrievals_total", []).append(not record.retrieved)
        return {key: fmean(found) for key, found in values.items()}

    return of


def test_every_fault_says_something_of_every_number() -> None:
    """Each tracked number must move, may move, or must not: nothing is left open or said twice."""
    tracked = sorted(one.key for one in TRACKED)
    for expectation in EXPECTATIONS.values():
        said = [
            *(move.key for move in expectation.must),
            *expectation.may,
            *(one.key for one in expectation.must_not),
        ]
        assert tracked == sorted(said)


def test_every_fault_has_an_expectation() -> None:
    """No fault is without its row, and all but none move something."""
    assert set(Fault) == set(EXPECTATIONS)
    assert [] == [fault for fault in FAULTS if not EXPECTATIONS[fault].must]


def test_every_metric_of_a_request_is_tracked() -> None:
    """A new metric has to say what the faults do to it."""
    of_requests = {slot.key for slot in REGISTRY.layout}
    assert set() == of_requests - {one.key for one in TRACKED}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_must_move_moves(fault: Fault, means: Callable[[Fault], Means]) -> None:
    """Each fault moves its numbers in the direction, and as far, as its table says."""
    before, after = means(Fault.NONE), means(fault)
    for move in EXPECTATIONS[fault].must:
        sign = 1 if move.direction is Direction.UP else -1
        assert sign * (after[move.key] - before[move.key]) >= move.at_least, move.key


@pytest.mark.parametrize("fault", FAULTS)
def test_what_must_not_move_stays(fault: Fault, means: Callable[[Fault], Means]) -> None:
    """Each fault leaves every other number where it was, even exactly: nothing here is chance."""
    before, after = means(Fault.NONE), means(fault)
    for tracked in EXPECTATIONS[fault].must_not:
        if tracked.key in before:
            assert before[tracked.key] == pytest.approx(after[tracked.key], abs=1e-12), tracked.key


def test_without_a_fault_the_app_is_good(means: Callable[[Fault], Means]) -> None:
    """The faults start from an app that finds, packs and says what is right."""
    healthy = means(Fault.NONE)
    assert healthy["retrieval.recall_at_k"] > 0.8
    assert healthy["generation.context_grounding"] > 0.95
    assert healthy["ragmon_empty_retrievals_total"] == 0
    assert healthy["augmentation.budget_compliant"] == 1
    assert healthy["generation.unsupported_number_rate_with_question"] < 0.05
