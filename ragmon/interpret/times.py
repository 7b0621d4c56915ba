"""When something happened, and what is wrong with its clocks."""

from collections.abc import Iterable
from typing import Final

from ragmon.interpret.tree import Node
from ragmon.model.span import Trace

FUTURE: Final = "future"
"""A clock fault: a request or run ends more than five minutes after it arrived."""
NEGATIVE: Final = "negative"
"""A clock fault: a span ends before it starts."""

_AHEAD_NS: Final = 300 * 10**9


def event_time(
    trace: Trace, nodes: Iterable[Node], *, negative: bool
) -> tuple[int, tuple[str, ...]]:
    """When the last of some spans ended, and what is wrong with its clocks.

    It is held against the arrival of that span itself: a trace of a session takes hours.
    negative: whether one of the clocks ran backwards.
    """
    last = max((node.span for node in nodes), key=lambda span: (span.end_ns, span.span_id))
    arrival_ns = trace.arrival_ns if last.arrival_ns is None else last.arrival_ns
    future = last.end_ns > arrival_ns + _AHEAD_NS
    faults = [name for name, found in ((FUTURE, future), (NEGATIVE, negative)) if found]
    return arrival_ns if future else last.end_ns, tuple(faults)
