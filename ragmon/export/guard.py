"""Bounds on what senders can make label values of."""

import logging
from collections.abc import Callable, Iterable

from ragmon.telemetry import OTHER, UNKNOWN

__all__ = ["LabelGuard", "presentable"]

_LONGEST = 128
_log = logging.getLogger("ragmon.export")


class LabelGuard:
    """Lets a bounded number of values of one label through; the rest become `other`.

    Declared values are always let through, then those that come first. An empty value is
    `unknown`. `overflow` is called for each value that became `other`.
    """

    def __init__(
        self, label: str, bound: int, overflow: Callable[[], None], declared: Iterable[str] = ()
    ) -> None:
        self._label = label
        self._bound = bound
        self._overflow = overflow
        self._own = dict.fromkeys(declared)
        self._warned = False

    def own(self, raw: str) -> str | None:
        """The value, where it has series of its own; None where it is one of the others."""
        value = raw or UNKNOWN
        if value in self._own:
            return value
        if len(self._own) >= self._bound or not presentable(value):
            return None
        self._own[value] = None
        return value

    def value(self, raw: str) -> str:
        """The label value to count a sender's value under."""
        value = self.own(raw)
        if value is not None:
            return value
        self._overflow()
        self._warn()
        return OTHER

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            _log.warning("label %s is at its bound; the rest is counted as other", self._label)


def presentable(value: str) -> bool:
    """Whether a value is short and printable, which lone surrogates are not."""
    return len(value) <= _LONGEST and value.isprintable()
