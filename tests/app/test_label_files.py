"""Labels of a file, which is read at every start."""

import json
from pathlib import Path

from ragmon.app.wiring import Parts
from tests.app.running import START_NS, S, body, request, retrieval, running, send, series, trace_id


def write(path: Path, *labels: object) -> Path:
    path.write_text("".join(json.dumps(label) + "\n" for label in labels))
    return path


def recall(parts: Parts) -> set[object]:
    """Recall of the stored requests."""
    return {
        value
        for row in parts.store.rows(0, 1 << 62)
        for slot, value in zip(row.layout, row.values, strict=True)
        if slot.key == "retrieval.recall_at_k"
    }


def test_a_file_read_again_changes_nothing(tmp_path: Path) -> None:
    """What it says is no news at the next start: a correction that came between stands."""
    file = write(tmp_path / "l.jsonl", {"trace_id": trace_id(1), "relevant_ids": ["old"]})
    corrected = {"trace_id": trace_id(1), "relevant_ids": ["new"], "annotator": "anna"}
    with running(tmp_path) as parts:
        parts.labels.load(file, START_NS)
        send(parts, body(request(1), retrieval(1, "new")))
        parts.processor.step(START_NS + 10 * S)
        parts.labels.post([corrected], START_NS + 100 * S)
        parts.processor.step(START_NS + 101 * S)
        assert recall(parts) == {1.0}
    with running(tmp_path) as parts:
        assert parts.labels.load(file, START_NS + 200 * S).outcomes == {"unchanged": 1}
        parts.processor.step(START_NS + 201 * S)
        assert recall(parts) == {1.0}
        assert series(parts, "ragmon_corrections_total") == 0


def test_a_file_that_was_changed_is_news(tmp_path: Path) -> None:
    """Another value, or the same one at a later time that is said, replaces what stands."""
    file = tmp_path / "l.jsonl"
    label = {"trace_id": trace_id(1), "relevant_ids": ["old"]}
    with running() as parts:
        parts.labels.load(write(file, label), START_NS)
        later = write(file, {**label, "labelled_at": START_NS // S + 5})
        assert parts.labels.load(later, START_NS + 9 * S).outcomes == {"replaced": 1}
        other = write(file, {**label, "relevant_ids": ["new"]})
        assert parts.labels.load(other, START_NS + 9 * S).outcomes == {"replaced": 1}
