"""One trace that still takes spans."""

from dataclasses import replace

from ragmon.assemble.settings import AssemblySettings
from ragmon.model.flow import Ends, Offset, Release, ReleaseReason, SpanPart

NANOSECONDS = 1_000_000_000


class OpenTrace:
    """The spans of one trace since its last release. Owned by one Assembler."""

    __slots__ = (
        "bytes",
        "contexts",
        "ends",
        "first_ns",
        "last_ns",
        "low_offset",
        "read_before",
        "scheduled_ns",
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
        self.contexts: dict[bytes, bytes] = {}
        self.bytes = 0

    def cost(self, span: SpanPart) -> int:
        """Bytes that one more span adds to what is held; an equal context is held once."""
        return span.size + (0 if span.context in self.contexts else len(span.context))

    def add(self, span: SpanPart, received_ns: int) -> None:
        """Take one more span."""
        self.bytes += self.cost(span)
        context = self.contexts.setdefault(span.context, span.context)
        self.spans.append(span if context is span.context else replace(span, context=context))
        self.ends = max(self.ends, span.ends)
        self.first_ns = min(self.first_ns, received_ns)
        self.last_ns = max(self.last_ns, received_ns)

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


def _quiet(ends: Ends, settings: AssemblySettings) -> tuple[float, ReleaseReason]:
    match ends:
        case Ends.REQUEST:
            return settings.quiet_s, ReleaseReason.COMPLETE
        case Ends.ENTRY:
            return settings.entry_quiet_s, ReleaseReason.COMPLETE
        case Ends.NOTHING:
            return settings.idle_s, ReleaseReason.IDLE
