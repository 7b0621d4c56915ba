"""A day of demo traffic, labelled 0 s to 6 h late: the numbers are those of the evaluator.

RAGMON_DAY_REQUESTS is how many requests the day has.
"""

import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragmon import semconv
from ragmon.app.wiring import Parts
from ragmon.capture.settings import SCOPE, active
from ragmon.demo.gold import Gold
from ragmon.demo.labels import query_label, request_label
from ragmon.demo.run import Demo, build
from ragmon.demo.settings import DemoSettings
from ragmon.evaluate import evaluate
from ragmon.ingest.split import PROTOBUF
from ragmon.model.flow import Body, TraceState
from ragmon.model.measurement import Kind, NotMeasured
from tests.app.running import START_NS, S, running, send

REQUESTS = int(os.environ.get("RAGMON_DAY_REQUESTS", "120"))
DAY_S, LATEST_S = 86_400, 6 * 3600
END_NS = START_NS + (DAY_S + LATEST_S + 600) * S
PIPELINE = "shop"
STANDING = 0.2
OF_IDS = (
    *("retrieval.recall_at_k", "retrieval.ndcg_at_k", "retrieval.mrr_at_k"),
    *("retrieval.hit_at_k", "reranking.ndcg_at_k"),
)
OF_TEXTS = ("generation.exact_match", "generation.answer_f1", "generation.rouge_l_f1")
WITH_GOLD = {*OF_IDS, *OF_TEXTS}


@dataclass(frozen=True)
class Answered:
    """A question that the demo answered: its gold, its spans, and the row that it is offline."""

    gold: Gold
    spans: Sequence[ReadableSpan]
    row: Mapping[str, Any]


