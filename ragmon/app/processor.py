"""The only loop: facts in, settle, commit, then observe, then forget.

One thread calls `step` again and again. Nothing here keeps durable state, and nothing here
reads a clock.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ragmon.app.faults import where_raised
from ragmon.app.ledger import Ledger
from ragmon.assemble import Assembler
from ragmon.ingest.compression import inflate
from ragmon.ingest.request import export_request
from ragmon.ingest.split import split
from ragmon.metrics.registry import Registry
from ragmon.model.flow import (
    Draft,
    Dropped,
    DropReason,
    Entry,
    Kept,
    Part,
    Release,
    Settled,
    SpanPart,
)
from ragmon.model.result import Cause
from ragmon.settle import TraceLimits, draft, record_keys, settle
from ragmon.store.aside import SetAside
from ragmon.store.protocol import Inbox, Store

_log = logging.getLogger("ragmon.app")
_ANY_SIZE = 1 << 40  # the receiver has held it against its bound before it was acknowledged
_FATE = {True: "its spans are set aside", False: "its spans are dropped, `aside` takes no more"}


@dataclass(frozen=True, slots=True)
class ProcessorSettings:
    """Bounds of the loop. `retention_ns`: traces that ended longer ago are not stored."""

    limits: TraceLimits
    retention_ns: int
    batch_traces: int = 64
    read_entries: int = 256
    reads_per_step: int = 4


@dataclass(frozen=True, slots=True)
class _Work:
    """One trace to settle: the spans that arrived, and why it is settled."""

    trace_id: str
    spans: tuple[SpanPart, ...]
    cause: Cause
    releases: tuple[Release, ...] = ()
    failures: int = 0

    def joined(self, release: Release) -> "_Work":
        return replace(
            self,
            spans=(*self.spans, *release.spans),
            releases=(*self.releases, release),
        )


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
        self._registry = registry
        self._ledger = ledger
        self._aside = aside
        self._settings = settings
        self._stopwatch_s = stopwatch_s
        self._waiting: list[Release] = []
        self.replayed = False
        """Whether everything that the inbox held at start has been read."""

    @property
    def open_spans(self) -> int:
        """Acknowledged spans that are in no commit yet, wherever they are."""
        waiting = sum(len(release.spans) for release in self._waiting)
        return self._inbox.unread_spans + self._assembler.open_spans + waiting

    def step(self, now_ns: int) -> int:
        """One round at `now_ns`: read, release, settle, forget. Returns the traces settled.

        Raises:
            StoreUnavailableError: the store cannot commit now; nothing was forgotten.
        """
        if not self._waiting:
            clock_ns = self._read(now_ns)
            self._waiting.extend(self._assembler.due(clock_ns, self._pressure()))
        return self._settle_waiting(now_ns) + self._settle_touched(now_ns)

    def drain(self, now_ns: int) -> int:
        """Settle everything that is open, for a shutdown without an inbox."""
        self._read(now_ns)
        self._waiting.extend(self._assembler.drain())
        return self._settle_waiting(now_ns)

    def _pressure(self) -> float:
        return self._inbox.bytes / self._inbox.limit_bytes

    def _read(self, now_ns: int) -> int:
        """Move entries into the assembler; returns the time that it is for what was read.

        With entries still unread (a replay, a backlog) that is the arrival of the last one
        read, else half a trace whose other half is still unread would be taken as idle.
        """
        clock_ns = now_ns
        for _ in range(self._settings.reads_per_step):
            entries = (
                () if self._assembler.is_full else self._inbox.read(self._settings.read_entries)
            )
            for entry in entries:
                self._take(entry)
                clock_ns = entry.body.received_ns
            if len(entries) < self._settings.read_entries and not self._assembler.is_full:
                self.replayed = True
                return now_ns
        return clock_ns

    def _take(self, entry: Entry) -> None:
        parts = _parts(entry)
        self._ledger.dropped(self._assembler.add(entry.offset, parts, entry.body.received_ns))

    def _settle_waiting(self, now_ns: int) -> int:
        settled = 0
        while self._waiting:
            batch = self._next_batch()
            self._settle(list(batch.values()), now_ns)
            self._waiting = [one for one in self._waiting if one.trace_id not in batch]
            settled += len(batch)
        self._inbox.forget(self._assembler.low_water())
        return settled

    def _next_batch(self) -> dict[str, _Work]:
        """The oldest releases, several of one trace joined."""
        batch: dict[str, _Work] = {}
        for release in self._waiting:
            work = batch.get(release.trace_id)
            if work is None and len(batch) >= self._settings.batch_traces:
                continue
            empty = work or _Work(release.trace_id, (), Cause.LATE_SPAN)
            batch[release.trace_id] = empty.joined(release)
        return batch

    def _settle_touched(self, now_ns: int) -> int:
        settled = 0
        while touched := self._store.touched(self._settings.batch_traces):
            self._settle([_Work(touch.trace_id, (), touch.cause) for touch in touched], now_ns)
            settled += len(touched)
        return settled

    def _settle(self, works: Sequence[_Work], now_ns: int) -> None:
        """Settle a batch; a trace whose facts moved meanwhile is loaded and settled again."""
        started_s = self._stopwatch_s()
        pending = {work.trace_id: work for work in works}
        while pending:
            computed = list(self._compute(pending, now_ns))
            fresh, conflicts = self._store.commit([one for _, one in computed], now_ns)
            again = {conflict.trace_id for conflict in conflicts}
            committed = [pair for pair in computed if pair[0].trace_id not in again]
            self._ledger.observe(fresh)
            for work, settled in committed:
                self._ledger.committed(settled.draft, work.releases, now_ns)
                self._assembler.done(work.releases)
                del pending[work.trace_id]
        self._ledger.settle_duration(self._stopwatch_s() - started_s)

    def _compute(self, pending: dict[str, _Work], now_ns: int) -> Iterator[tuple[_Work, Settled]]:
        drafts = list(self._drafts(pending, now_ns))
        keys = frozenset(key for _, one in drafts for key in record_keys(one))
        known = self._store.known(keys)
        for work, one in drafts:
            try:
                yield work, settle(one, known, self._registry, work.cause)
            except Exception as error:  # noqa: BLE001 (one trace may not cost the others)
                self._failed(pending, work, where_raised(error))

    def _drafts(self, pending: dict[str, _Work], now_ns: int) -> Iterator[tuple[_Work, Draft]]:
        kept = self._store.load(tuple(pending))
        oldest_ns = now_ns - self._settings.retention_ns
        for work in tuple(pending.values()):
            one = kept.get(work.trace_id) or Kept(work.trace_id)
            try:
                yield work, draft(one, work.spans, self._settings.limits, oldest_ns)
            except Exception as error:  # noqa: BLE001 (one trace may not cost the others)
                self._failed(pending, work, where_raised(error))

    def _failed(self, pending: dict[str, _Work], work: _Work, what: str) -> None:
        """Try a trace once more; then set it aside and let the mark move on."""
        self._ledger.error()
        if not work.failures:
            pending[work.trace_id] = replace(work, failures=1)
            return
        kept = self._set_aside(work)
        _log.error("trace %s could not be settled (%s); %s", work.trace_id, what, _FATE[kept])
        self._store.untouch((work.trace_id,))
        self._ledger.dropped((Dropped(DropReason.FAILED, len(work.spans)),))
        self._assembler.done(work.releases)
        del pending[work.trace_id]

    def _set_aside(self, work: _Work) -> bool:
        try:
            return self._aside.put(work.trace_id, export_request(work.spans))
        except Exception:  # noqa: BLE001 (spans that cannot be decoded cannot be written either)
            return False


def _parts(entry: Entry) -> tuple[Part, ...]:
    body = entry.body
    if body.parts is not None:
        return body.parts
    content = inflate(body.content, body.encoding, _ANY_SIZE)
    return split(content, body.media_type, body.received_ns).parts
