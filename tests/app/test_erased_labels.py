"""What points at an erased request comes too late, even if it never was settled."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ragmon.app.wiring import Parts
from ragmon.model.flow import TraceState
from tests.app.at_rest import readable, rests  # noqa: F401 (a fixture)
from tests.app.running import START_NS, S, body, request, running, send, span, trace_id

WORD = "zanzibar"
TRACE = {"trace_id": trace_id(1)}
SPAN = {**TRACE, "span_id": f"{1:016x}"}


def _erase(parts: Parts) -> None:
    parts.erasures.post([TRACE], START_NS + 2 * S)


@pytest.mark.parametrize("read_s", [1, 100])
@pytest.mark.parametrize("target", [TRACE, SPAN])
def test_labels_and_feedback_are_expired(
    tmp_path: Path, target: Mapping[str, str], read_s: int
) -> None:
    """Of a trace that was open when it was erased, and of one that was settled."""
    with running(tmp_path) as parts:
        send(parts, body(request(1)))
        parts.processor.step(START_NS + read_s * S)
        _erase(parts)
        parts.labels.post([{**target, "reference_answers": [WORD]}], START_NS + 3 * S)
        parts.feedback.post([{**target, "name": "n", "label": WORD}], START_NS + 3 * S)
        assert 1 == parts.labels.outcomes["expired"] == parts.feedback.outcomes["expired"]
        assert not rests(tmp_path, WORD)


def test_annotations_on_spans_that_come_again_are_expired(tmp_path: Path) -> None:
    """They are read before their trace is settled, and must not be kept."""
    annotated = span(
        1,
        ragmon__stage="request",
        annotations__0__annotation__name="helpful",
        annotations__0__annotation__label=WORD,
    )
    with running(tmp_path) as parts:
        send(parts, body(annotated))
        parts.processor.step(START_NS + 100 * S)
        assert 1 == parts.feedback.outcomes["accepted"]
        _erase(parts)
        assert not rests(tmp_path, WORD)
        send(parts, body(annotated, span(1, 2, 1)))
        parts.processor.step(START_NS + 200 * S)
        assert TraceState.GONE is parts.store.load([trace_id(1)])[trace_id(1)].state
        assert 1 == parts.feedback.outcomes["expired"]
        parts.store.erasure.scrub()
        parts.inbox.scrub()
        assert not rests(tmp_path, WORD)
