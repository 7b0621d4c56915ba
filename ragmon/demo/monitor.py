"""The processor as the demo sees it: is it there, and what does it measure."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from ragmon.demo.reading import Reading, between, last_hour
from ragmon.demo.scrape import Snapshot, read_snapshot

_MINUTE_S = 60.0
_SCRAPES = 120
_TIMEOUT_S = 5.0
_PLAIN_TEXT = {"Accept": "text/plain; version=0.0.4"}


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the processor; `problem` says why there are no readings."""

    settled: float = 0.0
    last_minute: Reading | None = None
    last_hour: Reading | None = None
    problem: str | None = None


class Monitor:
    """Scrapes one pipeline's numbers. One caller at a time; keeps a minute of scrapes."""

    def __init__(self, client: httpx.Client, pipeline: str, clock: Callable[[], float]) -> None:
        self._client = client
        self._pipeline = pipeline
        self._clock = clock
        self._scrapes: deque[tuple[float, Snapshot]] = deque(maxlen=_SCRAPES)
        self._at_start: float | None = None

    @classmethod
    def of(cls, views: str, pipeline: str, clock: Callable[[], float]) -> "Monitor":
        """A monitor of the processor whose views are at this address."""
        return cls(httpx.Client(base_url=views, timeout=_TIMEOUT_S), pipeline, clock)

    def look(self) -> Look:
        """Scrape once."""
        try:
            reply = self._client.get("/metrics", headers=_PLAIN_TEXT)
            reply.raise_for_status()
            snapshot = read_snapshot(reply.text, self._pipeline)
        except httpx.HTTPError as error:
            return Look(problem=f"no answer from {self._client.base_url}: {type(error).__name__}")
        except ValueError:
            return Look(problem=f"{self._client.base_url} does not answer in Prometheus's format")
        return self._take(snapshot)

    def _take(self, snapshot: Snapshot) -> Look:
        now = self._clock()
        if self._scrapes and snapshot.requests < self._scrapes[-1][1].requests:
            self._restarted()
        self._scrapes.append((now, snapshot))
        while len(self._scrapes) > 1 and self._scrapes[1][0] <= now - _MINUTE_S:
            self._scrapes.popleft()
        if self._at_start is None:
            self._at_start = snapshot.requests
        return Look(
            settled=snapshot.requests - self._at_start,
            last_minute=between(self._scrapes[0][1], snapshot),
            last_hour=last_hour(snapshot),
        )

    def _restarted(self) -> None:
        """Begin again: a new process counts from zero."""
        self._scrapes.clear()
        self._at_start = 0.0


def answers(url: str) -> bool:
    """Whether anything speaks HTTP at an address."""
    try:
        httpx.get(url, timeout=_TIMEOUT_S)
    except httpx.HTTPError:
        return False
    return True
