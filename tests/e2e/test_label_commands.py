"""`ragmon labels` and `ragmon.label` against a real processor."""

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx

from tests.e2e.harness import RunningProcessor, StartProcessor, rag_request, until

ROOT = Path(__file__).parents[2]


def ragmon(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "ragmon", "labels", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
    )


def test_labels_go_in_and_come_out(start_processor: StartProcessor, tmp_path: Path) -> None:
    """A gold set by query is imported, measured, exported, and imported elsewhere unchanged."""
    token = tmp_path / "token"
    token.write_text("secret")
    first = start_processor()
    other = start_processor(listen={"token_file": str(token)})
    gold, out, again = tmp_path / "gold.csv", tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    gold.write_text(
        "query_id,query,relevant_ids,reference_answers\n"
        'q1,how long do returns take,"[""a""]",30 days\n'
        'q2,what is shipping,"[""b""]",\n'
    )
    to_first = ("--endpoint", first.otlp, "--annotator", "anna")
    done = ragmon("import", *to_first, gold)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3 accepted, 0 replaced")
    assert "3 unchanged" in ragmon("import", *to_first, gold).stdout
    first.post(rag_request(1, time.time_ns()))
    until("it is measured", lambda: recall(first) == 1.0)
    assert ragmon("export", "--endpoint", first.otlp, "--since", "1h", out).returncode == 0
    shown = ("--endpoint", other.otlp, "--token-file", token)
    assert ragmon("import", "--endpoint", other.otlp, out).returncode == 2
    assert ragmon("import", *shown, out).returncode == 0
    assert ragmon("export", *shown, again).returncode == 0
    assert out.read_bytes() == again.read_bytes()
    assert len(out.read_text().splitlines()) == 3


def recall(processor: RunningProcessor) -> float | None:
    return processor.value(
        "ragmon_window_mean", stage="retrieval", metric="recall_at_k", window="1h"
    )


def test_status_tells_how_labels_fare(start_processor: StartProcessor, tmp_path: Path) -> None:
    """Outcomes, what waits, and how much of the traffic a label reached."""
    processor = start_processor()
    gold = tmp_path / "gold.jsonl"
    labels = [{"request_id": f"m-{number}", "task_success": True} for number in (1, 9)]
    gold.write_text("\n".join(json.dumps(one) for one in [*labels, {"query": "x", "nope": 1}]))
    done = ragmon("import", "--endpoint", processor.otlp, gold)
    assert (done.returncode, done.stdout.endswith("2 unmatched, 1 rejected\n")) == (1, True)
    assert f"{gold}:3: unknown key 'nope'" in done.stderr
    for number in (1, 2):
        processor.post(rag_request(number, time.time_ns()))
    status = until("a request is labelled", lambda: reached(processor))
    assert status["unmatched"]["count"] == 1
    assert status["since_start"]["accepted"] == 2
    shown = ragmon("status", "--endpoint", processor.otlp).stdout
    assert "waiting for their request: 1, the oldest" in shown
    assert "50.0%" in shown


def reached(processor: RunningProcessor) -> dict[str, dict[str, object]] | None:
    status = httpx.get(f"{processor.otlp}/v1/labels/status").json()
    shop = status["coverage"]["1h"].get("shop")
    both = {"requests": 2, "labelled": 1, "ratio": 0.5}
    return status if shop == both else None


def test_an_application_labels_its_own_request(start_processor: StartProcessor) -> None:
    """Within the request, without waiting, and it is delivered by the exit of the process."""
    processor = start_processor()
    program = f"""
import ragmon
ragmon.configure(service="shop", endpoint={processor.otlp!r})

@ragmon.request
def answer(question):
    ragmon.label(task_success=True, annotator="test")
    return "30 days"

answer("How long do returns take?")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")
    labels = {"stage": "end_to_end", "metric": "task_success", "window": "1h"}
    until("the label is used", lambda: processor.value("ragmon_window_mean", **labels) == 1.0)