@cache
def answered() -> tuple[Answered, ...]:
    """Every question of the demo, asked once with its real decorators."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": PIPELINE}), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    before, active.tracer = active.tracer, provider.get_tracer(SCOPE)
    try:
        return tuple(_asked(build(DemoSettings(), lambda _: None), exporter))
    finally:
        active.tracer = before


def _asked(demo: Demo, exporter: InMemorySpanExporter) -> Iterator[Answered]:
    for gold in demo.golds:
        exporter.clear()
        answer = demo.ask(gold.question.text, "")
        spans = exporter.get_finished_spans()
        row = {
            "query": gold.question.text,
            "retrieved_ids": _ids(spans, "retrieval"),
            "reranked_ids": _ids(spans, "reranking"),
            "answer": answer,
        }
        yield Answered(gold, spans, row)


def _ids(spans: Sequence[ReadableSpan], stage: str) -> list[str]:
    (found,) = [one for one in spans if (one.attributes or {}).get(semconv.STAGE) == stage]
    ids = (found.attributes or {})[semconv.DOCUMENTS_ID]
    return [str(one) for one in ids]  # type: ignore[union-attr]


@dataclass(frozen=True)
class Sent:
    """One request of the day: when it ended, when it is labelled (None: with its question)."""

    number: int
    of: Answered
    end_s: int
    labelled_s: int | None

    @property
    def request_id(self) -> str:
        return f"day-{self.number}"

    def body(self) -> Body:
        """Its spans, moved to its time, under ids of its own."""
        message = ExportTraceServiceRequest()
        message.CopyFrom(encode_spans(self.of.spans))
        end_ns = START_NS + self.end_s * S
        spans = [one for each in message.resource_spans[0].scope_spans for one in each.spans]
        moved_ns = end_ns - max(one.end_time_unix_nano for one in spans)
        for one in spans:
            one.trace_id = self.number.to_bytes(16, "big")
            one.start_time_unix_nano += moved_ns
            one.end_time_unix_nano += moved_ns
            for attribute in one.attributes:
                if attribute.key == semconv.REQUEST_ID:
                    attribute.value.string_value = self.request_id
        return Body(end_ns, PROTOBUF, "", message.SerializeToString(), len(spans))


@cache
def day() -> tuple[Sent, ...]:
    """The requests of a day, in order of their ends; the labels of some come with questions."""
    chance = random.Random(7)
    made = answered()
    standing = set(chance.sample(range(len(made)), round(STANDING * len(made))))
    ends = sorted(chance.randrange(60, DAY_S) for _ in range(REQUESTS))
    found = []
    for number, end_s in enumerate(ends, start=1):
        which = chance.randrange(len(made))
        delay_s = chance.choice((0, 1, 600, 3600, LATEST_S, chance.randrange(LATEST_S)))
        late_s = None if which in standing else end_s + delay_s
        found.append(Sent(number, made[which], end_s, late_s))
    return tuple(found)


def live(parts: Parts) -> None:
    """The day, a minute at a time: spans as they come, labels when they are made."""
    asked_again = {
        one.of.gold.question.text: one.of.gold for one in day() if one.labelled_s is None
    }
    _post(parts, [query_label(gold, PIPELINE) for gold in asked_again.values()], 0)
    for minute_s in range(0, DAY_S + LATEST_S + 600, 60):
        due = range(minute_s, minute_s + 60)
        send(parts, *(one.body() for one in day() if one.end_s in due))
        late = [one for one in day() if one.labelled_s in due]
        _post(
            parts, [request_label(one.of.gold, one.request_id, PIPELINE) for one in late], minute_s
        )
        now_ns = START_NS + (minute_s + 60) * S
        parts.processor.step(now_ns)
        parts.upkeep._watch_clock(now_ns)
        parts.upkeep._sealer.step(now_ns)
    parts.processor.step(END_NS)


def _post(parts: Parts, labels: Sequence[Mapping[str, Any]], second: int) -> None:
    assert [] == list(
        parts.labels.post([dict(one) for one in labels], START_NS + second * S).faults
    )


def offline(sent: Sequence[Sent]) -> Mapping[str, tuple[float | None, int]]:
    """What the evaluator says of requests with their gold: mean and count of each metric."""
    report = evaluate([{**one.of.row, **_gold(one)} for one in sent], k=5)
    return {
        metric.key: (metric.value, metric.count)
        for stage in report.stages
        for metric in stage.metrics
        if metric.key in WITH_GOLD
    }


def _gold(one: Sent) -> Mapping[str, Any]:
    label = request_label(one.of.gold, "", "")
    return {key: label[key] for key in ("relevant_ids", "reference_answers") if key in label}


def online(parts: Parts, first_s: int, end_s: int) -> Mapping[str, tuple[float | None, int]]:
    """The same of live traffic, by event time."""
    chosen = {"since": str(START_NS // S + first_s), "end": str(START_NS // S + end_s)}
    (pipeline,) = json.loads(parts.live.summary(chosen, END_NS))["pipelines"]
    return {
        f"{stage['stage']}.{metric['name']}": (metric["value"], metric["count"])
        for stage in pipeline["report"]["stages"]
        for metric in stage["metrics"]
        if f"{stage['stage']}.{metric['name']}" in WITH_GOLD
    }


def _same(expected: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    assert {key: count for key, (_, count) in expected.items()} == {
        key: count for key, (_, count) in found.items()
    }
    for key, (value, _) in expected.items():
        assert found[key][0] == pytest.approx(value, rel=1e-12, abs=1e-12), key


def _observed(parts: Parts, stage: str, name: str) -> float:
    lines = parts.exporter.exposition().body.decode().splitlines()
    having = (f'stage="{stage}"', f'metric="{name}"')
    counts = [line for line in lines if line.startswith("ragmon_score_count{")]
    return sum(float(line.split()[-1]) for line in counts if all(one in line for one in having))


@pytest.mark.parametrize("keep", ["plain", "hashed"])
def test_event_time_equals_the_evaluator(tmp_path: Path, keep: str) -> None:
    """Of the day, of each quarter of it, and each request is observed once a metric."""
    with running(tmp_path, keep=keep) as parts:
        live(parts)
        expected = offline(day())
        assert all(count for _, count in expected.values())
        _same(expected, online(parts, 0, DAY_S))
        for first_s in range(0, DAY_S, DAY_S // 4):
            quarter = range(first_s, first_s + DAY_S // 4)
            some = [one for one in day() if one.end_s in quarter]
            _same(offline(some), online(parts, quarter.start, quarter.stop))
        for key, (_, count) in expected.items():
            assert _observed(parts, *key.split(".")) == count, key
        kept = parts.store.load([one.number.to_bytes(16, "big").hex() for one in day()])
        state = TraceState.SETTLED if keep == "plain" else TraceState.SEALED
        assert {state} == {one.state for one in kept.values()}


def test_with_ids_what_was_measured_stays_as_it_was(tmp_path: Path) -> None:
    """Metrics on ids are the evaluator's; on texts they are, or are not kept, and never 0."""
    numbers = {one.number.to_bytes(16, "big").hex(): one for one in day()}
    with running(tmp_path, keep="ids") as parts:
        live(parts)
        found = online(parts, 0, DAY_S)
        _same({key: offline(day())[key] for key in OF_IDS}, {key: found[key] for key in OF_IDS})
        outcomes = set()
        for row in parts.store.rows(0, 1 << 62):
            alone = offline([numbers[row.key.trace_id]])
            values = {slot.key: one for slot, one in zip(row.layout, row.values, strict=True)}
            for key in OF_TEXTS:
                value, (expected, _) = values[key], alone[key]
                kept = not isinstance(value, NotMeasured)
                outcomes.add(kept)
                assert value == pytest.approx(expected) if kept else _is_not_kept(value, expected)
        assert {True, False} == outcomes


def _is_not_kept(value: Any, expected: float | None) -> bool:
    return expected is None or value.kind is Kind.NOT_KEPT
