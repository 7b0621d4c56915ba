"""The release rules of open traces, with the clock as an argument."""

import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ragmon.assemble import Assembler, AssemblySettings
from ragmon.model.flow import Dropped, DropReason, Ends, Part, Release, ReleaseReason, SpanPart

S = 1_000_000_000


def span(trace: str, number: int, ends: Ends = Ends.NOTHING, size: int = 0) -> SpanPart:
    return SpanPart(
        trace_id=trace,
        span_id=f"{number:016x}",
        parent_id=None,
        ends=ends,
        end_ns=number,
        arrival_ns=number,
        context=b"",
        span=b"x" * size,
    )


def part(trace: str, *spans: SpanPart) -> tuple[Part, ...]:
    return (Part(trace, spans),)


def add(assembler: Assembler, offset: int, at_s: float, *spans: SpanPart) -> tuple[Dropped, ...]:
    return assembler.add(offset, part(spans[0].trace_id, *spans), int(at_s * S))


def reasons(releases: tuple[Release, ...]) -> list[tuple[str, ReleaseReason]]:
    return [(release.trace_id, release.reason) for release in releases]


def test_an_ended_request_is_complete_after_its_quiet_time() -> None:
    """A trace whose request ended goes when nothing has come for quiet_s."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 0, span("a", 1), span("a", 2, Ends.REQUEST))
    assert assembler.due(int(5.9 * S)) == ()
    assert reasons(assembler.due(6 * S)) == [("a", ReleaseReason.COMPLETE)]


def test_an_ended_entry_waits_longer() -> None:
    """A trace whose entry span ended may be an inner service's: entry_quiet_s."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 0, span("a", 1, Ends.ENTRY))
    assert assembler.due(19 * S) == ()
    assert reasons(assembler.due(20 * S)) == [("a", ReleaseReason.COMPLETE)]


def test_a_trace_without_an_end_is_idle() -> None:
    """A trace none of whose spans ends anything goes after idle_s."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 0, span("a", 1))
    assert assembler.due(59 * S) == ()
    assert reasons(assembler.due(60 * S)) == [("a", ReleaseReason.IDLE)]


def test_an_end_that_comes_later_shortens_the_wait() -> None:
    """A root that follows its children moves the release forward."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 0, span("a", 1))
    assert assembler.due(0) == ()
    add(assembler, 1, 1, span("a", 2, Ends.REQUEST))
    assert reasons(assembler.due(7 * S)) == [("a", ReleaseReason.COMPLETE)]


def test_every_span_restarts_the_quiet_time() -> None:
    """Quiet time counts from the last span, not from the end."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 0, span("a", 1, Ends.REQUEST))
    add(assembler, 1, 5, span("a", 2))
    assert assembler.due(10 * S) == ()
    assert reasons(assembler.due(11 * S)) == [("a", ReleaseReason.COMPLETE)]


def test_a_trickling_trace_goes_at_its_maximum_age() -> None:
    """A trace that never rests is released at max_age_s."""
    assembler = Assembler(AssemblySettings(max_age_s=30))
    for second in range(0, 31, 5):
        add(assembler, second, second, span("a", second, Ends.REQUEST))
        released = assembler.due(second * S)
    assert reasons(released) == [("a", ReleaseReason.MAX_AGE)]


def test_pressure_evicts_the_oldest() -> None:
    """An inbox more than half full, or open bytes over nine tenths, cost the oldest trace."""
    assembler = Assembler(AssemblySettings(open_bytes=4000, inbox_bytes=1000))
    for offset, name in enumerate(("old", "young")):
        assembler.add(offset, part(name, span(name, offset, size=1500)), offset * S, 300)
    assert reasons(assembler.due(1 * S)) == [("old", ReleaseReason.EVICTED)]
    add(assembler, 2, 2, span("next", 3, size=2500))
    assert reasons(assembler.due(2 * S)) == [("young", ReleaseReason.EVICTED)]


def test_pressure_makes_room_in_one_round() -> None:
    """The oldest go until what is left holds no more than half of the inbox's bound."""
    assembler = Assembler(AssemblySettings(inbox_bytes=1000))
    for offset in range(10):
        assembler.add(offset, part(str(offset), span(str(offset), 1)), offset * S, 100)
    evicted = [(str(offset), ReleaseReason.EVICTED) for offset in range(5)]
    assert reasons(assembler.due(10 * S)) == evicted


def test_evicting_many_costs_each_of_them_once() -> None:
    """Thousands go in a moment, the first that was opened first."""
    assembler = Assembler(AssemblySettings(open_bytes=16_000 * 96))
    names = [str(number) for number in range(16_000)]
    for offset, name in enumerate(names):
        add(assembler, offset, 20 - offset % 10, span(name, 1))
    start = time.process_time()
    released = assembler.due(20 * S)
    assert time.process_time() - start < 2
    assert [release.trace_id for release in released] == names[: len(released)]
    assert len(released) == 1_600


def test_a_trace_over_its_bound_refuses_more_spans() -> None:
    """Spans beyond trace_spans or trace_bytes are dropped and said so."""
    assembler = Assembler(AssemblySettings(trace_spans=2, trace_bytes=1000))
    refused = add(assembler, 0, 0, span("a", 1), span("a", 2), span("a", 3))
    assert refused == (Dropped(DropReason.TRACE_TOO_LARGE, 1),)
    assert add(assembler, 1, 0, span("b", 1, size=2000)) == refused


