"""The threads that send canaries: one for each, with one request under way at most."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from types import TracebackType
from typing import Self

import httpx

from ragmon.model.canary import Ending
from ragmon.probe.marker import TraceContext, new_context
from ragmon.probe.schedule import Schedule
from ragmon.probe.send import send
from ragmon.probe.template import RequestTemplate

_log = logging.getLogger("ragmon.probe")
_LONGEST_STOP_S = 2.0


@dataclass(frozen=True, slots=True)
class Canary:
    """A gold set on its way. queries: those of the set, in the order in which they are sent."""

    name: str
    template: RequestTemplate
    queries: Sequence[str]
    every_s: float
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Sent:
    """What a prober does with each request.

    begin: before it is sent (canary, query, its trace); what it raises puts the request off.
    end: when it has ended. failed: an unexpected error was caught.
    """

    begin: Callable[[Canary, str, TraceContext], None]
    end: Callable[[Canary, Ending], None]
    failed: Callable[[], None]


class Prober:
    """Sends every canary on its schedule while its context lasts."""

    def __init__(self, canaries: Sequence[Canary], sent: Sent) -> None:
        self._sent = sent
        self._stop = threading.Event()
        self._put_off: set[str] = set()
        self._threads = [
            threading.Thread(target=self._run, args=(one,), name=f"canary-{one.name}", daemon=True)
            for one in canaries
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        deadline_s = time.monotonic() + _LONGEST_STOP_S
        for thread in self._threads:
            thread.join(max(0.0, deadline_s - time.monotonic()))

    def _run(self, canary: Canary) -> None:
        schedule = Schedule(len(canary.queries), canary.every_s, time.monotonic())
        queries = cycle(canary.queries)  # in order, however many turns a slow answer takes
        last: Ending | None = None
        turn = 0
        with httpx.Client(timeout=canary.timeout_s, follow_redirects=False) as client:
            while not self._stop.wait(schedule.due_s(turn) - time.monotonic()):
                ending = self._ask(client, canary, next(queries))
                _tell(canary, last, ending)
                last = ending or last
                turn = max(turn + 1, schedule.turn(time.monotonic()))

    def _ask(self, client: httpx.Client, canary: Canary, query: str) -> Ending | None:
        """Send one query; how it ended, None where it was put off."""
        context = new_context()
        try:
            self._sent.begin(canary, query, context)
            deadline_s = time.monotonic() + canary.timeout_s
            request = canary.template.fill(query)
            ending = send(client, request, context, canary.name, deadline_s)
            self._sent.end(canary, ending)
        except Exception as error:  # noqa: BLE001 (a canary may cost nothing else)
            if canary.name not in self._put_off:
                _log.error("canary %s is not sent (%s)", canary.name, type(error).__name__)
            self._put_off.add(canary.name)
            self._sent.failed()
            return None
        self._put_off.discard(canary.name)
        return ending


def _tell(canary: Canary, last: Ending | None, ending: Ending | None) -> None:
    """Log a change for the worse or the better, once."""
    if ending is None or ending is last:
        return
    if ending is Ending.OK:
        _log.info("canary %s is answered", canary.name)
    else:
        _log.warning("canary %s is not answered: %s", canary.name, ending)
