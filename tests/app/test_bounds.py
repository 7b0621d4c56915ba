"""What is held in memory stays below its bounds, however small it came."""

from pathlib import Path

from ragmon.ingest.split import PROTOBUF, split
from ragmon.model.flow import Body, Dropped, DropReason, Kept, SpanPart
from ragmon.settle import TraceLimits, draft
from tests.app.running import START_NS, S, body, request, running, send, series, span, trace_id

LIMITS = TraceLimits(spans=10, bytes=10_000)


def arrived(one: Body) -> tuple[SpanPart, ...]:
    return split(one.content, PROTOBUF, one.received_ns).parts[0].spans


def test_a_round_stops_reading_at_the_bound(tmp_path: Path) -> None:
    """A backlog of bodies that swell is read no further than open traces may take."""
    with running(tmp_path, assembly={"open_bytes": 100_000}) as parts:
        send(parts, *(body(span(trace, 1, 9, note="x" * 20_000)) for trace in range(1, 41)))
        parts.processor.step(START_NS + S)
        assert 40 - series(parts, "ragmon_processor_open_spans") == 1
        assert parts.inbox.unread_spans == 35


def test_an_early_arrival_in_a_backlog_sets_no_clock_back(tmp_path: Path) -> None:
    """What waited long to be written ages nothing that came before it."""
    with running(tmp_path) as parts:
        send(parts, body(request(1), received_ns=START_NS + 100 * S))
        parts.processor.step(START_NS + 100 * S)
        backlog = [body(span(trace, 1, 9), received_ns=START_NS) for trace in range(2, 1026)]
        backlog[-1] = body(span(1025, 1, 9), received_ns=START_NS + 94 * S)
        send(parts, *backlog, body(span(2000, 1, 9), received_ns=START_NS + 101 * S))
        parts.processor.step(START_NS + 101 * S)
        parts.processor.step(START_NS + 102 * S)
        assert series(parts, "ragmon_requests_total") == 0
        parts.processor.step(START_NS + 106 * S)
        assert series(parts, "ragmon_requests_total") == 1


def test_a_stored_trace_is_bounded_with_its_resources() -> None:
    """Spans whose resources alone are over the bound are refused."""
    bodies = [body(span(1, number, 9), pipeline=str(number) * 4_000) for number in range(1, 5)]
    spans = [part for one in bodies for part in arrived(one)]
    refused = draft(Kept(trace_id(1)), spans, LIMITS)
    assert (Dropped(DropReason.TRACE_TOO_LARGE, 4),) == refused.dropped
    alike = [body(span(1, number, 9), pipeline="a" * 4_000) for number in range(1, 5)]
    spans = [part for one in alike for part in arrived(one)]
    assert draft(Kept(trace_id(1)), spans, LIMITS).settled == 4


def test_a_known_span_grows_no_further_than_the_bound() -> None:
    """Where later versions are too much the kept one stays, and a repeated one is known."""
    first = arrived(body(span(1, 1, 9, note="short"), span(1, 2, 9)))
    stored = draft(Kept(trace_id(1)), first, LIMITS).spans
    kept = Kept(trace_id(1), 1, spans=stored, span_ids=frozenset(one.span_id for one in stored))
    later = span(1, 1, 9, note="x" * 20_000)
    later.end_time_unix_nano += S
    again = draft(kept, [*arrived(body(later)), first[1]], LIMITS)
    assert (stored, 0, 1) == (again.spans, again.settled, again.duplicates)
    assert (Dropped(DropReason.TRACE_TOO_LARGE, 1),) == again.dropped
