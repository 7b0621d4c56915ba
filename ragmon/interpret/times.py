"""When something happened, and what is wrong with its clocks."""

from typing import Final

from ragmon.model.span import Trace

FUTURE: Final = "future"
"""A clock fault: a request or run ends more than five minutes after it arrived."""
NEGATIVE: Final = "negative"
"""A clock fault: a span ends before it starts."""

_AHEAD_NS: Final = 300 * 10**9


def event_time(trace: Trace, end_ns: int, *, negative: bool) -> tuple[int, tuple[str, ...]]:
    """The event time of what ended at `end_ns`, and its clock faults.

    negative: whether one of its clocks ran backwards.
    """
    future = end_ns > trace.arrival_ns + _AHEAD_NS
    faults = [name for name, found in ((FUTURE, future), (NEGATIVE, negative)) if found]
    return trace.arrival_ns if future else end_ns, tuple(faults)
