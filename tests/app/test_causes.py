"""Why a stored value changed."""

from pathlib import Path

from ragmon.app.wiring import Parts
from tests.app.running import START_NS, S, body, request, retrieval, running, send, series, trace_id


def corrections(parts: Parts) -> dict[str, bool]:
    causes = ("late_span", "label", "revision")
    counted = {
        cause: series(parts, "ragmon_corrections_total", f'cause="{cause}"') for cause in causes
    }
    return {cause: bool(value) for cause, value in counted.items()}


def label(parts: Parts, document_id: str, revision: int, received_ns: int) -> None:
    posted = {"trace_id": trace_id(1), "relevant_ids": [document_id], "revision": revision}
    parts.labels.post([posted], received_ns)


def test_known_spans_are_the_cause_of_nothing(tmp_path: Path) -> None:
    """A revised label that meets a repeated delivery is still why the values change."""
    with running(tmp_path) as parts:
        send(parts, body(request(1), retrieval(1, "a")))
        label(parts, "a", 0, START_NS + S)
        parts.processor.step(START_NS + 10 * S)
        send(parts, body(request(1), retrieval(1, "a"), received_ns=START_NS + 20 * S))
        parts.processor.step(START_NS + 20 * S)
        label(parts, "b", 1, START_NS + 26 * S)
        parts.processor.step(START_NS + 27 * S)
        assert corrections(parts) == {"late_span": False, "label": False, "revision": True}
