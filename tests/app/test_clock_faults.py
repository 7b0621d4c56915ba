"""Requests with a wrong clock, as they are counted."""

from pathlib import Path

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.wiring import Parts
from tests.app.running import START_NS, S, body, retrieval, running, send, series, span


def turn(number: int, end_ns: int) -> Span:
    """A request of its own in one trace."""
    made = span(1, number, ragmon__stage="request")
    made.start_time_unix_nano, made.end_time_unix_nano = end_ns - S, end_ns
    return made


def future(parts: Parts) -> float:
    return series(parts, "ragmon_processor_clock_faults_total", 'kind="future"')


def test_each_new_request_of_a_trace_is_held_against_its_own_arrival(tmp_path: Path) -> None:
    """Turns of a session minutes apart have no fault; one that comes from the future has."""
    with running(tmp_path) as parts:
        for number, ahead_s in ((1, 0), (2, 0), (3, 3600)):
            at_ns = START_NS + number * 600 * S
            send(parts, body(turn(number, at_ns + ahead_s * S), received_ns=at_ns))
            parts.processor.step(at_ns + 10 * S)
            assert (number == 3) == future(parts)


def test_a_wrong_clock_is_counted_once(tmp_path: Path) -> None:
    """A request that is settled again with a late span is no second fault."""
    with running(tmp_path) as parts:
        send(parts, body(turn(1, START_NS + 3600 * S)))
        parts.processor.step(START_NS + 10 * S)
        send(parts, body(retrieval(1, "a"), received_ns=START_NS + 20 * S))
        parts.processor.step(START_NS + 60 * S)
        assert 1 == future(parts)