def test_repeated_spans_use_up_no_bound() -> None:
    """A retried body is held once, and leaves the bounds to the spans that follow."""
    assembler = Assembler(AssemblySettings(trace_spans=2, trace_bytes=2000))
    sent = [span("a", number, size=800) for number in (1, 2)]
    sent = [replace(one, span=one.span_id.encode() + one.span) for one in sent]
    for offset in range(3):
        assert add(assembler, offset, 0, sent[0]) == ()
    assert add(assembler, 3, 0, sent[1]) == ()
    assert assembler.open_bytes == 4 * 96 + 2 * 816
    assert add(assembler, 4, 0, span("a", 3)) == (Dropped(DropReason.TRACE_TOO_LARGE, 1),)
    (released,) = assembler.drain()
    assert len(released.spans) == 4
    assert assembler.open_bytes == 0


def test_a_context_is_held_once_a_trace() -> None:
    """The resource and scope count towards the bounds, equal ones once in each trace."""
    assembler = Assembler(AssemblySettings(trace_bytes=2500))
    for offset in range(3):
        add(assembler, offset, 0, replace(span("a", offset), context=bytes(bytearray(1000))))
    assert assembler.open_bytes == 3 * 96 + 1000
    add(assembler, 3, 0, replace(span("b", 1), context=bytes(1000)))
    assert assembler.open_bytes == 4 * 96 + 2000
    other = replace(span("a", 4), context=b"x" * 1200)
    assert add(assembler, 4, 0, other) == (Dropped(DropReason.TRACE_TOO_LARGE, 1),)
    released = {release.trace_id: release.spans for release in assembler.drain()}
    assert len({id(part.context) for part in released["a"]}) == 1
    assert assembler.open_bytes == 0


def test_a_release_holds_the_low_water_mark_until_it_is_done() -> None:
    """Nothing may be forgotten before the commit of what it belongs to."""
    assembler = Assembler(AssemblySettings())
    assert assembler.low_water() == 0
    add(assembler, 3, 0, span("a", 1, Ends.REQUEST))
    add(assembler, 4, 3, span("b", 1, Ends.REQUEST))
    released = assembler.due(6 * S)
    assert assembler.low_water() == 3
    assembler.done(released)
    assert assembler.low_water() == 4
    assembler.done(assembler.due(9 * S))
    assert assembler.low_water() == 5


def test_a_span_that_comes_after_its_release_opens_the_trace_again() -> None:
    """Late spans go the same way under the same id."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 0, span("a", 1, Ends.REQUEST))
    assembler.done(assembler.due(6 * S))
    add(assembler, 1, 7, span("a", 2))
    assert assembler.low_water() == 1
    assert reasons(assembler.due(67 * S)) == [("a", ReleaseReason.IDLE)]


def test_a_clock_that_was_set_back_pins_nothing() -> None:
    """What is open ages on from where it was."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 3600, span("a", 1, Ends.REQUEST))
    assembler.follow_clock(3602 * S)
    assembler.follow_clock(2 * S)
    assert assembler.due(5 * S) == ()
    assert reasons(assembler.due(6 * S)) == [("a", ReleaseReason.COMPLETE)]


def test_draining_releases_everything_as_shutdown() -> None:
    """Without an inbox, a shutdown hands on what is open."""
    assembler = Assembler(AssemblySettings())
    add(assembler, 0, 0, span("a", 1))
    add(assembler, 1, 0, span("b", 1, Ends.REQUEST))
    assert reasons(assembler.drain()) == [
        ("a", ReleaseReason.SHUTDOWN),
        ("b", ReleaseReason.SHUTDOWN),
    ]


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"), st.sampled_from("abc"), st.sampled_from(Ends), st.integers(0, 2000)
        ),
        st.tuples(st.just("wait"), st.integers(0, 90)),
    ),
    max_size=40,
)


@given(steps)
def test_no_span_is_lost_uncounted(script: list[tuple[object, ...]]) -> None:
    """Spans in are spans released, open or dropped; bytes and spans return to zero."""
    assembler = Assembler(AssemblySettings(open_bytes=8000, trace_spans=3))
    now_ns, added, released, dropped = 0, 0, 0, 0
    for offset, step in enumerate(script):
        if step[0] == "add":
            _, trace, ends, size = step
            assert isinstance(trace, str)
            assert isinstance(ends, Ends)
            assert isinstance(size, int)
            refused = assembler.add(offset, part(trace, span(trace, offset, ends, size)), now_ns)
            added += 1
            dropped += sum(drop.spans for drop in refused)
        else:
            assert isinstance(step[1], int)
            now_ns += step[1] * S
            releases = assembler.due(now_ns)
            released += sum(len(release.spans) for release in releases)
            assembler.done(releases)
        assert added == released + dropped + assembler.open_spans
    rest = assembler.drain()
    assembler.done(rest)
    assert added == released + dropped + sum(len(release.spans) for release in rest)
    assert (0, 0, 0) == (assembler.open_spans, assembler.open_bytes, assembler.open_traces)
