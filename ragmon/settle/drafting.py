"""Spans to records: what a trace says, before labels are known."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragmon.ingest.decode import decode
from ragmon.ingest.union import bounded_union
from ragmon.interpret import Interpreted, interpret_whole
from ragmon.model.flow import Draft, Dropped, DropReason, Kept, SpanPart, TraceState
from ragmon.model.span import Trace
from ragmon.settle.sealing import unseal
from ragmon.text.hashing import TokenHasher


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """How large a stored trace may grow, so that a trickling one does not cost its square."""

    spans: int = 10_000
    bytes: int = 64 << 20


def draft(
    kept: Kept,
    arrived: Sequence[SpanPart],
    limits: TraceLimits,
    oldest_ns: int = 0,
    hasher: TokenHasher | None = None,
) -> Draft:
    """Read a trace: what is kept of it and what arrived since, in any order.

    A new trace whose spans, or whose requests and runs, all happened before `oldest_ns` is
    past retention and will not be stored. hasher: what the texts of sealed records were
    hashed by; needed where there are any.
    """
    if kept.state is TraceState.SEALED:
        return _sealed(kept, arrived, hasher)
    if kept.state is TraceState.GONE or _past(kept, arrived, oldest_ns):
        return _expired(kept, arrived)
    united = bounded_union(kept.spans, arrived, limits.spans, limits.bytes)
    refused = len(arrived) - united.settled - united.duplicates
    read = _read(kept.trace_id, united.spans)
    if not kept.revision and _removed_at_once(read, oldest_ns):
        return _expired(kept, arrived)
    return Draft(
        kept=kept,
        spans=united.spans,
        records=read.records,
        settled=united.settled,
        duplicates=united.duplicates,
        dropped=(Dropped(DropReason.TRACE_TOO_LARGE, refused),) if refused else (),
        runs=read.runs,
    )


def _expired(kept: Kept, arrived: Sequence[SpanPart]) -> Draft:
    duplicates, dropped = _too_late(kept, arrived)
    return Draft(kept, (), (), duplicates=duplicates, dropped=dropped, expired=True)


def _sealed(kept: Kept, arrived: Sequence[SpanPart], hasher: TokenHasher | None) -> Draft:
    """What is left of a sealed trace: it takes labels, and no spans."""
    assert hasher is not None  # nothing is sealed without one
    duplicates, dropped = _too_late(kept, arrived)
    records = unseal(kept.sealed, hasher)
    return Draft(kept, (), records, duplicates=duplicates, dropped=dropped)


def _too_late(kept: Kept, arrived: Sequence[SpanPart]) -> tuple[int, tuple[Dropped, ...]]:
    """How many spans are known already, and those that are not."""
    new = sum(span.span_id not in kept.span_ids for span in arrived)
    return len(arrived) - new, (Dropped(DropReason.EXPIRED, new),) if new else ()


def _past(kept: Kept, arrived: Sequence[SpanPart], oldest_ns: int) -> bool:
    return not kept.revision and all(span.end_ns < oldest_ns for span in arrived)


def _removed_at_once(read: Interpreted, oldest_ns: int) -> bool:
    """Whether retention, which goes by the latest result, would remove what is stored."""
    times = [record.event_ns for record in read.records] + [run.event_ns for run in read.runs]
    return bool(times) and max(times) < oldest_ns


def _read(trace_id: str, spans: Sequence[SpanPart]) -> Interpreted:
    if not spans:
        return Interpreted((), ())
    decoded = sorted(decode(spans), key=lambda span: (span.start_ns, span.span_id))
    arrival_ns = min(span.arrival_ns for span in spans)
    return interpret_whole(Trace(trace_id, tuple(decoded), arrival_ns))
