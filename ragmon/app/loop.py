"""The thread that runs the loop, and outlives a store that cannot commit."""

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from ragmon.app.faults import where_raised
from ragmon.app.processor import Processor
from ragmon.app.turn import Turn
from ragmon.app.upkeep import Upkeep
from ragmon.errors import StoreUnavailableError

_log = logging.getLogger("ragmon.app")
_TICK_S = 0.2
_STORE_RETRY_S = 1.0


class Loop:
    """Runs `Processor.step` and `Upkeep.step` until it is stopped.

    As a context it starts the thread, and ends only when the thread has: whoever closes the
    store behind it takes nothing away from a round under way. settling: held during a round,
    which ends early where somebody else wants it.
    """

    def __init__(
        self,
        processor: Processor,
        upkeep: Upkeep,
        now_ns: Callable[[], int],
        on_error: Callable[[], None],
        settling: Turn,
    ) -> None:
        self._processor = processor
        self._upkeep = upkeep
        self._now_ns = now_ns
        self._on_error = on_error
        self._settling = settling
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ragmon-settle")
        self.store_available = True
        self.failed_rounds = 0

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float | None) -> bool:
        """Let the batch under way end; whether it did within `timeout_s`, None for any time."""
        self._stop.set()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop(None)

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(self._pause_s(done=self._round()))

    def _pause_s(self, *, done: bool) -> float:
        """How long to wait after a round."""
        if not done:
            return _STORE_RETRY_S
        return 0 if self._processor.behind else _TICK_S

    def _round(self) -> bool:
        """One round; whether all of it was done."""
        with self._settling:
            done = [self._guarded(self._settle), self._guarded(self._keep_up)]
        self.failed_rounds = 0 if all(done) else self.failed_rounds + 1
        return all(done)

    def _settle(self) -> None:
        self._processor.step(self._now_ns(), self._may_go_on)
        self._turn(available=True, why="")

    def _may_go_on(self) -> bool:
        return not (self._stop.is_set() or self._settling.wanted)

    def _keep_up(self) -> None:
        self._upkeep.step(self._now_ns(), may_expire=self._processor.replayed)

    def _guarded(self, part: Callable[[], None]) -> bool:
        """Whether one part of a round was done; its fault is told, and costs no other part."""
        try:
            part()
        except StoreUnavailableError as error:
            self._turn(available=False, why=str(error))
            return False
        except Exception as error:  # noqa: BLE001 (the monitor goes on)
            _log.error("a round of the loop failed (%s); it goes on", where_raised(error))
            self._on_error()
            return False
        return True

    def _turn(self, *, available: bool, why: str) -> None:
        """Log a change of the store's state once."""
        if available and not self.store_available:
            _log.warning("the store commits again")
        if not available and self.store_available:
            _log.error("the store cannot commit: %s; bodies wait in the inbox", why)
        self.store_available = available
