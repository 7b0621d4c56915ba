"""The only loop: facts in, settle, commit, then observe, then forget.

One thread calls `step` again and again. Nothing here keeps durable state, and nothing here
reads a clock.
"""

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import islice

from ragmon.app.faults import where_raised
from ragmon.app.ledger import Ledger
from ragmon.app.settling import Settler, Work
from ragmon.assemble import Assembler
from ragmon.errors import MalformedError
from ragmon.ingest.compression import inflate
from ragmon.ingest.removal import without
from ragmon.ingest.split import split
from ragmon.metrics.registry import Registry
from ragmon.model.flow import Dropped, DropReason, Entry, Part, Release, SpanPart
from ragmon.model.result import Cause
from ragmon.settle import TraceLimits
from ragmon.store.aside import SetAside
from ragmon.store.protocol import Inbox, Store
from ragmon.text.hashing import TokenHasher

_log = logging.getLogger("ragmon.app")
_ANY_SIZE = 1 << 40  # the receiver has held it against its bound before it was acknowledged


def _always() -> bool:
    return True


def _none(_spans: Iterable[SpanPart], _now_ns: int) -> None:
    """Nobody reads annotations."""


@dataclass(frozen=True, slots=True)
class ProcessorSettings:
    """Bounds of the loop. `retention_ns`: traces that ended longer ago are not stored.

    hasher: by which the store knows queries and the corpus, None where by their words.
    read_annotations: called with spans and the time before they are settled, again after a crash.
    """

    limits: TraceLimits
    retention_ns: int
    hasher: TokenHasher | None = None
    read_annotations: Callable[[Iterable[SpanPart], int], None] = _none
    batch_traces: int = 64
    entries_per_step: int = 1024


