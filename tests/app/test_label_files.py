"""Labels of a file, which is read at every start."""

import csv
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from ragmon.app.labels import LabelDesk, read_label_file
from ragmon.app.wiring import Parts
from ragmon.errors import ConfigError, StoreUnavailableError
from ragmon.model.flow import LabelReceipt
from ragmon.model.gold import GoldLabel
from ragmon.store.sqlite import SqliteStore
from tests.app.running import START_NS, S, body, request, retrieval, running, send, series, trace_id


def write(path: Path, *labels: object) -> Path:
    path.write_text("".join(json.dumps(label) + "\n" for label in labels))
    return path


ROWS: tuple[dict[str, object], ...] = (
    {"trace_id": trace_id(1), "relevant_ids": ["a", "b"], "annotator": "anna"},
    {"query": "which way", "answerable": False, "revision": 2},
    {"query": "", "answerable": True},
)


def as_jsonl(file: Path) -> None:
    write(file, *ROWS)


def as_zipped_jsonl(file: Path) -> None:
    file.write_bytes(gzip.compress("\n".join(json.dumps(row) for row in ROWS).encode()))


def as_csv(file: Path) -> None:
    lines = [{name: _cell(one) for name, one in row.items()} for row in ROWS]
    # An empty cell is nothing, so the third row is faulty for the lack of a target.
    with file.open("w", newline="") as target:
        table = csv.DictWriter(
            target, ["trace_id", "query", *list(ROWS[0])[1:], *list(ROWS[1])[1:]]
        )
        table.writeheader()
        table.writerows(lines)


def _cell(value: object) -> object:
    return value if isinstance(value, str) else json.dumps(value)


def as_parquet(file: Path) -> None:
    pyarrow.parquet.write_table(pa.Table.from_pylist([*_filled(ROWS)]), file)


def _filled(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    names = [name for row in rows for name in row]
    return [{name: row.get(name) for name in names} for row in rows]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("gold.jsonl", as_jsonl),
        ("gold.jsonl.gz", as_zipped_jsonl),
        ("gold.csv", as_csv),
        ("gold.parquet", as_parquet),
    ],
)
def test_a_file_says_the_same_in_every_form(
    tmp_path: Path, name: str, written: Callable[[Path], None]
) -> None:
    """JSONL, gzipped, CSV and Parquet give equal labels, and a faulty row costs no other."""
    as_jsonl(tmp_path / "expected.jsonl")
    written(tmp_path / name)
    expected = read_label_file(tmp_path / "expected.jsonl", START_NS)
    found = read_label_file(tmp_path / name, START_NS)
    assert expected.labels == found.labels
    assert (2, 1) == (len(found.labels), found.refused)
    assert str(tmp_path / name) in found.faults[0]


@pytest.mark.parametrize("name", ["gold.parquet", "gold.jsonl.gz"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    """With the key of the configuration, and nothing of it is kept."""
    (tmp_path / name).write_bytes(b"\x1f\x8b broken")
    with running() as parts, pytest.raises(ConfigError, match=rf"labels\.file: .*{name}: is no"):
        parts.labels.load(tmp_path / name, START_NS)


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
