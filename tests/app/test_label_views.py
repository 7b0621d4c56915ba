"""Labels as they are shown."""

import json
from pathlib import Path

import pytest

from ragmon.errors import MalformedError
from ragmon.model.label_views import LabelChoice
from tests.app.running import START_NS, S, body, request, running, send, trace_id

LABEL = {"trace_id": trace_id(1), "relevant_ids": ["a"], "annotator": "ann"}
OTHERS = (
    {"trace_id": trace_id(1), "span_id": "b" * 16, "answerable": True, "probability": 0.25},
    {"query": "What IS it?", "required_facts": ["a", ["b", "c"]], "revision": 3},
    {"request_id": "m-1", "task_success": False, "pipeline": "shop", "labelled_at": 1.5},
)


def test_an_export_imported_into_an_empty_store_is_equal(tmp_path: Path) -> None:
    """Every label, to the nanosecond of its time."""
    with running() as parts:
        parts.labels.post([LABEL, *OTHERS], START_NS + 7)
        lines = b"".join(parts.label_views.lines({}, START_NS)).splitlines()
        before = list(parts.store.labels(LabelChoice()))
    assert len(before) == 4
    with running() as parts:
        assert parts.labels.post(map(json.loads, lines), START_NS + 9 * S).refused == 0
        assert before == list(parts.store.labels(LabelChoice()))


def test_an_export_is_chosen() -> None:
    """By field, annotator and time of receipt."""
    with running() as parts:
        parts.labels.post([LABEL], START_NS)
        parts.labels.post(OTHERS, START_NS + 100 * S)

        def fields(**chosen: str) -> list[set[str]]:
            found = b"".join(parts.label_views.lines(chosen, START_NS + 100 * S))
            names = {"relevant_ids", "answerable", "required_facts", "task_success"}
            return [names & set(json.loads(line)) for line in found.splitlines()]

        assert len(fields()) == 4
        assert fields(since="1m") == [{"answerable"}, {"required_facts"}, {"task_success"}]
        assert fields(since=str(START_NS // S + 1), field="answerable") == [{"answerable"}]
        assert fields(annotator="ann") == [{"relevant_ids"}]


@pytest.mark.parametrize(
    ("chosen", "fault"),
    [
        ({"sinse": "7d"}, "unknown parameter 'sinse'; did you mean 'since'?"),
        ({"field": "relevant"}, "unknown field 'relevant'; did you mean 'relevant_ids'?"),
        ({"since": "soon"}, "since must be how long ago"),
        ({"since": "-1"}, "since must be how long ago"),
        ({"since": "nan"}, "since must be how long ago"),
    ],
)
def test_a_wrong_choice_is_named_at_once(chosen: dict[str, str], fault: str) -> None:
    """Before anything is sent."""
    with running() as parts, pytest.raises(MalformedError, match=fault):
        parts.label_views.lines(chosen, START_NS)


def test_status() -> None:
    """Outcomes since the start, what waits and how long, counts, and coverage by window."""
    with running() as parts:
        parts.labels.post([LABEL, *OTHERS, {"nope": 1}], START_NS)
        send(parts, body(request(1)), body(request(2)))
        parts.processor.step(START_NS + 10 * S)
        parts.upkeep.refresh(START_NS + 10 * S)
        status = parts.label_views.status(START_NS + 10 * S)
    assert status["since_start"] == {
        "accepted": 4,
        "replaced": 0,
        "unchanged": 0,
        "superseded": 0,
        "expired": 0,
        "rejected": 1,
    }
    assert status["unmatched"]["count"] == 2
    assert status["unmatched"]["oldest_age_s"] > 0
    assert {"field": "relevant_ids", "annotator": "ann", "count": 1, "unmatched": 0} in (
        status["labels"]
    )
    assert status["coverage"]["1h"] == {
        "shop": {"requests": 2, "labelled": 1, "ratio": 0.5},
    }
