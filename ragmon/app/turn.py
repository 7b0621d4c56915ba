"""A lock that is handed on to who waits for it."""

from threading import Lock
from types import TracebackType


class Turn:
    """A lock that nobody who takes it again and again keeps from others."""

    def __init__(self) -> None:
        self._next = Lock()
        self._held = Lock()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for it."""
        return self._next.locked()

    def acquire(self, timeout_s: float = -1) -> bool:
        """Take it; False where others had it for `timeout_s` (-1: wait for any time)."""
        if not self._next.acquire(timeout=timeout_s):
            return False
        try:
            # Who holds it and wants it again waits at `_next` until it was here.
            return self._held.acquire(timeout=timeout_s)
        finally:
            self._next.release()

    def release(self) -> None:
        """Hand it on."""
        self._held.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
