"""The writer appends what many senders submit, in groups, and tells each of them."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future

import pytest

from ragmon.errors import OverloadedError, StoreUnavailableError
from ragmon.model.flow import Body, Offset
from ragmon.store.inbox import MemoryInbox
from ragmon.store.writer import GROUP, InboxWriter

WAIT_S = 10


def body(size: int = 10) -> Body:
    return Body(1, "application/json", "", b"x" * size, 1)


class GatedInbox(MemoryInbox):
    """An inbox whose appends wait for a gate, and that remembers their sizes."""

    def __init__(self, limit_bytes: int = 1 << 20) -> None:
        super().__init__(limit_bytes)
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.groups: list[int] = []
        self.failure: Exception | None = None

    def append(self, bodies: Sequence[Body]) -> list[Offset]:
        self.entered.set()
        assert self.gate.wait(WAIT_S)
        self.groups.append(len(bodies))
        if self.failure:
            raise self.failure
        return super().append(bodies)


def test_a_future_gives_the_offset() -> None:
    """In the order in which bodies were submitted."""
    with InboxWriter(MemoryInbox(1 << 20)) as writer:
        futures = [writer.submit(body()) for _ in range(5)]
        assert [1, 2, 3, 4, 5] == [future.result(WAIT_S) for future in futures]


def test_what_waits_is_written_together() -> None:
    """Bodies that come while one transaction runs share the next, up to a group."""
    inbox = GatedInbox()
    with InboxWriter(inbox) as writer:
        writer.submit(body())
        assert inbox.entered.wait(WAIT_S)
        for _ in range(GROUP + 3):
            writer.submit(body())
        inbox.gate.set()
    assert [1, GROUP, 3] == inbox.groups


def test_close_writes_what_waits() -> None:
    """Nothing that was submitted is left without an answer."""
    inbox = GatedInbox()
    writer = InboxWriter(inbox)
    futures = [writer.submit(body()) for _ in range(3)]
    inbox.gate.set()
    writer.close()
    assert [1, 2, 3] == [future.result(0) for future in futures]
    with pytest.raises(OverloadedError, match="shutting down"):
        writer.submit(body())
    writer.close()


def test_of_a_group_that_does_not_fit_some_bodies_may() -> None:
    """One large body does not turn the small ones away."""
    inbox = GatedInbox(limit_bytes=100)
    with InboxWriter(inbox) as writer:
        writer.submit(body())
        assert inbox.entered.wait(WAIT_S)
        futures = [writer.submit(body(size)) for size in (20, 200, 30)]
        inbox.gate.set()
    outcomes = [type(future.exception(0)) for future in futures]
    assert [type(None), OverloadedError, type(None)] == outcomes


def test_what_waits_is_bounded() -> None:
    """Beyond the bound a submit is refused at once; one body alone may be larger."""
    inbox = GatedInbox()
    with InboxWriter(inbox, waiting_bytes=100) as writer:
        writer.submit(body())
        assert inbox.entered.wait(WAIT_S)
        writer.submit(body(500))
        with pytest.raises(OverloadedError, match="too many"):
            writer.submit(body(1))
        inbox.gate.set()


def test_a_failed_append_is_told_and_survived() -> None:
    """Every sender of the group hears why, and the next group is written."""
    inbox = GatedInbox()
    inbox.gate.set()
    inbox.failure = StoreUnavailableError("no room")
    with InboxWriter(inbox) as writer:
        assert isinstance(writer.submit(body()).exception(WAIT_S), StoreUnavailableError)
        inbox.failure = None
        assert 1 == writer.submit(body()).result(WAIT_S)


def test_a_sender_that_left_does_not_stop_the_writer() -> None:
    """A future cannot be cancelled, so its answer always has a place."""
    inbox = GatedInbox()
    with InboxWriter(inbox) as writer:
        future: Future[Offset] = writer.submit(body())
        assert not future.cancel()
        inbox.gate.set()
        assert 1 == future.result(WAIT_S)
