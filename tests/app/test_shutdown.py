"""A shutdown loses nothing that it has the time to settle, and never takes too long."""

from collections.abc import Callable
from threading import Event

from ragmon.app.loop import Loop
from ragmon.model.flow import Touch
from ragmon.store.sqlite import SqliteStore
from tests.app.running import START_NS, S, body, law, request, running, send, series


def batches(most: int) -> Callable[[], bool]:
    """May go on for so many batches."""
    answers = iter([True] * most)
    return lambda: next(answers, False)


def test_a_drain_reads_the_whole_backlog() -> None:
    """Without a durable inbox every acknowledged body is settled, however many wait."""
    bodies = [body(request(trace)) for trace in range(1, 1101)]
    with running() as parts:
        send(parts, *bodies)
        assert parts.processor.drain(START_NS) == 1100
        assert parts.processor.open_spans == 0
        assert series(parts, "ragmon_requests_total") == 1100
        assert law(parts) == (1100, 1100)


def test_a_stop_is_heard_between_two_batches() -> None:
    """A round ends after the batch under way, and the next one goes on where it stopped."""
    with running() as parts:
        send(parts, body(*map(request, range(1, 201))))
        assert parts.processor.step(START_NS + 10 * S, batches(2)) == 128
        assert law(parts) == (200, 200)
        assert parts.processor.open_spans == 72
        assert parts.processor.step(START_NS + 10 * S) == 72
        assert (parts.processor.open_spans, parts.inbox.bytes) == (0, 0)


def test_a_drain_ends_when_its_time_is_over() -> None:
    """What there is no time for stays open, and is counted as that."""
    with running() as parts:
        send(parts, body(*map(request, range(1, 201))))
        assert parts.processor.drain(START_NS, batches(1)) == 64
        assert parts.processor.open_spans == 136


def test_a_label_that_reaches_many_traces_holds_up_no_round() -> None:
    """A round settles one batch of stored traces again, and says that there are more."""
    with running() as parts:
        send(parts, body(*map(request, range(1, 101))))
        parts.processor.step(START_NS + 10 * S)
        parts.labels.post([{"query": "which way", "answerable": True}], START_NS + 11 * S)
        rounds = [parts.processor.step(START_NS + 12 * S)]
        assert (rounds, parts.processor.behind) == ([64], True)
        assert parts.processor.step(START_NS + 12 * S) == 36
        assert not parts.processor.behind
        assert parts.processor.step(START_NS + 12 * S) == 0


def test_the_store_is_not_closed_under_a_round() -> None:
    """The context of the loop ends after the round under way, however long that takes."""
    entered, go_on = Event(), Event()

    class Slow(SqliteStore):
        def touched(self, limit: int) -> list[Touch]:
            entered.set()
            go_on.wait()
            return super().touched(limit)

    with running() as parts, Slow(None) as slow:
        parts.processor._store = slow
        loop = Loop(parts.processor, parts.upkeep, lambda: START_NS, lambda: None, parts.settling)
        with loop:
            entered.wait()
            assert not loop.stop(0)
            go_on.set()
        assert not loop.alive
