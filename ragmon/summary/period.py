"""Minutes of event time, in which roll-ups are kept and windows are read."""

from typing import Final

__all__ = ["minute_of", "minutes"]

_MINUTE_NS: Final = 60_000_000_000


def minute_of(event_ns: int) -> int:
    """The minute, since the epoch, in which an event time lies."""
    return event_ns // _MINUTE_NS


def minutes(window_s: int, now_ns: int) -> range:
    """The minutes of a window that ends now, the current one included.

    A window shorter than a minute is one minute.

    >>> minutes(900, 3_600_000_000_000)
    range(46, 61)
    """
    last = minute_of(now_ns)
    return range(last + 1 - max(1, window_s // 60), last + 1)
