"""The group commit: many senders wait, one thread writes, one sync serves them all."""

import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Self

from ragmon.errors import OverloadedError
from ragmon.model.flow import Body, Offset
from ragmon.store.protocol import Inbox

GROUP = 64
WAITING_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class _Waiting:
    body: Body
    future: Future[Offset] = field(default_factory=Future)


class InboxWriter:
    """Appends submitted bodies to an inbox, up to `GROUP` of them a transaction.

    Any thread may submit; the futures are resolved in the writer's thread. The bodies
    that wait are bounded by bytes, though one alone may be larger.
    """

    def __init__(self, inbox: Inbox, waiting_bytes: int = WAITING_BYTES) -> None:
        self._inbox = inbox
        self._limit_bytes = waiting_bytes
        self._waiting: deque[_Waiting] = deque()
        self._waiting_bytes = 0
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="ragmon-inbox", daemon=True)
        self._thread.start()

    def submit(self, body: Body) -> Future[Offset]:
        """A future of the body's offset: once it has one, the body survives a crash.

        Its exception is what `Inbox.append` raised.

        Raises:
            OverloadedError: too much is waiting, or the writer was closed.
        """
        waiting = _Waiting(body)
        waiting.future.set_running_or_notify_cancel()  # a sender that left cancels nothing
        with self._changed:
            if self._closing:
                raise OverloadedError("the receiver is shutting down")
            if self._waiting and self._waiting_bytes + len(body.content) > self._limit_bytes:
                raise OverloadedError("too many bodies wait to be written")
            self._waiting.append(waiting)
            self._waiting_bytes += len(body.content)
            self._changed.notify()
        return waiting.future

    def close(self) -> None:
        """Take nothing more, write what waits, and end; a second call does nothing."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while group := self._next_group():
            self._append(group)

    def _next_group(self) -> list[_Waiting]:
        """What waits, at most a group; empty once the writer is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            group = [self._waiting.popleft() for _ in range(min(GROUP, len(self._waiting)))]
            self._waiting_bytes -= sum(len(waiting.body.content) for waiting in group)
        return group

    def _append(self, group: list[_Waiting]) -> None:
        try:
            offsets = self._inbox.append([waiting.body for waiting in group])
        except OverloadedError as error:
            self._append_singly(group, error)
        except Exception as error:  # noqa: BLE001 - whoever waits has to hear of it
            for waiting in group:
                waiting.future.set_exception(error)
        else:
            for waiting, offset in zip(group, offsets, strict=True):
                waiting.future.set_result(offset)

    def _append_singly(self, group: list[_Waiting], error: OverloadedError) -> None:
        """Where a group does not fit, some of its bodies may."""
        if len(group) == 1:
            group[0].future.set_exception(error)
            return
        for waiting in group:
            self._append([waiting])
