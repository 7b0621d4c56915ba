"""Traces through settle into the store: commit, then observe; one that fails costs no other."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ragmon.app.faults import where_raised
from ragmon.app.ledger import Ledger
from ragmon.errors import StoreUnavailableError
from ragmon.ingest.request import export_request
from ragmon.metrics.registry import Registry
from ragmon.model.corpus import Wanted
from ragmon.model.flow import (
    Draft,
    Dropped,
    DropReason,
    Kept,
    Known,
    Release,
    Settled,
    SpanPart,
)
from ragmon.model.result import Cause, RequestKey
from ragmon.settle import TraceLimits, draft, record_keys, settle, wanted
from ragmon.store.aside import SetAside
from ragmon.store.protocol import Store
from ragmon.text.hashing import TokenHasher

_log = logging.getLogger("ragmon.app")


@dataclass(frozen=True, slots=True)
class Work:
    """One trace to settle: the spans that arrived, and why it is settled."""

    trace_id: str
    spans: tuple[SpanPart, ...]
    cause: Cause
    releases: tuple[Release, ...] = ()
    failures: int = 0

    def joined(self, release: Release) -> "Work":
        """The same trace with one more release."""
        return replace(
            self, spans=(*self.spans, *release.spans), releases=(*self.releases, release)
        )


class Settler:
    """Settles batches of traces. One caller at a time.

    done: called once for each work, after its commit or after it was set aside.
    stopwatch_s: a clock that never goes back, for how long settling takes. hasher: by which
    the store knows queries and the corpus, None where by their words.
    """

    def __init__(
        self,
        store: Store,
        registry: Registry,
        ledger: Ledger,
        aside: SetAside,
        limits: TraceLimits,
        retention_ns: int,
        stopwatch_s: Callable[[], float],
        done: Callable[[Work], None],
        hasher: TokenHasher | None = None,
    ) -> None:
        self._store = store
        self._registry = registry
        self._ledger = ledger
        self._aside = aside
        self._limits = limits
        self._retention_ns = retention_ns
        self._stopwatch_s = stopwatch_s
        self._done = done
        self._hasher = hasher
        self._refused = store.corpus_refused

    def settle(self, works: Sequence[Work], now_ns: int) -> None:
        """Settle a batch together; where that raises, one by one.

        Raises:
            StoreUnavailableError: the store cannot commit now; what is not `done` is as it was.
        """
        started_s = self._stopwatch_s()
        pending = {work.trace_id: work for work in works}
        together = True
        while pending:
            portion = pending if together else dict(islice(pending.items(), 1))
            try:
                self._commit(portion, pending, now_ns)
            except StoreUnavailableError:
                raise
            except Exception as error:  # noqa: BLE001 (one trace may not cost the others)
                if not together:
                    self._failed(pending, next(iter(portion.values())), error)
                together = False
        self._ledger.settle_duration(self._stopwatch_s() - started_s)

    def _commit(self, portion: dict[str, Work], pending: dict[str, Work], now_ns: int) -> None:
        """Settle a portion of what is pending; a trace whose facts moved meanwhile stays."""
        computed = list(self._compute(portion, pending, now_ns))
        fresh, conflicts = self._store.commit([settled for _, settled in computed], now_ns)
        again = {conflict.trace_id for conflict in conflicts}
        new = {one.key for one in fresh if one.first}
        self._ledger.observe(fresh)
        self._tell_refused()
        for work, settled in computed:
            if work.trace_id not in again:
                self._ledger.committed(settled.draft, work.releases, now_ns)
                self._ledger.clock_faults(settled.draft, new)
                del pending[work.trace_id]
                self._done(work)

    def _tell_refused(self) -> None:
        """Count the documents that the corpus had no room for, and say so once."""
        refused = self._store.corpus_refused
        if refused == self._refused:
            return
        if not self._refused:
            _log.error("the corpus is full; raise store.corpus_bytes to register more documents")
        self._ledger.corpus_refused(refused - self._refused)
        self._refused = refused

    def _compute(
        self, portion: dict[str, Work], pending: dict[str, Work], now_ns: int
    ) -> Iterator[tuple[Work, Settled]]:
        drafts = list(self._drafts(portion, pending, now_ns))
        known = self._known([one for _, one in drafts])
        for work, one in drafts:
            try:
                yield work, settle(one, known, self._registry, _cause(work, one), self._hasher)
            except Exception as error:  # noqa: BLE001 (one trace may not cost the others)
                self._failed(pending, work, error)

    def _known(self, drafts: Sequence[Draft]) -> Known:
        """The labels under the match keys of the drafts, and what their requests read."""
        keys = frozenset(key for one in drafts for key in record_keys(one, self._hasher))
        known = self._store.known(keys)
        needed: dict[RequestKey, Wanted] = {}
        for one in drafts:
            needed.update(wanted(one, known, self._hasher))
        sources, read = self._store.sources(needed)
        return replace(known, sources=sources, corpus_read=read)

    def _drafts(
        self, portion: dict[str, Work], pending: dict[str, Work], now_ns: int
    ) -> Iterator[tuple[Work, Draft]]:
        kept = self._store.load(tuple(portion))
        oldest_ns = now_ns - self._retention_ns
        for work in tuple(portion.values()):
            one = kept.get(work.trace_id) or Kept(work.trace_id)
            try:
                yield work, draft(one, work.spans, self._limits, oldest_ns, self._hasher)
            except Exception as error:  # noqa: BLE001 (one trace may not cost the others)
                self._failed(pending, work, error)

    def _failed(self, pending: dict[str, Work], work: Work, error: Exception) -> None:
        """Try a trace once more; then set it aside and let the mark move on."""
        self._ledger.error()
        if not work.failures:
            pending[work.trace_id] = replace(work, failures=1)
            return
        fate, what = self._fate(work), where_raised(error)
        _log.error("trace %s could not be settled (%s); %s", work.trace_id, what, fate)
        self._store.untouch((work.trace_id,))
        self._ledger.dropped((Dropped(DropReason.FAILED, len(work.spans)),))
        del pending[work.trace_id]
        self._done(work)

    def _fate(self, work: Work) -> str:
        """Set aside the spans that arrived, if any did; returns what became of them."""
        if not work.spans:
            return "its results stay as they are"
        try:
            kept = self._aside.put(work.trace_id, export_request(work.spans))
        except Exception:  # noqa: BLE001 (spans that cannot be decoded cannot be written either)
            kept = False
        return "its spans are set aside" if kept else "its spans are dropped"


def _cause(work: Work, one: Draft) -> Cause:
    """Why values change: spans that all were known change none, a label beside them may."""
    if one.settled or not work.releases:
        return work.cause
    return one.kept.touched or Cause.VERSION
