"""How many facts may be posted over time, whoever posts them."""

from math import ceil
from typing import Final

from ragmon.errors import TooManyError

_SECOND_NS: Final = 1_000_000_000
_LONGEST_RETRY_S: Final = 3600


class RateLimit:
    """A bucket that fills with `per_s` a second, up to a second's worth, and may be overdrawn.

    A body is taken whole while anything is left, however many facts it holds, so that none
    is too large to be ever taken; the next ones wait until the debt is paid. Belongs to one
    event loop.
    """

    def __init__(self, per_s: float, noun: str) -> None:
        self._per_s = per_s
        self._noun = noun
        self._left = per_s
        self._filled_ns = 0

    def take(self, facts: int, now_ns: int) -> None:
        """Spend `facts`; 0 only asks.

        Raises:
            TooManyError: nothing is left now; nothing was spent.
        """
        passed_ns = max(0, now_ns - self._filled_ns)
        self._left = min(self._per_s, self._left + passed_ns / _SECOND_NS * self._per_s)
        self._filled_ns = now_ns
        if self._left <= 0:
            wait_s = min(_LONGEST_RETRY_S, ceil(-self._left / self._per_s) or 1)
            raise TooManyError(f"more than {self._per_s:g} {self._noun}s a second", wait_s)
        self._left -= facts