class Processor:
    """Moves facts from the inbox through settle into the store. One caller at a time.

    stopwatch_s: a clock that never goes back, for how long settling takes.
    """

    def __init__(
        self,
        inbox: Inbox,
        store: Store,
        assembler: Assembler,
        registry: Registry,
        ledger: Ledger,
        aside: SetAside,
        settings: ProcessorSettings,
        stopwatch_s: Callable[[], float],
    ) -> None:
        self._inbox = inbox
        self._store = store
        self._assembler = assembler
        self._ledger = ledger
        self._aside = aside
        self._settings = settings
        self._clock_ns = 0
        self._waiting: dict[str, Work] = {}
        self._waiting_spans = 0
        self._settler = Settler(
            store,
            registry,
            ledger,
            aside,
            settings.limits,
            settings.retention_ns,
            stopwatch_s,
            self._done,
            settings.hasher,
        )
        self.replayed = False
        """Whether everything that the inbox held at start has been read."""
        self.behind = False
        """Whether the last round left stored traces that are to be settled again."""

    @property
    def open_spans(self) -> int:
        """Acknowledged spans that are in no commit yet, wherever they are."""
        return self._inbox.unread_spans + self._assembler.open_spans + self._waiting_spans

    def holds(self, trace_id: str) -> bool:
        """Whether spans of a trace may wait to be settled; bodies not yet read hold any."""
        unread = self._inbox.unread_spans > 0
        return unread or trace_id in self._waiting or self._assembler.holds(trace_id)

    def open_traces(self) -> dict[str, tuple[SpanPart, ...]]:
        """The spans of every trace that was read and waits to be whole, or to be settled."""
        found = self._assembler.spans()
        for trace_id, work in self._waiting.items():
            found[trace_id] = (*work.spans, *found.get(trace_id, ()))
        return found

    def take_in(self, now_ns: int) -> bool:
        """Read what came, as much as open traces may take; whether that was all of it."""
        while self._inbox.unread_spans:
            if self._assembler.is_full:
                return False
            self._read(now_ns)
        return True

    def erase(self, trace_ids: Collection[str]) -> int:
        """Take traces out of the inbox and of all that is open; how many bodies were rewritten.

        Their spans count as expired, as whatever else comes of a trace that is gone.
        """
        dropped = self._assembler.remove(trace_ids)
        for trace_id in [one for one in trace_ids if one in self._waiting]:
            dropped += len(self._waiting[trace_id].spans)
            self._done(self._waiting[trace_id])
        rewritten = self._inbox.rewrite(lambda body: without(body, trace_ids))
        dropped += rewritten.unread_spans
        self._ledger.dropped((Dropped(DropReason.EXPIRED, dropped),))
        return rewritten.bodies

    def step(self, now_ns: int, may_go_on: Callable[[], bool] = _always) -> int:
        """One round at `now_ns`: read, release, settle, forget. Returns the traces settled.

        may_go_on: asked between batches; once it says no, the rest is left for later.

        Raises:
            StoreUnavailableError: the store cannot commit now; nothing was forgotten.
        """
        if not self._waiting:
            self._read(now_ns)
            self._wait(self._assembler.due(self._clock_ns))
        settled = self._settle_waiting(now_ns, may_go_on)
        return settled + (self._settle_touched(now_ns) if may_go_on() else 0)

    def drain(self, now_ns: int, may_go_on: Callable[[], bool] = _always) -> int:
        """Settle all that was acknowledged, for a shutdown without a durable inbox.

        may_go_on: asked between batches; once it says no, the rest stays open.
        Returns the traces settled.
        """
        settled = 0
        while True:
            self.take_in(now_ns)
            self._wait(self._assembler.drain())
            settled += self._settle_waiting(now_ns, may_go_on)
            if not self._inbox.unread_spans or not may_go_on():
                return settled

    def _read(self, now_ns: int) -> None:
        """Move entries into the assembler, and the time that it is for what was read.

        With entries still unread (a replay, a backlog) that is the latest arrival among
        those read, else half a trace whose other half is still unread would be taken as idle.
        """
        self._assembler.follow_clock(now_ns)
        self._clock_ns = min(self._clock_ns, now_ns)
        for _ in range(self._settings.entries_per_step):
            if self._assembler.is_full:
                return
            # One at a time: a body of a few kilobytes may hold megabytes of spans.
            entries = self._inbox.read(1)
            if not entries:
                self.replayed = True
                self._clock_ns = now_ns
                return
            self._clock_ns = max(self._clock_ns, self._take(entries[0], now_ns))

    def _take(self, entry: Entry, now_ns: int) -> int:
        """Hand one entry to the assembler; returns the time of its arrival.

        A body that cannot be read costs no other. An arrival after now is one before the
        clock was set back.
        """
        received_ns = min(entry.body.received_ns, now_ns)
        try:
            parts = _parts(entry)
        except Exception as error:  # noqa: BLE001 (one body may not cost the others)
            parts = ()
            self._unreadable(entry, error)
        refused = self._assembler.add(entry.offset, parts, received_ns, entry.stored_bytes)
        self._ledger.dropped(refused)
        return received_ns

    def _unreadable(self, entry: Entry, error: Exception) -> None:
        """Count the spans of a damaged body as failed, and keep its bytes for whoever looks."""
        fate = "it is set aside" if self._set_aside(entry) else "it is dropped"
        _log.error(
            "body %d of the inbox cannot be read (%s); %s", entry.offset, where_raised(error), fate
        )
        self._ledger.error()
        self._ledger.dropped((Dropped(DropReason.FAILED, entry.body.span_count),))

    def _set_aside(self, entry: Entry) -> bool:
        try:
            name = f"body-{entry.body.received_ns}-{entry.offset}"
            return self._aside.put(name, entry.body.content)
        except Exception:  # noqa: BLE001 (the cursor is past it: the entries behind it go on)
            return False

    def _wait(self, releases: tuple[Release, ...]) -> None:
        """Line releases up to be settled, several of one trace joined."""
        for release in releases:
            work = self._waiting.get(release.trace_id)
            empty = work or Work(release.trace_id, (), Cause.LATE_SPAN)
            self._waiting[release.trace_id] = empty.joined(release)
            self._waiting_spans += len(release.spans)

    def _settle_waiting(self, now_ns: int, may_go_on: Callable[[], bool]) -> int:
        settled = 0
        while self._waiting and may_go_on():
            batch = list(islice(self._waiting.values(), self._settings.batch_traces))
            spans = (span for work in batch for span in work.spans)
            self._settings.read_annotations(spans, now_ns)
            self._settler.settle(batch, now_ns)
            settled += len(batch)
        self._inbox.forget(self._assembler.low_water())
        return settled

    def _done(self, work: Work) -> None:
        self._assembler.done(work.releases)
        if work.releases:
            del self._waiting[work.trace_id]
            self._waiting_spans -= len(work.spans)

    def _settle_touched(self, now_ns: int) -> int:
        """Settle one batch of stored traces again; a label may reach any number of them."""
        touched = self._store.touched(self._settings.batch_traces)
        self.behind = len(touched) == self._settings.batch_traces
        if touched:
            works = [Work(touch.trace_id, (), touch.cause) for touch in touched]
            self._settler.settle(works, now_ns)
        return len(touched)


def _parts(entry: Entry) -> tuple[Part, ...]:
    body = entry.body
    if not body.media_type:
        raise MalformedError("the inbox could not unpack it")
    if body.parts is not None:
        return body.parts
    content = inflate(body.content, body.encoding, _ANY_SIZE)
    return split(content, body.media_type, body.received_ns).parts
