"""Sends a timeline: asks the app and posts labels, each at its time."""

import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import assert_never

from ragmon.demo.labels import Label
from ragmon.demo.timeline import Ask, Post, Step

CONCURRENCY = 16
"""Most steps in flight; where the app is slower than the rate, the timeline waits."""

_log = logging.getLogger("ragmon.demo")


@dataclass(frozen=True, slots=True)
class TrafficCounts:
    """What was sent so far; a failed request is one that raised in the app."""

    asked: int = 0
    failed: int = 0


class Traffic:
    """Runs one timeline. `run` is called once; `stop` and `counts` from any thread."""

    def __init__(
        self,
        ask: Callable[[str, str], str],
        post: Callable[[Label], None],
        executor: Executor,
        clock: Callable[[], float],
        wait: Callable[[float], bool],
    ) -> None:
        """Take what the steps call.

        clock: seconds, monotonic. wait: pauses for so many seconds; True ends the run.
        """
        self._ask = ask
        self._post = post
        self._executor = executor
        self._clock = clock
        self._wait = wait
        self._free = threading.BoundedSemaphore(CONCURRENCY)
        self._lock = threading.Lock()
        self._asked = 0
        self._failed = 0

    @property
    def counts(self) -> TrafficCounts:
        """What was sent so far."""
        with self._lock:
            return TrafficCounts(self._asked, self._failed)

    def run(self, steps: Iterable[Step]) -> None:
        """Submit each step at its time; returns when all are submitted, or `wait` says so."""
        start = self._clock()
        for step in steps:
            if self._wait(max(0.0, start + step.at_s - self._clock())):
                return
            self._free.acquire()
            self._executor.submit(self._take, step)

    def _take(self, step: Step) -> None:
        try:
            self._do(step)
        finally:
            self._free.release()

    def _do(self, step: Step) -> None:
        match step:
            case Ask():
                self._ask_app(step)
            case Post():
                self._post(step.label)
            case _:
                assert_never(step)

    def _ask_app(self, step: Ask) -> None:
        failed = False
        try:
            self._ask(step.question, step.request_id)
        except Exception as error:  # noqa: BLE001 - whatever the app raises is one failed request
            failed = True
            self._report(error)
        with self._lock:
            self._asked += 1
            self._failed += failed

    def _report(self, error: Exception) -> None:
        if self.counts.failed == 0:
            _log.warning("a request failed: %s; later ones are only counted", type(error).__name__)
