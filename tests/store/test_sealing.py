"""Spans are replaced by reduced records, unless the facts of a trace moved meanwhile."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragmon.model.flow import Conflict, Kept, Sealable, Sealed, Settled, TraceState
from ragmon.model.gold import GoldLabel, MatchKey, TargetKind
from ragmon.model.keep import Keep
from ragmon.model.result import Result
from ragmon.store.settings import StoreSettings
from ragmon.store.sqlite import SqliteStore
from ragmon.text.hashing import TokenHasher

S = 10**9
EVENT_NS = 1_800_000_000 * S
DUE_NS = EVENT_NS + 901 * S
T1 = MatchKey(TargetKind.TRACE, "t1")
RECORDS = b"records without texts"

Make = Callable[..., Result]
MakeSettled = Callable[..., Settled]
MakeLabel = Callable[..., GoldLabel]
Put = Callable[..., None]


@pytest.fixture
def sealing(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store that lets spans go after 900 seconds."""
    hasher = TokenHasher(b"the key of tests")
    with SqliteStore(tmp_path, StoreSettings(keep=Keep.HASHED), hasher) as opened:
        yield opened


def _names(found: list[Sealable]) -> list[str]:
    return [one.trace_id for one in found]


def _seal(store: SqliteStore, kept: Kept) -> int:
    return store.seal([Sealed(kept, RECORDS)])


def test_what_is_due_is_listed_oldest_first(
    sealing: SqliteStore, make_result: Make, put: Put
) -> None:
    """By the first settle, page by page from behind the last one seen."""
    for trace_id, seconds in (("t3", 2), ("t1", 0), ("t2", 0), ("late", 3)):
        put(sealing, [make_result(trace_id=trace_id)], now_ns=EVENT_NS + seconds * S)
    now_ns = EVENT_NS + 903 * S
    first = sealing.sealable(now_ns, 2)
    assert ["t1", "t2"] == _names(first)
    assert ["t3"] == _names(sealing.sealable(now_ns, 2, first[-1]))


def test_a_touched_trace_is_not_listed(
    sealing: SqliteStore, make_result: Make, make_label: MakeLabel, put: Put
) -> None:
    """It is to be settled again first, with all of its texts."""
    put(sealing, [make_result()])
    sealing.put_labels([make_label(T1)], DUE_NS)
    assert [] == sealing.sealable(DUE_NS, 9)


def test_a_sealed_trace_holds_its_records_and_last_results(
    sealing: SqliteStore, make_result: Make, put: Put
) -> None:
    """No spans, but their ids; what it read of the corpus and its keys stand beside it."""
    put(sealing, [make_result(pipeline="shop")])
    before = sealing.load(["t1"])["t1"]
    assert _seal(sealing, before) == 1
    kept = sealing.load(["t1"])["t1"]
    assert (TraceState.SEALED, RECORDS, ()) == (kept.state, kept.sealed, kept.spans)
    assert before.span_ids == kept.span_ids
    (result,), (row,) = kept.results, sealing.rows(0, 1 << 62)
    assert (row.values, "shop") == (result.values, result.pipeline)
    assert [] == sealing.sealable(DUE_NS, 9)


def test_a_trace_that_was_settled_meanwhile_is_not_sealed(
    sealing: SqliteStore, make_result: Make, put: Put
) -> None:
    """Its records were made of other spans."""
    put(sealing, [make_result()])
    before = sealing.load(["t1"])["t1"]
    put(sealing, [make_result(values=(0.5, 0.5))])
    assert _seal(sealing, before) == 0
    assert sealing.load(["t1"])["t1"].state is TraceState.SETTLED


def test_a_trace_that_was_touched_meanwhile_is_not_sealed(
    sealing: SqliteStore, make_result: Make, make_label: MakeLabel, put: Put
) -> None:
    """Its label is joined first."""
    put(sealing, [make_result()])
    before = sealing.load(["t1"])["t1"]
    sealing.put_labels([make_label(T1)], DUE_NS)
    assert _seal(sealing, before) == 0


def test_sealing_conflicts_with_a_settle_in_flight(
    sealing: SqliteStore, make_result: Make, make_settled: MakeSettled, put: Put
) -> None:
    """What was loaded before cannot bring spans back."""
    put(sealing, [make_result()])
    before = sealing.load(["t1"])["t1"]
    _seal(sealing, before)
    settled = make_settled(before, make_result())
    assert [Conflict("t1")] == sealing.commit([settled], DUE_NS)[1]


def test_a_trace_that_is_not_stored_cannot_be_sealed(sealing: SqliteStore) -> None:
    """It was removed meanwhile."""
    assert _seal(sealing, Kept("t9", 1)) == 0


def test_plain_spans_are_never_due(store: SqliteStore, make_result: Make, put: Put) -> None:
    """Whatever their age."""
    put(store, [make_result()])
    assert [] == store.sealable(1 << 62, 9)
