"""Any order and interleaving of facts, settling and restarts gives the same result.

RAGMON_ORDERS is how many orders are tried.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.wiring import Parts
from ragmon.model.flow import TraceState
from tests.app.running import START_NS, S, body, retrieval, running, send, span, trace_id

Fact: TypeAlias = Callable[[Parts], None]
MADE_AT = "2026-12-01T04:00:00Z"
END_NS = START_NS + 3000 * S
REOPEN_S = 900
ORDERS = int(os.environ.get("RAGMON_ORDERS", "12"))


def _root(trace: int, query: str, answer: str) -> Span:
    return span(
        trace,
        ragmon__stage="request",
        ragmon__request_id=f"m-{trace % 2}",
        ragmon__query=query,
        ragmon__answer=answer,
    )


def _spans(*spans: Span) -> Fact:
    return lambda parts: send(parts, body(*spans))


def _label(**label: Any) -> Fact:
    def post(parts: Parts) -> None:
        posted = parts.labels.post([{"labelled_at": MADE_AT, **label}], START_NS)
        assert posted.refused == 0

    return post


def _document(name: str, text: str, *chunks: str) -> Fact:
    listed = [{"id": f"{name}{place}", "text": chunk} for place, chunk in enumerate(chunks)]
    document = {
        "document_id": name,
        "text": text,
        "chunks": listed,
        "pipeline": "shop",
        "registered_at": MADE_AT,
    }
    return lambda parts: _none(parts.corpus.post([document], START_NS).faults)


def _none(faults: Iterable[str]) -> None:
    assert [] == list(faults)


SPANS: tuple[Fact, ...] = (
    _spans(_root(1, "Which way?", "Left, 10 miles.")),
    _spans(retrieval(1, "d0", "x", "d1")),
    _spans(_root(2, "which WAY", "No idea."), retrieval(2, "e0")),
    _spans(retrieval(3, "d1")),
    _spans(_root(3, "How far?", "10 miles")),
    _spans(_root(1, "Which way?", "Left, 10 miles.")),
)
LABELS: tuple[Fact, ...] = (
    _label(query="which way", relevant_ids=["x"], reference_answers=["left"], annotator="a"),
    _label(trace_id=trace_id(1), relevant_ids={"d0": 2, "d1": 1}, annotator="b"),
    _label(trace_id=trace_id(1), relevant_ids={"d0": 1}, annotator="b", revision=1),
    _label(trace_id=trace_id(2), span_id=f"{1:016x}", relevant_ids=["d1"], annotator="c"),
    _label(request_id="m-1", task_success=True, required_facts=[["10", "ten"]], annotator="a"),
    _label(request_id="m-1", task_success=False, annotator="b", revision=2),
    _label(query="how far", expected_evidence=[{"text": "ten miles", "document": "d"}]),
    _label(query="WHICH way", expected_evidence=[{"text": "turn left"}]),
    _label(request_id="nobody", answerable=True),
)
CORPUS: tuple[Fact, ...] = (
    _document("d", "Turn left. It is ten miles.", "Turn left.", "It is ten miles."),
    _document("e", "Turn right.", "Turn right."),
)


class Run:
    """A processor that is restarted now and then, and a clock that only goes on."""

    def __init__(self, folder: Path, **store: Any) -> None:
        self._folder = folder
        self._store = store
        self._seconds = count(100, 100)

    def now_ns(self) -> int:
        return START_NS + next(self._seconds) * S

    @contextmanager
    def started(self) -> Iterator[Parts]:
        """A process from its start to its end; upkeep runs once, at the start."""
        with running(self._folder, **self._store) as parts:
            parts.processor.step(self.now_ns())
            parts.upkeep.step(self.now_ns(), may_expire=True)
            yield parts

    def all(self, facts: Sequence[Fact], breaks: Sequence[str]) -> Any:
        """Take every fact, with what is to happen behind each; what is told in the end."""
        parts_of_run: list[list[tuple[Fact, str]]] = [[]]
        for fact, then in zip(facts, breaks, strict=True):
            parts_of_run[-1].append((fact, then))
            if then == "restart":
                parts_of_run.append([])
        for some in parts_of_run:
            with self.started() as parts:
                self._take(parts, some)
        with self.started() as parts:
            for _ in range(4):
                parts.processor.step(self.now_ns())
            return told(parts)

    def _take(self, parts: Parts, some: Iterable[tuple[Fact, str]]) -> None:
        for fact, then in some:
            fact(parts)
            if then == "settle":
                parts.processor.step(self.now_ns())


def told(parts: Parts) -> Any:
    """Results, reasons, winning labels, and what the window says."""
    rows = {
        row.key: (
            dict(zip(row.layout, row.values, strict=True)),
            sorted((winner.field, winner.content_hash) for winner in row.winners),
            (row.event_ns, row.outcome, row.pipeline, sorted(row.durations.items())),
        )
        for row in parts.store.rows(0, 1 << 62)
    }
    return rows, json.loads(parts.live.summary({"since": "1h"}, END_NS))


def expected() -> Any:
    """What is told where everything is known at once."""
    with running() as parts:
        for fact in (*CORPUS, *LABELS, *SPANS):
            fact(parts)
        for seconds in (100, 200, 300):
            parts.processor.step(START_NS + seconds * S)
        return told(parts)


EXPECTED = expected()
breaks = st.sampled_from(("", "", "settle", "restart"))


def test_the_facts_say_something() -> None:
    """Every kind of label wins somewhere, and text metrics have values."""
    rows, summary = EXPECTED
    assert len(rows) == 3
    fields = {field for _, winners, _ in rows.values() for field, _ in winners}
    assert len(fields) == 5
    (pipeline,) = summary["pipelines"]
    stages = pipeline["report"]["stages"]
    means = {one["name"] for stage in stages for one in stage["metrics"] if one["value"]}
    assert {"token_recall", "answer_f1", "ndcg_at_k", "required_fact_coverage"} <= means


@settings(max_examples=ORDERS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_order_with_restarts_gives_the_same(data: st.DataObject) -> None:
    """Spans, labels of every target, revisions and the corpus, each settled when it likes."""
    facts = data.draw(st.permutations((*SPANS, *LABELS, *CORPUS)))
    behind = data.draw(st.lists(breaks, min_size=len(facts), max_size=len(facts)))
    with TemporaryDirectory() as folder:
        assert EXPECTED == Run(Path(folder)).all(facts, behind)


@settings(max_examples=ORDERS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_sealed_at_any_time_a_hashed_store_gives_the_same(data: st.DataObject) -> None:
    """Spans come in time; labels and the corpus before, between and after sealing."""
    early = data.draw(st.permutations((*SPANS, *data.draw(st.sets(st.sampled_from(LABELS))))))
    later = data.draw(st.permutations([fact for fact in (*LABELS, *CORPUS) if fact not in early]))
    behind = data.draw(st.lists(breaks, min_size=len(later), max_size=len(later)))
    with TemporaryDirectory() as folder:
        run = Run(Path(folder), keep="hashed", reopen_s=REOPEN_S)
        with run.started() as parts:
            for fact in early:
                fact(parts)
            parts.processor.step(run.now_ns())
        for _ in range(REOPEN_S // 100):
            run.now_ns()
        assert EXPECTED == run.all(later, behind)
        with run.started() as parts:
            kept = parts.store.load([trace_id(number) for number in (1, 2, 3)])
            assert {TraceState.SEALED} == {one.state for one in kept.values()}
