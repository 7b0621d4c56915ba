"""Windows over roll-ups against the rows themselves."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured, Slot
from ragmon.model.record import Outcome
from ragmon.model.result import RequestKey, Result
from ragmon.summary.roll_up import roll_up
from ragmon.summary.window import SlotWindow, WindowSummary, merge

OLD = (Slot("retrieval", "recall_at_k", 5, 1), Slot("generation", "latency_ms", None, 1))
NEW = (Slot("generation", "latency_ms", None, 1), Slot("retrieval", "recall_at_k", 5, 2))


def row(minute: int, layout: Layout, values: tuple[Measured, ...], weight: float | None) -> Result:
    """A result of one minute."""
    return Result(
        key=RequestKey("t", "s"),
        span_ids=("s",),
        pipeline="demo",
        pipeline_version=None,
        event_ns=minute * 60_000_000_000,
        outcome=Outcome.ANSWERED,
        weight=weight,
        layout=layout,
        values=values,
    )


def window(rows: list[Result], slots: Layout) -> WindowSummary:
    """One pipeline's window through a roll-up per minute."""
    by_minute: dict[int, list[Result]] = {}
    for one in rows:
        by_minute.setdefault(one.event_ns // 60_000_000_000, []).append(one)
    ups = [up for minute, found in by_minute.items() for up in roll_up(found, minute, "demo")]
    (summary,) = merge(ups, slots)
    return summary


def value_of(one: Result, slot: Slot) -> Measured:
    """A row's value for a slot; a version it was never asked for has none that is kept."""
    if slot not in one.layout:
        return NotMeasured(Kind.NOT_KEPT)
    return one.values[one.layout.index(slot)]


def direct(rows: list[Result], slot: Slot) -> tuple[int, float | None, bool, float | None]:
    """Count, mean, whether weighted, and coverage, straight from the rows in exact numbers."""
    values = [(value_of(one, slot), one.weight) for one in rows]
    measured = [(Fraction(v), w) for v, w in values if not isinstance(v, NotMeasured)]
    lost = [v for v, _ in values if isinstance(v, NotMeasured)]
    could = len(measured) + sum(v.kind in (Kind.MISSING, Kind.FAILED) for v in lost)
    coverage = len(measured) / could if could else None
    if not measured:
        return 0, None, False, coverage
    weighted = all(weight is not None for _, weight in measured)
    pairs = [(v, Fraction(w) if weighted and w is not None else Fraction(1)) for v, w in measured]
    mean = sum(v * w for v, w in pairs) / sum(w for _, w in pairs)
    return len(measured), float(mean), weighted, coverage


measured_values = st.one_of(
    st.floats(min_value=-1e6, max_value=1e6, allow_nan=False),
    st.sampled_from([NotMeasured(kind) for kind in Kind]),
)
rows_of_a_window = st.lists(
    st.builds(
        row,
        st.integers(0, 5),
        st.sampled_from([OLD, NEW]),
        st.tuples(measured_values, measured_values),
        st.one_of(st.none(), st.floats(min_value=1.0, max_value=100.0)),
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=80, deadline=None)
@given(rows_of_a_window)
def test_roll_ups_say_what_the_rows_say(rows: list[Result]) -> None:
    """A window over roll-ups equals the same over all rows, within 1e-12 of their size."""
    summary = window(rows, NEW)
    for slot, merged in zip(NEW, summary.slots, strict=True):
        count, mean, weighted, coverage = direct(rows, slot)
        assert (merged.slot, merged.count, merged.weighted) == (slot, count, weighted)
        assert merged.coverage == coverage
        assert merged.mean == (mean if mean is None else pytest.approx(mean, rel=1e-12, abs=1e-6))
        assert sum(
            (count, merged.undefined, merged.missing, merged.not_kept, merged.failed)
        ) == len(rows)


def slot_window(summary: WindowSummary, slot: Slot) -> SlotWindow:
    """The one of a slot."""
    return next(one for one in summary.slots if one.slot == slot)


def test_versions_never_mix() -> None:
    """A value of an older version leaves the mean and counts as not_kept."""
    old, new = OLD[0], NEW[1]
    rows = [row(0, OLD, (0.0, 1.0), 1.0), row(0, NEW, (1.0, 0.5), 1.0)]
    merged = slot_window(window(rows, NEW), new)
    assert old.version < new.version
    assert (merged.count, merged.mean, merged.not_kept) == (1, 0.5, 1)


def test_one_unknown_weight_makes_the_mean_unweighted() -> None:
    """Weights are used only where every one is known, and the window says which it was."""
    rows = [row(0, OLD, (0.0, 1.0), 9.0), row(1, OLD, (1.0, 1.0), 1.0)]
    known = slot_window(window(rows, OLD), OLD[0])
    mixed = slot_window(window([*rows, row(2, OLD, (1.0, 1.0), None)], OLD), OLD[0])
    assert (known.mean, known.weighted) == (0.1, True)
    assert (mixed.mean, mixed.weighted) == (2 / 3, False)


def test_undefined_and_not_kept_stay_out_of_coverage() -> None:
    """Coverage = measured / (measured + missing + failed)."""
    values: list[Measured] = [1.0, *(NotMeasured(kind) for kind in Kind)]
    merged = window([row(0, OLD, (value, 1.0), 1.0) for value in values], OLD).slots[0]
    assert merged.coverage == 1 / 3


def test_a_window_without_values_has_no_mean() -> None:
    """Not measured is not zero."""
    merged = window([row(0, OLD, (NotMeasured(Kind.UNDEFINED), 1.0), 1.0)], OLD).slots[0]
    assert (merged.count, merged.mean, merged.coverage) == (0, None, None)


def test_pipelines_are_summarised_apart_and_by_name() -> None:
    """One summary per pipeline, in the order of their names."""
    rows = [row(0, OLD, (1.0, 1.0), 1.0)]
    ups = [*roll_up(rows, 0, "b"), *roll_up(rows, 0, "a"), *roll_up(rows, 1, "b")]
    assert [(one.pipeline, one.requests) for one in merge(ups, OLD)] == [("a", 1), ("b", 2)]


def test_no_roll_ups_have_no_summary() -> None:
    """A pipeline without requests in the window is not in it."""
    assert merge([], OLD) == ()
