"""Requests of the past enter the store, and no counter of the present."""

from pathlib import Path

from ragmon.app.backfill import Backfilled, backfill
from ragmon.config import load
from ragmon.ingest.split import PROTOBUF, split
from ragmon.replay import releases
from tests.app.running import START_NS, S, body, request, retrieval, running, series, trace_id


def test_a_label_of_a_backfilled_request_moves_no_counter(tmp_path: Path) -> None:
    """Its first value, its corrections and how late it came are none of the live traffic's."""
    read = split(body(request(1), retrieval(1, "a")).content, PROTOBUF, START_NS)
    config = load(None, {"store": {"path": str(tmp_path)}})
    settled = backfill(config, releases([read], START_NS), (), START_NS + S)
    assert settled == Backfilled(traces=1, requests=1)
    label = {"trace_id": trace_id(1), "relevant_ids": ["a"]}
    names = ("ragmon_evaluations_total", "ragmon_corrections_total", "ragmon_requests_total")
    with running(tmp_path) as parts:
        for second, document_id in enumerate(("a", "b"), start=2):
            label |= {"relevant_ids": [document_id]}
            parts.labels.post([label], START_NS + second * S)
            assert parts.processor.step(START_NS + second * S) == 1
        assert [series(parts, name) for name in names] == [0, 0, 0]
        assert series(parts, "ragmon_label_lag_seconds_count") == 0
