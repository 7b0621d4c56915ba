"""What is made from results beside the loop: roll-ups, window gauges, retention."""

import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from ragmon.app.faults import where_raised
from ragmon.app.keeping import Sealer
from ragmon.errors import StoreUnavailableError
from ragmon.export.exporter import Exporter
from ragmon.metrics.registry import Registry
from ragmon.model.window import Dirty
from ragmon.store.protocol import Store
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import WindowSummary, merge
from ragmon.telemetry import Room

_log = logging.getLogger("ragmon.app")

_MINUTE_NS = 60_000_000_000
_REFRESH_NS = 5_000_000_000
_EXPIRY_NS = 60_000_000_000
_BATCHES_A_ROUND = 40
_JUMP_NS = 60_000_000_000
_STEADY_NS = 600_000_000_000
_MINUTES_A_ROUND = 128


class Upkeep:
    """Keeps roll-ups and window gauges fresh, seals traces, and lets old facts go.

    One caller at a time.

    windows: name -> seconds. count_feedback: called at each refresh.
    """

    def __init__(
        self,
        store: Store,
        exporter: Exporter,
        registry: Registry,
        windows: Mapping[str, int],
        sealer: Sealer,
        count_feedback: Callable[[], None],
    ) -> None:
        self._store = store
        self._exporter = exporter
        self._registry = registry
        self._windows = windows
        self._sealer = sealer
        self._count_feedback = count_feedback
        self._seen_ns = 0
        self._steady_since_ns = 0
        self._jumped_ns: int | None = None
        self._refreshed_ns = 0
        self._expired_ns = 0
        self._rolled_up: Dirty | None = None

    def step(self, now_ns: int, *, may_expire: bool) -> None:
        """Do what is due at `now_ns`.

        may_expire: False while a replay is under way, for which ages stand still.

        Raises:
            StoreUnavailableError: the store cannot commit now.
        """
        self._watch_clock(now_ns)
        # abs: a clock that was set back must not stop anything until it has caught up.
        if abs(now_ns - self._refreshed_ns) >= _REFRESH_NS:
            self.refresh(now_ns)
        if may_expire and (self._jumped_ns is None or now_ns - self._jumped_ns >= _STEADY_NS):
            self._sealer.step(now_ns)
        steady = now_ns - self._steady_since_ns >= _STEADY_NS
        if may_expire and steady and abs(now_ns - self._expired_ns) >= _EXPIRY_NS:
            self._store.expire(now_ns)
            self._shrink()
            self._expired_ns = now_ns

    def _shrink(self) -> None:
        """Hold the store in its bound of bytes, some batches at a time."""
        gone = sum(takewhile(bool, (self._store.shrink() for _ in range(_BATCHES_A_ROUND))))
        if gone:
            self._exporter.gone_early(gone)
            _log.warning("%d of the oldest traces go early: the store is over max_bytes", gone)

    def _watch_clock(self, now_ns: int) -> None:
        """A jump of the clock may be a mistake: nothing is taken away until it has lasted."""
        if abs(now_ns - self._seen_ns) > _JUMP_NS:
            self._jumped_ns = now_ns if self._seen_ns else None
            self._steady_since_ns = now_ns
        self._seen_ns = now_ns

    def refresh(self, now_ns: int) -> None:
        """Make dirty minutes anew and set the window gauges."""
        for dirty in self._store.dirty_minutes(_MINUTES_A_ROUND, self._rolled_up):
            self._roll_up(dirty)
            self._rolled_up = dirty
        summaries = {name: self._summarise(now_ns, s) for name, s in self._windows.items()}
        self._exporter.set_windows(summaries)
        self._exporter.set_unmatched(self._store.labels_unmatched(), now_ns)
        self._count_feedback()
        self._refreshed_ns = now_ns

    def _roll_up(self, dirty: Dirty) -> None:
        """Make one minute anew; rows that cannot be read cost only their minute."""
        try:
            roll_up_minute(self._store, dirty)
        except StoreUnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 (one minute may not cost the others)
            self._exporter.error(Room.SUMMARY)
            _log.error("minute %d cannot be summed (%s)", dirty.minute, where_raised(error))

    def _summarise(self, now_ns: int, window_s: int) -> Sequence[WindowSummary]:
        """The window that ends with the minute of `now_ns`, in whole minutes."""
        last = now_ns // _MINUTE_NS
        first = last - max(1, round(window_s / 60)) + 1
        return merge(self._store.roll_ups(first, last + 1), self._registry.slots)


def roll_up_minute(store: Store, dirty: Dirty) -> None:
    """Make the roll-ups of one minute anew."""
    start_ns = dirty.minute * _MINUTE_NS
    rows = store.rows(start_ns, start_ns + _MINUTE_NS, dirty.pipeline)
    store.put_roll_up(dirty, roll_up(rows, dirty.minute, dirty.pipeline))
