"""Files into the store: requests of the past, at their own time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ragmon.app.upkeep import roll_up_minute
from ragmon.app.wiring import load_metrics, open_store
from ragmon.config import Config
from ragmon.metrics.registry import Registry
from ragmon.model.flow import Draft, Release
from ragmon.model.gold import GoldLabel
from ragmon.model.result import Cause
from ragmon.settle import TraceLimits, draft, record_keys, settle
from ragmon.store.sqlite import SqliteStore

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
    limits = TraceLimits(config.limits.trace_spans, config.limits.trace_bytes)
    oldest_ns = now_ns - int(config.store.retention_s * _NANOSECONDS)
    with open_store(config) as store:
        if labels:
            store.put_labels(labels, now_ns)
        drafts = [
            one
            for batch in _batches(releases)
            for one in _settle(store, batch, registry, limits, oldest_ns, now_ns)
        ]
        _settle_touched(store, registry, limits, now_ns)
        _roll_up(store)
    kept = [len(one.records) for one in drafts if not one.expired]
    return Backfilled(len(kept), sum(kept))


def _settle(
    store: SqliteStore,
    releases: Sequence[Release],
    registry: Registry,
    limits: TraceLimits,
    oldest_ns: int,
    now_ns: int,
) -> list[Draft]:
    kept = store.load([release.trace_id for release in releases])
    drafts = [
        draft(kept[release.trace_id], release.spans, limits, oldest_ns) for release in releases
    ]
    known = store.known({key for one in drafts for key in record_keys(one)})
    settled = [settle(one, known, registry, Cause.LATE_SPAN) for one in drafts]
    store.commit(settled, now_ns, silent=True)
    return drafts


def _settle_touched(
    store: SqliteStore, registry: Registry, limits: TraceLimits, now_ns: int
) -> None:
    """Traces that were stored before and that a label of this backfill reached."""
    while touched := store.touched(_BATCH):
        kept = store.load([touch.trace_id for touch in touched])
        drafts = [draft(kept[touch.trace_id], (), limits) for touch in touched]
        known = store.known({key for one in drafts for key in record_keys(one)})
        settled = [settle(one, known, registry, Cause.LABEL) for one in drafts]
        store.commit(settled, now_ns, silent=True)


def _roll_up(store: SqliteStore) -> None:
    while dirty := store.dirty_minutes(_BATCH):
        for minute in dirty:
            roll_up_minute(store, minute)


def _batches(releases: Sequence[Release]) -> Iterator[list[Release]]:
    rest = iter(releases)
    while batch := list(islice(rest, _BATCH)):
        yield batch
