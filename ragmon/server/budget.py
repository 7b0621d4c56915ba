"""One bound over the bytes of all requests in flight, whatever their transport."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ragmon.errors import OverloadedError


class ByteBudget:
    """Bytes that requests may hold together. Any thread may call it."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._used_bytes = 0
        self._lock = threading.Lock()

    @property
    def used_bytes(self) -> int:
        """Bytes held at the moment."""
        return self._used_bytes

    @contextmanager
    def lease(self) -> Iterator["Lease"]:
        """What one request holds, given back at the end."""
        lease = Lease(self)
        try:
            yield lease
        finally:
            self._add(-lease.held_bytes)

    def take(self, size: int) -> None:
        """Hold more bytes.

        Raises:
            OverloadedError: they do not fit at the moment.
        """
        with self._lock:
            if self._used_bytes + size > self._limit_bytes:
                raise OverloadedError("too many bytes in flight; try again shortly")
            self._used_bytes += size

    def _add(self, size: int) -> None:
        with self._lock:
            self._used_bytes += size


class Lease:
    """The bytes that one request holds."""

    def __init__(self, budget: ByteBudget) -> None:
        self._budget = budget
        self.held_bytes = 0

    def grow(self, size: int) -> None:
        """Hold more bytes.

        Raises:
            OverloadedError: they do not fit at the moment.
        """
        self._budget.take(size)
        self.held_bytes += size
