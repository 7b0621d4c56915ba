"""What survives kill -9, and what happens to a second process."""

import random
import signal
import subprocess
import sys
import threading
import time

import httpx
import pytest

from tests.e2e.harness import RunningProcessor, StartProcessor, free_ports, rag_request, until


def acknowledged_until_killed(processor: RunningProcessor, first: int, after_s: float) -> set[int]:
    """Post requests until the processor is killed; gives those that were acknowledged."""
    done: set[int] = set()
    timer = threading.Timer(after_s, processor.stop, [signal.SIGKILL])
    timer.start()
    for number in range(first, first + 5000):
        try:
            if processor.post(rag_request(number, time.time_ns())).status_code == 200:
                done.add(number)
        except httpx.TransportError:
            break
    timer.join()
    return done


def stored(processor: RunningProcessor) -> float:
    return processor.value("ragmon_window_count", metric="context_grounding", window="1h") or 0.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_acknowledged_is_lost_by_kill_9(start_processor: StartProcessor, seed: int) -> None:
    """Every acknowledged request is measured after kills at random moments, each once."""
    processor = start_processor()
    moments = random.Random(seed)
    done: set[int] = set()
    for round_ in range(3):
        done |= acknowledged_until_killed(processor, 10_000 * round_, moments.uniform(0.3, 1.2))
        processor.start()
    until("all acknowledged requests in the window", lambda: stored(processor) >= len(done))
    # One more may have been durable before the kill took its acknowledgement.
    assert len(done) <= stored(processor) <= len(done) + 3
    came, went = processor.law()
    assert came == went


def test_a_clean_stop_exits_0_and_loses_nothing(start_processor: StartProcessor) -> None:
    """At SIGTERM intake stops; open traces stay in the inbox for the next start."""
    processor = start_processor(assembly={"quiet_s": 2.0})
    processor.post(rag_request(1, time.time_ns()))
    assert processor.stop() == 0
    processor.start()
    assert processor.value("ragmon_processor_spans_replayed_total") == 3
    until("the open trace settled after the restart", lambda: stored(processor) == 1)


def test_a_second_process_names_the_holder(start_processor: StartProcessor) -> None:
    """A store has one owner at a time."""
    processor = start_processor()
    ports = free_ports(3)
    names = ("--otlp-grpc-port", "--otlp-http-port", "--views-port")
    flags = [str(one) for pair in zip(names, ports, strict=True) for one in pair]
    command = [sys.executable, "-m", "ragmon", "serve", *flags]
    second = subprocess.run(
        [*command, "--store", str(processor.folder / "state")],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert second.returncode == 1
    assert processor.process is not None
    assert str(processor.process.pid) in second.stderr


def test_a_port_in_use_is_named(start_processor: StartProcessor) -> None:
    """The error names the port's key and number."""
    processor = start_processor()
    taken = processor.ports["views_port"]
    command = [sys.executable, "-m", "ragmon", "serve", "--store", "memory"]
    flags = ["--otlp-grpc-port", "0", "--otlp-http-port", "0", "--views-port", str(taken)]
    second = subprocess.run(
        [*command, *flags], capture_output=True, text=True, timeout=30, check=False
    )
    assert second.returncode == 1
    assert f"views_port: port {taken}" in second.stderr.replace("\n", " ")
