"""`ragmon erase` against a running processor, as whoever is asked for it does it."""

import subprocess
import sys
import threading
import time

import httpx

from tests.e2e.harness import RunningProcessor, StartProcessor, rag_request, until

WORD = "zanzibar"


def _erase(processor: RunningProcessor, *target: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ragmon", "erase", *target, "--yes"]
    given = [*command, "--endpoint", processor.otlp]
    return subprocess.run(given, capture_output=True, text=True, check=False, timeout=60)


def _rests(processor: RunningProcessor) -> bool:
    files = (path for path in (processor.folder / "state").rglob("*") if path.is_file())
    return any(WORD.encode() in path.read_bytes() for path in files)


def test_a_request_leaves_the_files_under_traffic(start_processor: StartProcessor) -> None:
    """While others come without end; its numbers stay, it does not come back, and all are told."""
    processor = start_processor(assembly={"quiet_s": 1.0})
    settled = rag_request(1, time.time_ns(), answer=WORD)
    processor.post(settled)
    processor.label({"request_id": "m-1", "reference_answers": [WORD]})
    until("the request settled", lambda: processor.value("ragmon_requests_total") == 1)
    assert _rests(processor)
    done = threading.Event()

    def traffic() -> None:
        number = 100
        while not done.is_set():
            processor.post(rag_request(number, time.time_ns()))
            number += 1

    sending = threading.Thread(target=traffic)
    sending.start()
    try:
        told = _erase(processor, "--request-id", "m-1")
        assert (0, "erased: 1 stored traces, 1 labels\n") == (told.returncode, told.stdout)
        assert not _rests(processor)
    finally:
        done.set()
        sending.join()
    processor.post(settled)
    until("what came again is dropped", lambda: processor.value("ragmon_processor_open_spans") == 0)
    told = _erase(processor, "--request-id", "none")
    assert (1, "nothing was found\n") == (told.returncode, told.stdout)
    rows = httpx.get(f"{processor.views}/v1/results").text
    assert f"{2:032x}" in rows
    came, went = processor.law()
    assert came == went
