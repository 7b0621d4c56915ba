"""Files into the store: requests of the past, at their own time."""

from collections.abc import Iterator, Sequence
from itertools import islice

from ragmon.app.upkeep import roll_up_minute
from ragmon.app.wiring import open_store
from ragmon.config import Config
from ragmon.metrics.registry import Registry, build
from ragmon.model.flow import Release
from ragmon.model.gold import GoldLabel
from ragmon.model.result import Cause
from ragmon.settle import TraceLimits, draft, record_keys, settle
from ragmon.store.sqlite import SqliteStore

_BATCH = 64
_NANOSECONDS = 1_000_000_000


def backfill(
    config: Config,
    releases: Sequence[Release],
    labels: Sequence[GoldLabel],
    now_ns: int,
) -> int:
    """Settle traces into the store of `config`; no counter moves for them, now or later.

    Returns the number of traces settled; those past retention are passed over.

    Raises:
        StoreLockedError: another process holds the store; the message names it.
    """
    registry = build(config.metrics.k)
    limits = TraceLimits(config.limits.trace_spans, config.limits.trace_bytes)
    oldest_ns = now_ns - int(config.store.retention_s * _NANOSECONDS)
    with open_store(config) as store:
        if labels:
            store.put_labels(labels, now_ns)
        stored = 0
        for batch in _batches(releases):
            stored += _settle(store, batch, registry, limits, oldest_ns, now_ns)
        _settle_touched(store, registry, limits, now_ns)
        _roll_up(store)
    return stored


def _settle(
    store: SqliteStore,
    releases: Sequence[Release],
    registry: Registry,
    limits: TraceLimits,
    oldest_ns: int,
    now_ns: int,
) -> int:
    kept = store.load([release.trace_id for release in releases])
    drafts = [
        draft(kept[release.trace_id], release.spans, limits, oldest_ns) for release in releases
    ]
    known = store.known({key for one in drafts for key in record_keys(one)})
    settled = [settle(one, known, registry, Cause.LATE_SPAN) for one in drafts]
    store.commit(settled, now_ns, silent=True)
    return sum(not one.expired for one in drafts)


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
