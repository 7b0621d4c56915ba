"""A shutdown loses nothing that it has the time to settle, and never takes too long."""

from tests.app.running import START_NS, body, law, request, running, send, series


def test_a_drain_reads_the_whole_backlog() -> None:
    """Without a durable inbox every acknowledged body is settled, however many wait."""
    bodies = [body(request(trace)) for trace in range(1, 1101)]
    with running() as parts:
        send(parts, *bodies)
        assert parts.processor.drain(START_NS) == 1100
        assert parts.processor.open_spans == 0
        assert series(parts, "ragmon_requests_total") == 1100
        assert law(parts) == (1100, 1100)
