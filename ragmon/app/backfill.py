"""Files into the store: requests of the past, at their own time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ragmon.app.upkeep import roll_up_minute
from ragmon.app.wiring import load_metrics, opened_store, trace_limits
from ragmon.config import Config
from ragmon.metrics.registry import Registry
from ragmon.model.corpus import Wanted
from ragmon.model.flow import Draft, Known, Release
from ragmon.model.gold import GoldLabel
from ragmon.model.result import Cause, RequestKey
from ragmon.settle import TraceLimits, draft, record_keys, settle, wanted
from ragmon.store.sqlite import SqliteStore
from ragmon.text.hashing import TokenHasher

_BATCH = 64
_NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Backfilled:
    """How many traces were settled, and how many requests they held."""

    traces: int
    requests: int


def backfill(
    config: Config,
    releases: Sequence[Release],
    labels: Sequence[GoldLabel],
    now_ns: int,
) -> Backfilled:
    """Settle traces into the store of `config`; no counter moves for them, now or later.

    Traces past retention are passed over.

    Raises:
        StoreLockedError: another process holds the store; the message names it.
    """
    registry = load_metrics(config)
    oldest_ns = now_ns - int(config.store.retention_s * _NANOSECONDS)
    with opened_store(config) as (store, hasher):
        past = _Past(store, registry, trace_limits(config), hasher, now_ns)
        if labels:
            store.put_labels(labels, now_ns)
        drafts = [one for batch in _batches(releases) for one in past.settle_new(batch, oldest_ns)]
        past.settle_touched()
        _roll_up(store)
    kept = [len(one.records) for one in drafts if not one.expired]
    return Backfilled(len(kept), sum(kept))


@dataclass(frozen=True, slots=True)
class _Past:
    """Settles traces into a store of which nothing is to be counted."""

    store: SqliteStore
    registry: Registry
    limits: TraceLimits
    hasher: TokenHasher | None
    now_ns: int

    def settle_new(self, releases: Sequence[Release], oldest_ns: int) -> list[Draft]:
        kept = self.store.load([release.trace_id for release in releases])
        drafts = [
            draft(kept[release.trace_id], release.spans, self.limits, oldest_ns, self.hasher)
            for release in releases
        ]
        self._commit(drafts, Cause.LATE_SPAN)
        return drafts

    def settle_touched(self) -> None:
        """Traces that were stored before and that a label or a document reached."""
        while touched := self.store.touched(_BATCH):
            kept = self.store.load([touch.trace_id for touch in touched])
            drafts = [
                draft(kept[touch.trace_id], (), self.limits, hasher=self.hasher)
                for touch in touched
            ]
            self._commit(drafts, Cause.LABEL)

    def _commit(self, drafts: Sequence[Draft], cause: Cause) -> None:
        known = self._known(drafts)
        settled = [settle(one, known, self.registry, cause, self.hasher) for one in drafts]
        self.store.commit(settled, self.now_ns, silent=True)

    def _known(self, drafts: Sequence[Draft]) -> Known:
        known = self.store.known({key for one in drafts for key in record_keys(one, self.hasher)})
        needed: dict[RequestKey, Wanted] = {}
        for one in drafts:
            needed.update(wanted(one, known, self.hasher))
        sources, read = self.store.sources(needed)
        return replace(known, sources=sources, corpus_read=read)


def _roll_up(store: SqliteStore) -> None:
    while dirty := store.dirty_minutes(_BATCH):
        for minute in dirty:
            roll_up_minute(store, minute)


def _batches(releases: Sequence[Release]) -> Iterator[list[Release]]:
    rest = iter(releases)
    while batch := list(islice(rest, _BATCH)):
        yield batch
