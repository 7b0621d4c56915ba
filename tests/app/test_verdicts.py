"""What is said of requests in telemetry: gold where it is configured, else feedback."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragmon.app.wiring import Parts, assembled
from ragmon.config import load
from ragmon.errors import ConfigError
from ragmon.model.assessment import AnnotatorKind, Assessment, Sorting
from ragmon.model.gold import MatchKey, TargetKind
from tests.app.running import START_NS, S, body, request, retrieval, send, series, span, trace_id

EVENTS = {
    "correctness": {"field": "task_success", "annotators": ["desk"]},
    "documents": {"field": "relevant_ids"},
}
VERDICT = Assessment(
    key=MatchKey(TargetKind.TRACE, trace_id(1)),
    pipeline=None,
    name="correctness",
    score=0.0,
    label=None,
    kind=AnnotatorKind.HUMAN,
    annotator="anna",
    time_ns=START_NS,
)


@contextmanager
def _running(path: Path | None = None, events: Mapping[str, Any] = EVENTS) -> Iterator[Parts]:
    store = {"path": "memory" if path is None else str(path)}
    with assembled(load(None, {"store": store, "labels": {"events": events}})) as parts:
        yield parts


def _said(name: str, label: str, **more: str) -> dict[str, object]:
    """The attributes of an annotation."""
    start = "annotations__0__annotation__"
    said = {"name": name, "label": label, **more}
    return {f"{start}{key}": value for key, value in said.items()}


def _gold(parts: Parts) -> dict[str, set[str]]:
    return {
        row.key.trace_id: {winner.field for winner in row.winners}
        for row in parts.store.rows(0, 1 << 62)
    }


def _summary(parts: Parts) -> dict[str, Any]:
    (pipeline,) = json.loads(parts.live.summary({}, START_NS + 60 * S))["pipelines"]
    told: dict[str, Any] = pipeline
    return told


def test_a_persons_verdict_is_gold_before_and_after_its_request() -> None:
    """It is joined like a posted label; what it says is false and not missing."""
    with _running() as parts:
        parts.assessments.of_logs([VERDICT], 2, START_NS)
        send(parts, body(request(1), retrieval(1, "a")), body(request(2)))
        parts.processor.step(START_NS + 10 * S)
        of_second = VERDICT.__class__(**{**_fields(VERDICT), "key": _trace(2), "score": 1.0})
        parts.assessments.of_logs([of_second], 0, START_NS)
        parts.processor.step(START_NS + 20 * S)
        assert {trace_id(1): {"task_success"}, trace_id(2): {"task_success"}} == _gold(parts)
        metrics = _metrics(parts)
        assert metrics["end_to_end.task_success"] == (0.5, 2)
        assert parts.assessments.counts["event"]["ignored"] == 2
        assert series(parts, "ragmon_assessments_total", 'result="gold"') == 2


def _fields(one: Assessment) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Assessment.__slots__}


def _trace(number: int) -> MatchKey:
    return MatchKey(TargetKind.TRACE, trace_id(number))


def _metrics(parts: Parts) -> dict[str, tuple[float | None, int]]:
    return {
        f"{stage['stage']}.{one['name']}": (one["value"], one["count"])
        for stage in _summary(parts)["report"]["stages"]
        for one in stage["metrics"]
    }


def test_annotations_on_spans_are_read_when_they_are_settled() -> None:
    """A person's on documents is gold, a model's is feedback."""
    with _running() as parts:
        judged = span(1, 3, 1, **_said("correctness", "true", annotator_kind="LLM"))
        ranked = span(1, 4, 1, **_said("documents", '["a"]', annotator_kind="HUMAN"))
        for one in (judged, ranked):
            one.name = "note"
        root = request(1)
        root.attributes.extend(ranked.attributes)
        del ranked.attributes[:]
        send(parts, body(root, retrieval(1, "a"), judged))
        for seconds in (10, 20):
            parts.processor.step(START_NS + seconds * S)
        assert {trace_id(1): {"relevant_ids"}} == _gold(parts)
        assert _metrics(parts)["retrieval.recall_at_k"] == (1.0, 1)
        assert parts.assessments.counts["annotation"] == {
            **dict.fromkeys(map(str, Sorting), 0),
            "gold": 1,
            "feedback": 1,
        }


def test_feedback_stands_beside_the_report_and_enters_no_number() -> None:
    """Neither gold, nor coverage, nor a score; the newest word of a voice counts."""
    with _running() as parts:
        send(parts, body(request(1), retrieval(1, "a")))
        parts.processor.step(START_NS + 10 * S)
        before = _summary(parts)
        assert before["feedback"] == []
        posted = [
            {"trace_id": trace_id(1), "thumbs": "up", "annotator": "u1", "given_at": 1.0},
            {"trace_id": trace_id(1), "thumbs": "down", "annotator": "u1", "given_at": 2.0},
            {"trace_id": trace_id(1), "thumbs": "up", "annotator": "u2"},
            {"trace_id": trace_id(1), "score": 4, "name": "stars"},
            {"request_id": "of nobody", "thumbs": "up"},
        ]
        told = parts.feedback.post(posted, START_NS)
        assert (told.outcomes, told.unmatched) == ({"accepted": 4, "replaced": 1}, 1)
        parts.processor.step(START_NS + 20 * S)
        after = _summary(parts)
        thumbs, stars = after.pop("feedback")
        assert (thumbs["thumbs_up"], thumbs["thumbs_down"]) == (1, 1)
        assert (stars["name"], stars["ratings"], stars["rating_mean"]) == ("stars", 1, 4.0)
        before.pop("feedback")
        assert before == after
        assert {trace_id(1): set()} == _gold(parts)


def test_feedback_is_counted_once_its_request_is_known(tmp_path: Path) -> None:
    """Also where it came first, and not again after a restart."""
    with _running(tmp_path) as parts:
        parts.feedback.post([{"trace_id": trace_id(1), "thumbs": "down"}], START_NS)
        parts.feedback.count_new()
        assert series(parts, "ragmon_feedback_total") == 0
        assert series(parts, "ragmon_feedback_unmatched") == 1
        send(parts, body(request(1)))
        parts.processor.step(START_NS + 10 * S)
        for _ in range(3):  # what waits is looked through from the start again
            parts.feedback.count_new()
        assert series(parts, "ragmon_feedback_total", 'kind="thumbs_down"') == 1
        assert series(parts, "ragmon_feedback_unmatched") == 0
    with _running(tmp_path) as parts:
        parts.feedback.count_new()
        assert series(parts, "ragmon_feedback_total") == 0


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        ({"x": {"field": "relevant"}}, r"labels\.events\.x\.field: 'relevant' is no gold field"),
        ({"ragmon.x": {"field": "answerable"}}, "are ragmon's own scores"),
    ],
)
def test_a_rule_that_maps_nothing_is_a_fault(events: dict[str, Any], fault: str) -> None:
    """It is named at start."""
    with pytest.raises(ConfigError, match=fault), _running(events=events):
        pass
