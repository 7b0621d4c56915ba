"""Minutes are dirty from a commit until their roll-ups were made from what it stored."""

from collections.abc import Callable

import numpy as np

from ragmon.model.measurement import Layout, Slot
from ragmon.model.record import Stage
from ragmon.model.result import Result
from ragmon.model.window import Column, Dirty, RollUp
from ragmon.store.sqlite import SqliteStore

MINUTE_NS = 60 * 10**9
LAYOUT: Layout = (
    Slot("retrieval", "recall_at_k", 5, 1),
    Slot("generation", "exact_match", None, 1),
)

Make = Callable[..., Result]
Put = Callable[..., None]


def roll_up(minute: int, pipeline: str = "p", layout: Layout = LAYOUT, fill: float = 1.0) -> RollUp:
    return RollUp(
        minute=minute,
        pipeline=pipeline,
        layout=layout,
        requests=3,
        labelled=1,
        sums=np.full((len(layout), len(Column)), fill),
        latencies={Stage.RETRIEVAL: np.array([0.5, 0.25]), Stage.END_TO_END: np.array([1.5])},
    )


def places(store: SqliteStore) -> list[tuple[int, str]]:
    return [(dirty.minute, dirty.pipeline) for dirty in store.dirty_minutes(100)]


def test_a_commit_marks_the_old_and_the_new_minute(
    store: SqliteStore, make_result: Make, put: Put
) -> None:
    """A row that moved leaves one minute and enters another, the latest first."""
    put(store, [make_result(event_ns=5 * MINUTE_NS)])
    assert [(5, "p")] == places(store)
    (dirty,) = store.dirty_minutes(10)
    store.put_roll_up(dirty, [])
    put(store, [make_result(event_ns=8 * MINUTE_NS, pipeline="q")])
    assert [(8, "q"), (5, "p")] == places(store)
    assert 1 == len(store.dirty_minutes(1))


def test_a_minute_dirtied_since_stays_dirty(
    store: SqliteStore, make_result: Make, put: Put
) -> None:
    """The mark moved, so the roll-ups were made from less than is stored."""
    put(store, [make_result(event_ns=5 * MINUTE_NS)])
    (dirty,) = store.dirty_minutes(10)
    put(store, [make_result(trace_id="t2", event_ns=5 * MINUTE_NS)])
    store.put_roll_up(dirty, [roll_up(5)])
    assert [(5, "p")] == places(store)
    (again,) = store.dirty_minutes(10)
    assert again.mark != dirty.mark
    store.put_roll_up(again, [roll_up(5)])
    assert [] == places(store)


def test_a_mark_is_never_used_twice(store: SqliteStore, make_result: Make, put: Put) -> None:
    """A roll-up made before a minute was cleaned and dirtied again does not clean it."""
    put(store, [make_result(event_ns=5 * MINUTE_NS)])
    (old,) = store.dirty_minutes(10)
    store.put_roll_up(old, [])
    put(store, [make_result(event_ns=5 * MINUTE_NS)])
    store.put_roll_up(old, [])
    assert [(5, "p")] == places(store)


def test_roll_ups_come_back_equal(store: SqliteStore) -> None:
    """Sums, latencies and layout, of a span of minutes."""
    for minute in (4, 5, 6):
        store.put_roll_up(Dirty(minute, "p", 0), [roll_up(minute, fill=minute / 7)])
    first, second = store.roll_ups(4, 6)
    assert (4, 5) == (first.minute, second.minute)
    expected = roll_up(5, fill=5 / 7)
    assert (expected.pipeline, expected.layout, 3, 1) == (
        second.pipeline,
        second.layout,
        second.requests,
        second.labelled,
    )
    np.testing.assert_array_equal(expected.sums, second.sums)
    assert list(expected.latencies) == list(second.latencies)
    for stage, seconds in expected.latencies.items():
        np.testing.assert_array_equal(seconds, second.latencies[stage])


def test_roll_ups_of_a_minute_are_replaced(store: SqliteStore) -> None:
    """All layouts of the minute and pipeline, and no other pipeline's."""
    dirty = Dirty(5, "p", 0)
    store.put_roll_up(dirty, [roll_up(5), roll_up(5, layout=LAYOUT[:1])])
    store.put_roll_up(Dirty(5, "q", 0), [roll_up(5, pipeline="q")])
    store.put_roll_up(dirty, [roll_up(5, layout=LAYOUT[1:])])
    assert [("p", LAYOUT[1:]), ("q", LAYOUT)] == sorted(
        (one.pipeline, one.layout) for one in store.roll_ups(0, 10)
    )


def test_a_roll_up_without_latencies(store: SqliteStore) -> None:
    """Nothing is not an error."""
    made = RollUp(5, "p", LAYOUT, 1, 0, np.zeros((2, len(Column))), {})
    store.put_roll_up(Dirty(5, "p", 0), [made])
    assert [{}] == [dict(one.latencies) for one in store.roll_ups(0, 10)]


def test_roll_ups_are_read_in_pages(store: SqliteStore) -> None:
    """More than a page, several a minute, come once each and in order."""
    layouts = [(Slot("generation", "exact_match", None, version),) for version in range(30)]
    for minute in range(25):
        store.put_roll_up(
            Dirty(minute, "p", 0), [roll_up(minute, layout=layout) for layout in layouts]
        )
    read = [(one.minute, one.layout[0].version) for one in store.roll_ups(0, 25)]
    assert [(minute, version) for minute in range(25) for version in range(30)] == read


def test_every_minute_gets_its_turn(store: SqliteStore, make_result: Make, put: Put) -> None:
    """Pipelines that are dirtied again and again keep no other from its roll-ups."""
    names = [f"a{number}" for number in range(9)]
    put(store, [make_result(trace_id="z", pipeline="z", event_ns=5 * MINUTE_NS)])
    behind: Dirty | None = None
    rounds = 0
    while behind is None or (5, "z") in places(store):
        rounds += 1
        put(store, [make_result(trace_id=f"{name}{rounds}", pipeline=name) for name in names])
        for dirty in store.dirty_minutes(4, behind):
            store.put_roll_up(dirty, [])
            behind = dirty
        assert rounds <= 5


def test_half_of_a_portion_is_the_latest(store: SqliteStore, make_result: Make, put: Put) -> None:
    """A backlog of old minutes does not hold up the present one."""
    for minute in range(1, 9):
        put(store, [make_result(trace_id=f"t{minute}", event_ns=minute * MINUTE_NS)])
    portion = [dirty.minute for dirty in store.dirty_minutes(4, Dirty(2, "p", 0))]
    assert portion == [8, 7, 3, 4]
    portion = [dirty.minute for dirty in store.dirty_minutes(6, Dirty(5, "p", 0))]
    assert portion == [8, 7, 6, 1, 2, 3]


def test_every_dirty_minute_of_a_time_span(store: SqliteStore, make_result: Make, put: Put) -> None:
    """All of them, however many; the end is none of them."""
    for minute in (2, 3, 4, 5):
        put(store, [make_result(trace_id=f"t{minute}", event_ns=minute * MINUTE_NS)])
    put(store, [make_result(trace_id="q", event_ns=4 * MINUTE_NS, pipeline="a")])
    found = [(dirty.pipeline, dirty.minute) for dirty in store.dirty_within(3, 5)]
    assert [("a", 4), ("p", 3), ("p", 4)] == found
    for dirty in store.dirty_within(3, 4):
        store.put_roll_up(dirty, [])
    assert [] == store.dirty_within(3, 4)
