"""Posting labels and feedback from the application: a bounded queue, and a thread for each."""

import atexit
import logging
import os
import threading
from collections import deque
from collections.abc import Mapping
from typing import Final, NamedTuple

_log = logging.getLogger("ragmon.capture")
_MOST_BYTES: Final = 8 << 20
_BATCH_LABELS: Final = 1_000
_BATCH_BYTES: Final = 1 << 20
_TIMEOUT_S: Final = 5.0
_EXIT_S: Final = 5.0
_TRIES: Final = 7
_LONGEST_WAIT_S: Final = 30.0
_LATER: Final = frozenset((429, 503))
_TAKEN: Final = frozenset((200, 207, 400))


class _Target(NamedTuple):
    """Where labels go; `url` None is nowhere."""

    url: str | None
    headers: Mapping[str, str]


class _Reply(NamedTuple):
    """What a post was answered with; status 0 is no answer."""

    status: int
    retry_after_s: float | None = None
    refused: int = 0


class Poster:
    """Posts labels in the background. Any thread may call it; no call but `drain` waits.

    noun: what it posts, in the words of its warnings.
    """

    def __init__(self, noun: str = "labels") -> None:
        self._noun = noun
        self._target = _Target(None, {})
        self._warned: set[str] = set()
        self._registered = False
        self.dropped = 0
        """Labels that were not delivered, or that the processor refused."""
        self._start_anew()

    def _start_anew(self) -> None:
        """Without a thread and with nothing queued, as in a child that was just forked."""
        self._changed = threading.Condition()
        self._queued: deque[bytes] = deque()
        self._queued_bytes = 0
        self._sending = False
        self._hurry = False
        self._down = False
        self._thread: threading.Thread | None = None

    def aim(self, url: str | None, headers: Mapping[str, str]) -> None:
        """Say where labels go from now on."""
        self._target = _Target(url, dict(headers))

    def put(self, content: bytes) -> None:
        """Queue a label, as JSON; it is dropped where there is no room or no endpoint."""
        with self._changed:
            if self._target.url is None:
                self._drop(1, f"no endpoint for {self._noun} is configured")
            elif self._queued_bytes + len(content) > _MOST_BYTES:
                self._drop(1, f"more than {_MOST_BYTES >> 20} MiB of {self._noun} wait to be sent")
            else:
                self._queued.append(content)
                self._queued_bytes += len(content)
                self._run_thread()
                self._changed.notify_all()

    def drain(self, timeout_s: float) -> bool:
        """Send what is queued, waiting at most this long; whether nothing is left."""
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            return self._changed.wait_for(self._is_empty, timeout_s)

    def _is_empty(self) -> bool:
        return not self._queued and not self._sending

    def _run_thread(self) -> None:
        if self._thread is not None:
            return
        if not self._registered:
            self._registered = True
            atexit.register(self._at_exit)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._start_anew)
        self._thread = threading.Thread(target=self._run, name=f"ragmon-{self._noun}", daemon=True)
        self._thread.start()

    def _at_exit(self) -> None:
        """A normal exit sends the last labels, unless nothing answers anyway."""
        if not self._down:
            self.drain(_EXIT_S)

    def _run(self) -> None:
        while True:
            batch = self._take()
            try:
                self._deliver(batch)
            except Exception as fault:  # noqa: BLE001 -- the thread must outlive every fault
                self._lose(len(batch), f"{type(fault).__qualname__} while sending {self._noun}")
            with self._changed:
                self._sending = False
                self._changed.notify_all()

    def _take(self) -> list[bytes]:
        """The next batch, once there is one."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._queued))
            self._sending = True
            batch: list[bytes] = []
            size = 0
            while self._queued and len(batch) < _BATCH_LABELS and size < _BATCH_BYTES:
                size += len(self._queued[0])
                batch.append(self._queued.popleft())
            self._queued_bytes -= size
            return batch

    def _deliver(self, batch: list[bytes]) -> None:
        """Post a batch until it is answered, up to a bound."""
        content = b"\n".join(batch)
        reply = self._try(content)
        for attempt in range(_TRIES - 1):
            if reply.status and reply.status not in _LATER:
                break
            self._pause(reply.retry_after_s or 2.0**attempt)
            reply = self._try(content)
        if reply.status not in _TAKEN:
            answer = reply.status or "no answer"
            self._lose(len(batch), f"{self._noun} cannot be sent (HTTP {answer})")
        elif reply.refused:
            self._lose(reply.refused, f"the processor refused {self._noun} as faulty")

    def _try(self, content: bytes) -> _Reply:
        url, headers = self._target
        reply = _Reply(0) if url is None else _post(url, headers, content)
        self._down = reply.status == 0
        return reply

    def _pause(self, seconds: float) -> None:
        """Wait before another try; `drain` makes it short."""
        with self._changed:
            self._changed.wait_for(lambda: self._hurry, min(seconds, _LONGEST_WAIT_S))
            self._hurry = False

    def _lose(self, labels: int, why: str) -> None:
        with self._changed:
            self._drop(labels, why)

    def _drop(self, labels: int, why: str) -> None:
        """Count lost labels, and say each reason once."""
        self.dropped += labels
        if why not in self._warned:
            self._warned.add(why)
            _log.warning("%s; dropped (%s), and this is said only once", why, self._noun)


def _post(url: str, headers: Mapping[str, str], content: bytes) -> _Reply:
    # Loaded here, in the thread: applications that post no labels do not pay for it.
    from http.client import HTTPException  # noqa: PLC0415
    from urllib.error import HTTPError  # noqa: PLC0415
    from urllib.request import Request, urlopen  # noqa: PLC0415

    named = {**headers, "Content-Type": "application/x-ndjson"}
    request = Request(url, content, named, method="POST")  # noqa: S310 -- `find_labels` checks it
    try:
        with urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310 -- as above
            return _Reply(answer.status, refused=_refused(answer.read()))
    except HTTPError as error:
        with error:
            return _Reply(
                error.code, _seconds(error.headers["retry-after"]), _refused(error.read())
            )
    except (OSError, HTTPException):
        return _Reply(0)


def _seconds(written: str | None) -> float | None:
    try:
        return float(written or "")
    except ValueError:
        return None


def _refused(answer: bytes) -> int:
    """How many labels of a body that was taken were not."""
    import json  # noqa: PLC0415 -- in the thread, as above

    try:
        return int(json.loads(answer)["rejected"])
    except (ValueError, KeyError, TypeError):
        return 0


poster: Final = Poster()
"""The one that `ragmon.label` posts with."""
feedback_poster: Final = Poster("feedback")
"""The one that `ragmon.feedback` posts with."""
