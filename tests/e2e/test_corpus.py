"""Documents imported after the requests that retrieved their chunks."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.e2e.harness import RunningProcessor, StartProcessor, rag_request, until

MINUTE_NS = 60_000_000_000
TEXT = "Returns take 30 days. Shipping is free. Blenders mix."


def recall(processor: RunningProcessor) -> float | None:
    return processor.value(
        "ragmon_window_mean", stage="retrieval", metric="token_recall", window="1h"
    )


def imported(processor: RunningProcessor, path: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ragmon", "corpus", "import", "--endpoint", processor.otlp]
    return subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)


def test_an_import_gives_earlier_requests_their_token_metrics(
    start_processor: StartProcessor,
) -> None:
    """They stand after a kill, and a later import of the same changes nothing."""
    processor = start_processor()
    processor.post(rag_request(1, time.time_ns() - 10 * MINUTE_NS))
    evidence = [{"text": "take 30 days. Shipping is free. Blenders", "document": "faq"}]
    processor.label({"request_id": "m-1", "expected_evidence": evidence})
    until("the request is measured", lambda: processor.value("ragmon_requests_total"))
    assert recall(processor) is None
    path = processor.folder / "corpus.jsonl"
    chunks = [{"id": "a", "start": 0, "end": 21}, {"id": "b", "text": "Shipping is free."}]
    path.write_text(
        json.dumps(
            {
                "document_id": "faq",
                "text": TEXT,
                "chunks": [*chunks, {"id": "c", "text": "Blenders mix."}],
            }
        )
    )
    first = imported(processor, path)
    assert (first.returncode, first.stdout) == (
        0,
        "1 accepted, 0 unchanged, 1 touched, 0 unlocated chunks, 0 rejected\n",
    ), first.stderr
    until("token recall appears", lambda: recall(processor) == 1.0)
    processor.stop(signal.SIGKILL)
    processor.start()
    until("it stands after a kill", lambda: recall(processor) == 1.0)
    again = imported(processor, path)
    assert again.stdout.startswith("0 accepted, 1 unchanged, 0 touched")


def test_a_faulty_line_is_named_and_the_others_kept(start_processor: StartProcessor) -> None:
    """Exit 1; 2 where nothing listens."""
    processor = start_processor()
    path = processor.folder / "corpus.jsonl"
    good = {"pipeline": "shop", "document_id": "faq", "text": TEXT, "chunks": []}
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps({**good, 'text': 5})}\n")
    told = imported(processor, path)
    assert (told.returncode, told.stderr) == (
        1,
        f"ragmon: {path}:3: text: Input should be a valid string\n",
    )
    processor.stop()
    assert imported(processor, path).returncode == 2
