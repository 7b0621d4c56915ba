"""Long windows are summed in portions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.model.measurement import Layout, Slot
from ragmon.model.record import Stage
from ragmon.model.window import Column, RollUp
from ragmon.summary.condense import condensed
from ragmon.summary.window import merge

SLOTS: Layout = (Slot("retrieval", "recall_at_k", 5, 1), Slot("retrieval", "mrr_at_k", 5, 1))
EARLIER: Layout = (SLOTS[0],)


def roll_up(minute: int, values: list[float], pipeline: str, layout: Layout) -> RollUp:
    """A minute in which every request has this value of every metric."""
    sums = np.zeros((len(layout), len(Column)))
    sums[:, Column.COUNT] = sums[:, Column.UNKNOWN_WEIGHTS] = len(values)
    sums[:, Column.SUM] = sum(values)
    return RollUp(
        minute=minute,
        pipeline=pipeline,
        layout=layout,
        requests=len(values),
        labelled=len(values) // 2,
        sums=sums,
        latencies={Stage.RETRIEVAL: np.array(sorted(map(abs, values)))} if values else {},
    )


@st.composite
def minutes(draw: st.DrawFn) -> list[RollUp]:
    value = st.floats(0, 1)
    return [
        roll_up(
            minute,
            draw(st.lists(value, min_size=1, max_size=4)),
            draw(st.sampled_from("ab")),
            draw(st.sampled_from((SLOTS, EARLIER))),
        )
        for minute in range(draw(st.integers(0, 12)))
    ]


@given(minutes(), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_a_window_over_portions_is_the_window_over_its_minutes(
    ones: list[RollUp], most: int
) -> None:
    """Counts and latencies are equal, means within 1e-12."""
    whole, portions = merge(ones, SLOTS), merge(condensed(ones, most), SLOTS)
    assert [one.pipeline for one in portions] == [one.pipeline for one in whole]
    for found, expected in zip(portions, whole, strict=True):
        assert (found.requests, found.labelled) == (expected.requests, expected.labelled)
        assert found.latencies == expected.latencies
        for slot, same in zip(found.slots, expected.slots, strict=True):
            assert (slot.count, slot.not_kept) == (same.count, same.not_kept)
            assert (slot.mean or 0.0) == pytest.approx(same.mean or 0.0, abs=1e-12)


def test_a_portion_becomes_one_roll_up_of_each_pipeline_and_layout() -> None:
    """So that a year is some hundred roll-ups, not half a million."""
    ones = [roll_up(minute, [0.5], "a", SLOTS) for minute in range(10)]
    assert [one.requests for one in condensed(ones, 4)] == [4, 4, 2]
    both = [*ones[:2], roll_up(3, [1.0], "b", SLOTS), roll_up(4, [1.0], "a", EARLIER)]
    assert [one.requests for one in condensed(both)] == [2, 1, 1]
