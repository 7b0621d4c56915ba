"""One trace that still takes spans."""

from dataclasses import replace

from ragmon.assemble.settings import AssemblySettings
from ragmon.model.flow import Ends, Offset, Release, ReleaseReason, SpanPart

NANOSECONDS = 1_000_000_000


class OpenTrace:
    """The spans of one trace since its last release. Owned by one Assembler."""

    __slots__ = (
        "bytes",
        "distinct_bytes",
        "ends",
        "first_ns",
        "held",
        "last_ns",
        "low_offset",
        "read_before",
        "scheduled_ns",
        "span_ids",
        "spans",
        "trace_id",
    )

    def __init__(self, trace_id: str, offset: Offset, received_ns: int, read_before: int) -> None:
        self.trace_id = trace_id
        self.low_offset = offset
        self.read_before = read_before
        self.first_ns = received_ns
        self.last_ns = received_ns
        self.ends = Ends.NOTHING
        self.scheduled_ns = received_ns
        self.spans: list[SpanPart] = []
        self.span_ids: set[str] = set()
        self.held: dict[bytes, bytes] = {}
        self.bytes = self.distinct_bytes = 0

    def fits(self, span: SpanPart, settings: AssemblySettings) -> bool:
        """Whether the trace stays within its bounds, which a repeated span uses up none of."""
        if self._repeats(span):
            return True
        known = span.span_id in self.span_ids
        return (known or len(self.span_ids) < settings.trace_spans) and (
            self.distinct_bytes + self._cost(span) <= settings.trace_bytes
        )

    def add(self, span: SpanPart, received_ns: int) -> int:
        """Take one more span; returns the bytes that it added."""
        cost = self._cost(span)
        self.bytes += cost
        self.distinct_bytes += 0 if self._repeats(span) else cost
        self.span_ids.add(span.span_id)
        self.spans.append(self._shared(span))
        self.ends = max(self.ends, span.ends)
        self.first_ns = min(self.first_ns, received_ns)
        self.last_ns = max(self.last_ns, received_ns)
        return cost

    def move(self, by_ns: int) -> None:
        """Move its times, as the clock was moved."""
        self.first_ns += by_ns
        self.last_ns += by_ns

    def deadline(self, settings: AssemblySettings) -> tuple[int, ReleaseReason]:
        """When to release it if nothing more comes, and the reason it will have."""
        quiet_s, reason = _quiet(self.ends, settings)
        quiet_ns = self.last_ns + int(quiet_s * NANOSECONDS)
        oldest_ns = self.first_ns + int(settings.max_age_s * NANOSECONDS)
        return (quiet_ns, reason) if quiet_ns <= oldest_ns else (oldest_ns, ReleaseReason.MAX_AGE)

    def release(self, reason: ReleaseReason) -> Release:
        """Hand its spans on."""
        return Release(
            self.trace_id,
            tuple(self.spans),
            reason,
            self.low_offset,
            self.first_ns,
            self.last_ns,
        )

    def _cost(self, span: SpanPart) -> int:
        """Bytes that one more span adds to what is held: equal bytes are held once."""
        shared = sum(len(part) for part in (span.context, span.span) if part in self.held)
        return span.size + len(span.context) - shared

    def _repeats(self, span: SpanPart) -> bool:
        known = span.span_id in self.span_ids
        return known and span.span in self.held and span.context in self.held

    def _shared(self, span: SpanPart) -> SpanPart:
        """The same span, of bytes that are held already where they are equal."""
        context = self.held.setdefault(span.context, span.context)
        content = self.held.setdefault(span.span, span.span)
        if context is span.context and content is span.span:
            return span
        return replace(span, context=context, span=content)


def _quiet(ends: Ends, settings: AssemblySettings) -> tuple[float, ReleaseReason]:
    match ends:
        case Ends.REQUEST:
            return settings.quiet_s, ReleaseReason.COMPLETE
        case Ends.ENTRY:
            return settings.entry_quiet_s, ReleaseReason.COMPLETE
        case Ends.NOTHING:
            return settings.idle_s, ReleaseReason.IDLE
