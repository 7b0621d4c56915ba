"""The buffer of open traces."""

from collections import Counter, OrderedDict
from collections.abc import Iterable
from heapq import heappop, heappush

from ragmon.assemble.open_trace import OpenTrace
from ragmon.assemble.settings import AssemblySettings
from ragmon.model.flow import (
    Dropped,
    DropReason,
    Offset,
    Part,
    Release,
    ReleaseReason,
    SpanPart,
)

_OPEN_SHARE = 0.9
_INBOX_SHARE = 0.5
_SET_BACK_NS = 5_000_000_000


class Assembler:
    """Collects the spans of each trace until it is taken to be whole.

    Disposable: everything in it can be read again from the inbox. Entries enter in offset
    order; a release holds the low-water mark until `done`. One caller at a time.
    """

    def __init__(self, settings: AssemblySettings) -> None:
        self._settings = settings
        # In order of their low offsets, for so they were opened.
        self._open: OrderedDict[str, OpenTrace] = OrderedDict()
        self._deadlines: list[tuple[int, str]] = []
        self._released: Counter[Offset] = Counter()
        self._next: Offset = 0
        self._now_ns = 0
        self._read_bytes = self._read_before = 0
        self.open_bytes = 0
        self.open_spans = 0

    @property
    def open_traces(self) -> int:
        """Traces that still take spans."""
        return len(self._open)

    def holds(self, trace_id: str) -> bool:
        """Whether a trace still takes spans."""
        return trace_id in self._open

    @property
    def is_full(self) -> bool:
        """Whether open traces take more than their share of the bound."""
        return self.open_bytes > _OPEN_SHARE * self._settings.open_bytes

    def add(
        self, offset: Offset, parts: Iterable[Part], received_ns: int, stored_bytes: int = 0
    ) -> tuple[Dropped, ...]:
        """Take the spans of one inbox entry, which takes `stored_bytes` there.

        Returns the spans that were refused because their trace is over its bounds.
        """
        self._next = max(self._next, offset + 1)
        self._read_before = self._read_bytes
        self._read_bytes += stored_bytes
        refused = sum(
            not self._take(span, offset, received_ns) for part in parts for span in part.spans
        )
        return (Dropped(DropReason.TRACE_TOO_LARGE, refused),) if refused else ()

    def follow_clock(self, now_ns: int) -> None:
        """Hear what time it is: after a clock was set back, what is open is as old as before."""
        back_ns = self._now_ns - now_ns
        self._now_ns = now_ns
        if back_ns > _SET_BACK_NS:
            for trace in self._open.values():
                trace.move(-back_ns)
                self._schedule(trace)

    def due(self, now_ns: int) -> tuple[Release, ...]:
        """Release what is whole, or must go, at `now_ns`, which lags in a backlog.

        The oldest traces go too while they hold more than half of the inbox's bound behind
        the mark, or the open bytes are above nine tenths of theirs.
        """
        releases = list(self._expired(now_ns))
        while self._open and (self.is_full or self._pins_inbox):
            releases.append(self._take_out(self._oldest, ReleaseReason.EVICTED))
        return tuple(releases)

    def done(self, releases: Iterable[Release]) -> None:
        """Let go of releases whose results are committed."""
        for release in releases:
            self._released[release.low_offset] -= 1
            if not self._released[release.low_offset]:
                del self._released[release.low_offset]

    def low_water(self) -> Offset:
        """The oldest offset that is still needed; everything before it may be forgotten."""
        held = [self._oldest.low_offset] if self._open else []
        return min([self._next, *held, *self._released])

    def spans(self) -> dict[str, tuple[SpanPart, ...]]:
        """The spans of every open trace."""
        return {trace_id: tuple(trace.spans) for trace_id, trace in self._open.items()}

    def remove(self, trace_ids: Iterable[str]) -> int:
        """Forget open traces without a release; how many spans they had."""
        removed = [self._open.pop(one) for one in trace_ids if one in self._open]
        spans = sum(len(trace.spans) for trace in removed)
        self.open_bytes -= sum(trace.bytes for trace in removed)
        self.open_spans -= spans
        return spans

    def drain(self) -> tuple[Release, ...]:
        """Release everything, for a shutdown without an inbox."""
        return tuple(
            self._take_out(trace, ReleaseReason.SHUTDOWN) for trace in tuple(self._open.values())
        )

    def _take(self, span: SpanPart, offset: Offset, received_ns: int) -> bool:
        trace = self._open.get(span.trace_id)
        if trace is None:
            trace = self._open[span.trace_id] = OpenTrace(
                span.trace_id, offset, received_ns, self._read_before
            )
            heappush(self._deadlines, (received_ns, span.trace_id))
        if not trace.fits(span, self._settings):
            return False
        ended = span.ends > trace.ends
        self.open_bytes += trace.add(span, received_ns)
        if ended:
            self._schedule(trace)
        self.open_spans += 1
        return True

    def _expired(self, now_ns: int) -> Iterable[Release]:
        """Release what its deadline has passed; a deadline that moved is looked at again."""
        while self._deadlines and self._deadlines[0][0] <= now_ns:
            scheduled_ns, trace_id = heappop(self._deadlines)
            trace = self._open.get(trace_id)
            if trace is None or trace.scheduled_ns != scheduled_ns:
                continue
            deadline_ns, reason = trace.deadline(self._settings)
            if deadline_ns <= now_ns:
                yield self._take_out(trace, reason)
            else:
                self._schedule(trace)

    def _schedule(self, trace: OpenTrace) -> None:
        trace.scheduled_ns, _ = trace.deadline(self._settings)
        heappush(self._deadlines, (trace.scheduled_ns, trace.trace_id))

    @property
    def _pins_inbox(self) -> bool:
        pinned = self._read_bytes - self._oldest.read_before
        return pinned > _INBOX_SHARE * self._settings.inbox_bytes

    @property
    def _oldest(self) -> OpenTrace:
        """The open trace that holds the low-water mark."""
        return next(iter(self._open.values()))

    def _take_out(self, trace: OpenTrace, reason: ReleaseReason) -> Release:
        del self._open[trace.trace_id]
        self.open_bytes -= trace.bytes
        self.open_spans -= len(trace.spans)
        release = trace.release(reason)
        self._released[release.low_offset] += 1
        return release
