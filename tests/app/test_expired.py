"""What is past retention is counted as expired, whichever clock says so."""

from pathlib import Path

from tests.app.running import START_NS, S, body, law, request, retrieval, running, send, series


def test_a_removed_trace_is_observed_once_at_most(tmp_path: Path) -> None:
    """A request dated before the retention is not stored, not even with younger spans."""
    old = request(1)
    old.start_time_unix_nano = old.end_time_unix_nano = 1
    with running(tmp_path) as parts:
        for round_ns in (START_NS, START_NS + 100 * S):
            send(parts, body(old, retrieval(1, "a"), received_ns=round_ns))
            parts.processor.step(round_ns + 10 * S)
            parts.store.expire(round_ns + 11 * S)
        assert series(parts, "ragmon_requests_total") == 0
        dropped = series(parts, "ragmon_processor_spans_dropped_total", 'reason="expired"')
        assert (dropped, *law(parts)) == (4, 4, 4)
