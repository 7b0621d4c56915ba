"""Live traffic of a real processor, by event time: summary, report, export."""

import json
import subprocess
import sys
import time
from math import fsum
from pathlib import Path
from typing import Any

import httpx
import pytest
from pyarrow import parquet

from ragmon.summary.report import Report
from tests.e2e.harness import RunningProcessor, StartProcessor, rag_request, until

ROOT = Path(__file__).parents[2]
MINUTE_NS = 60_000_000_000
RECALL = "retrieval.recall_at_k@5"


def ragmon(command: str, processor: RunningProcessor, *arguments: object) -> str:
    """What a command printed on stdout and stderr."""
    given = [command, "--endpoint", processor.views, *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-m", "ragmon", *given],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def summary(processor: RunningProcessor, **chosen: str) -> dict[str, dict[str, Any]]:
    answer = httpx.get(f"{processor.views}/v1/summary", params=chosen)
    return {one["pipeline"]: one for one in answer.json()["pipelines"]}


def recall(told: dict[str, Any]) -> float | None:
    found = Report.from_dict(told["report"]).metric("retrieval.recall_at_k")
    return None if found is None else found.value


def mean(rows: list[dict[str, Any]]) -> float:
    values = [row[RECALL] for row in rows if row[RECALL] is not None]
    return fsum(values) / len(values)


def test_a_late_label_changes_the_summary_the_report_and_the_export(
    start_processor: StartProcessor, tmp_path: Path
) -> None:
    """All three at the requests' own time, and with the same mean."""
    processor = start_processor()
    then_ns = time.time_ns() - 180 * MINUTE_NS
    for number in (1, 2, 3):
        processor.post(rag_request(number, then_ns + number * MINUTE_NS))
    processor.post(rag_request(4, time.time_ns(), pipeline="bank"))
    until("all are measured", lambda: processor.value("ragmon_requests_total") == 4)
    assert list(summary(processor, window="1h")) == ["bank"]
    shop = summary(processor, window="24h")["shop"]
    assert (shop["requests"], shop["label_coverage"], recall(shop)) == (3, 0.0, None)

    processor.label({"request_id": "m-1", "relevant_ids": ["a", "z"]})
    processor.label({"request_id": "m-2", "relevant_ids": ["a"]})
    processor.label({"request_id": "m-3", "relevant_ids": ["a", "y", "z"]})
    until("the labels are used", lambda: summary(processor, window="24h")["shop"]["labelled"] == 3)
    shop = summary(processor, window="24h", pipeline="shop")["shop"]
    expected = pytest.approx(fsum((0.5, 1.0, 1 / 3)) / 3, abs=1e-12)
    assert recall(shop) == expected

    page, table, lines = (tmp_path / f"out.{kind}" for kind in ("json", "parquet", "jsonl"))
    shown = ragmon("report", processor, "--since", "24h", "--pipeline", "shop", "-o", page)
    assert "recall_at_k@5" in shown
    assert "3 requests, 3 labelled" in shown
    read = Report.from_dict(json.loads(page.read_text())).metric("retrieval.recall_at_k")
    assert read is not None
    assert read.value == expected

    assert ragmon("export", processor, table) == "4 requests\n"
    assert ragmon("export", processor, "--pipeline", "shop", lines) == "3 requests\n"
    rows = parquet.read_table(table).to_pylist()
    assert [row["pipeline"] for row in rows] == ["bank", "shop", "shop", "shop"]
    assert mean(rows[1:]) == expected
    assert mean([json.loads(line) for line in lines.read_bytes().splitlines()]) == expected
    assert rows[1]["trace_id"] == f"{2:032x}"


def test_a_wrong_question_is_named(start_processor: StartProcessor) -> None:
    """400 with the parameter and the value, over HTTP."""
    processor = start_processor()
    answer = httpx.get(f"{processor.views}/v1/summary", params={"window": "a day"})
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "window must be 1m to 366d, such as 24h, not 'a day'",
    )
    answer = httpx.get(f"{processor.views}/v1/results", params={"sinse": "1h"})
    assert (answer.status_code, "'sinse'" in answer.text) == (400, True)
