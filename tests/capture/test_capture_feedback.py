"""Feedback from the application."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import ragmon
from ragmon.capture.destination import feedback_beside
from ragmon.labels.feedback import parse_feedback
from ragmon.model.assessment import FeedbackKind
from tests.capture.conftest import Spans
from tests.capture.test_capture_labels import Desk


@pytest.fixture
def feedback_desk(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with Desk() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        for name in ("rating", "configure"):
            monkeypatch.setattr(f"ragmon.capture.{name}.feedback_poster", server.poster)
        server.poster.aim(feedback_beside(f"{server.url}/v1/labels"), {"Authorization": "Bearer t"})
        yield server
        server.poster.drain(5)
        server.shutdown()
        thread.join()


def test_a_thumb_is_posted(feedback_desk: Desk) -> None:
    """As the processor takes it, beside the labels, with the headers that were configured."""
    ragmon.feedback("up", request_id="m-1", name="helpful")
    assert ragmon.flush()
    (posted,) = feedback_desk.labels
    assert feedback_desk.headers[0]["authorization"] == "Bearer t"
    assert feedback_desk.headers[0]["path"] == "/v1/feedback"
    read = parse_feedback(posted, 0)
    assert (FeedbackKind.THUMBS_UP, "helpful", "m-1") == (read.kind, read.name, read.key.value)


def test_feedback_is_about_the_current_trace(feedback_desk: Desk) -> None:
    """Inside a request nothing needs to be named."""

    @ragmon.request
    def answer(question: str) -> str:
        ragmon.feedback(score=4, given_at=5)
        return question

    answer("q")
    assert ragmon.flush()
    (posted,) = feedback_desk.labels
    assert 32 == len(posted["trace_id"])
    assert {"score": 4, "given_at": 5} == {key: posted[key] for key in ("score", "given_at")}


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"request_id": "m-1"}, "no feedback"),
        ({"thumbs": "sideways", "request_id": "m-1"}, "none of up, down"),
        ({"thumbs": "up"}, "no target"),
    ],
)
def test_feedback_that_is_none_does_no_harm(
    feedback_desk: Desk, arguments: Any, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a fault of which strict mode tells."""
    with pytest.raises(ValueError, match=fault):
        ragmon.feedback(**arguments)
    monkeypatch.delenv("RAGMON_STRICT")
    ragmon.feedback(**arguments)
    assert ragmon.flush()
    assert [] == feedback_desk.labels
