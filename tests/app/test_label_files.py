"""Labels of a file, which is read at every start."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ragmon.app.labels import LabelDesk
from ragmon.app.wiring import Parts
from ragmon.errors import StoreUnavailableError
from ragmon.model.flow import LabelReceipt
from ragmon.model.gold import GoldLabel
from ragmon.store.sqlite import SqliteStore
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


def rejected(parts: Parts) -> float:
    return series(parts, "ragmon_labels_total", 'outcome="rejected"')


def test_every_refused_label_of_a_file_is_counted_once(tmp_path: Path) -> None:
    """However many faults it has, and however many are named."""
    faulty = {"trace_id": "x", "nope": 1}
    file = write(tmp_path / "l.jsonl", *[faulty] * 120, {"query": "x", "answerable": True})
    with running() as parts:
        posted = parts.labels.load(file, START_NS)
        assert (posted.refused, posted.outcomes, len(posted.faults)) == (120, {"accepted": 1}, 100)
        assert rejected(parts) == 120


def test_a_post_that_was_not_kept_is_not_counted() -> None:
    """It is posted again, and its refused labels are counted then."""

    class Away(SqliteStore):
        def put_labels(self, labels: Sequence[GoldLabel], now_ns: int) -> LabelReceipt:
            raise StoreUnavailableError("the disk is full")

    posted = [{"nope": 1}, {"query": "x", "answerable": True}]
    with running() as parts, Away(None) as away:
        desk = LabelDesk(away, parts.exporter)
        with pytest.raises(StoreUnavailableError):
            desk.post(posted, START_NS)
        assert rejected(parts) == 0
        assert parts.labels.post(posted, START_NS).refused == 1
        assert rejected(parts) == 1
