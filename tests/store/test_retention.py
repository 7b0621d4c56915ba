"""Content goes after `keep_s` from the first settle, numbers after `retention_s` from the event."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import func, select

from ragmon.model.flow import Conflict, Kept, Settled, SpanPart, TraceState
from ragmon.model.gold import GoldLabel, MatchKey, TargetKind
from ragmon.model.result import Result, Winner
from ragmon.store.protocol import Expired
from ragmon.store.retention import BATCH
from ragmon.store.schema import METADATA
from ragmon.store.settings import StoreSettings
from ragmon.store.sqlite import SqliteStore

S = 10**9
EVENT_NS = 1_800_000_000 * S
T1 = MatchKey(TargetKind.TRACE, "t1")
QUERY = MatchKey(TargetKind.QUERY, "a secret question")
KEEP_S, RETENTION_S = 1000, 100_000

Make = Callable[..., Result]
MakeSettled = Callable[..., Settled]
MakeSpan = Callable[..., SpanPart]
MakeLabel = Callable[..., GoldLabel]
Put = Callable[..., None]


@pytest.fixture
def ageing(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store that keeps content for 1,000 and numbers for 100,000 seconds."""
    with SqliteStore(tmp_path, StoreSettings(keep_s=KEEP_S, retention_s=RETENTION_S)) as opened:
        yield opened


def at(seconds: int) -> int:
    return EVENT_NS + seconds * S


def test_content_is_kept_until_keep_s(ageing: SqliteStore, make_result: Make, put: Put) -> None:
    """Counted from the first settle: a later one does not prolong it."""
    put(ageing, [make_result()], now_ns=at(0))
    put(ageing, [make_result()], now_ns=at(900))
    assert Expired() == ageing.expire(at(1000))
    assert Expired(gone=1) == ageing.expire(at(1001))


def test_a_trace_that_is_gone_keeps_its_numbers(
    ageing: SqliteStore,
    make_result: Make,
    make_settled: MakeSettled,
    make_span: MakeSpan,
) -> None:
    """Spans go, span ids and results stay; a winner loses what it pointed at."""
    winner = Winner("relevant_ids", "hash", QUERY, 5)
    settled = make_settled(
        Kept("t1"), make_result(winners=[winner]), spans=[make_span("a"), make_span("b")]
    )
    ageing.commit([settled], at(0))
    ageing.expire(at(1001))
    gone = Kept("t1", 2, TraceState.GONE, (), frozenset(["a", "b"]))
    assert gone == ageing.load(["t1"])["t1"]
    (row,) = ageing.rows(0, 2**62)
    assert row.labelled
    assert (0.5, "") == (row.values[1], row.winners[0].key.value)


def test_expiry_conflicts_with_a_settle_in_flight(
    ageing: SqliteStore, make_result: Make, make_settled: MakeSettled, put: Put
) -> None:
    """The revision moves, so that what was loaded before cannot bring content back."""
    put(ageing, [make_result()], now_ns=at(0))
    kept = ageing.load(["t1"])["t1"]
    ageing.expire(at(1001))
    settled = make_settled(kept, make_result())
    assert [Conflict("t1")] == ageing.commit([settled], at(1002))[1]


def test_a_touched_trace_that_goes_is_settled_no_more(
    ageing: SqliteStore, make_result: Make, make_label: MakeLabel, put: Put
) -> None:
    """Nothing would come of it."""
    put(ageing, [make_result()], now_ns=at(0))
    ageing.put_labels([make_label(T1)], at(1))
    ageing.expire(at(1001))
    assert [] == ageing.touched(10)


def test_more_than_a_batch_goes_at_once(
    ageing: SqliteStore, make_result: Make, make_settled: MakeSettled
) -> None:
    """One call takes all that is due."""
    batch = [
        make_settled(Kept(f"t{n}"), make_result(trace_id=f"t{n}", keys=()), spans=())
        for n in range(600)
    ]
    ageing.commit(batch, at(0))
    assert Expired(gone=600) == ageing.expire(at(1001))
    assert Expired(deleted=600) == ageing.expire(at(RETENTION_S + 120))


def test_nothing_is_left_after_retention(
    ageing: SqliteStore, make_result: Make, make_label: MakeLabel, put: Put
) -> None:
    """Rows, match keys, spans, labels, dirty minutes and pipelines go; standing labels stay."""
    put(ageing, [make_result(keys=[T1, QUERY])], now_ns=at(0))
    ageing.put_labels([make_label(T1, labelled_at_ns=at(0)), make_label(QUERY)], at(1))
    assert Expired(1, 1, 1) == ageing.expire(at(RETENTION_S + 120))
    assert {"label": 1, "layout": 1} == {
        name: count for name, count in counts(ageing).items() if count
    }
    assert () == ageing.pipelines()


def counts(store: SqliteStore) -> dict[str, int]:
    with store._database.read() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in METADATA.tables.values()
        }


def test_retention_goes_by_event_time(ageing: SqliteStore, make_result: Make, put: Put) -> None:
    """A backfilled request is as old as its event, not as its settle."""
    put(ageing, [make_result(trace_id="old", event_ns=at(-RETENTION_S - 120))], now_ns=at(0))
    put(ageing, [make_result(trace_id="new")], now_ns=at(0))
    assert Expired(deleted=1) == ageing.expire(at(1))
    assert ["new"] == [row.key.trace_id for row in ageing.rows(0, 2**62)]


def test_a_label_of_a_settled_request_stays(
    ageing: SqliteStore, make_result: Make, make_label: MakeLabel, put: Put
) -> None:
    """However old it is: the results were made from it."""
    label = make_label(T1, labelled_at_ns=at(-2 * RETENTION_S))
    ageing.put_labels([label], at(-2 * RETENTION_S))
    put(ageing, [make_result()], labels=[label], now_ns=at(0))
    assert Expired() == ageing.expire(at(10))


def test_an_old_label_posted_just_now_stays(ageing: SqliteStore, make_label: MakeLabel) -> None:
    """Its request may be on the way."""
    ageing.put_labels([make_label(T1, labelled_at_ns=at(-2 * RETENTION_S))], at(0))
    assert Expired() == ageing.expire(at(10))
    assert Expired(labels=1) == ageing.expire(at(RETENTION_S + 1))


def test_a_pipeline_that_comes_back_is_stored_again(
    ageing: SqliteStore, make_result: Make, put: Put
) -> None:
    """Its number is not remembered from before."""
    put(ageing, [make_result()], now_ns=at(0))
    ageing.expire(at(RETENTION_S + 120))
    put(ageing, [make_result(event_ns=at(RETENTION_S))], now_ns=at(RETENTION_S))
    assert ("p",) == ageing.pipelines()
    assert ["p"] == [row.pipeline for row in ageing.rows(0, 2**62)]


def test_a_store_over_its_bound_lets_the_oldest_go(
    tmp_path: Path, make_result: Make, make_settled: MakeSettled, make_span: MakeSpan
) -> None:
    """Spans first, and numbers once no spans are left; below the bound nothing goes."""
    with SqliteStore(tmp_path) as store:
        for number in range(300):
            trace_id = f"t{number:03}"
            spans = [make_span(trace_id=trace_id, content=sha256(trace_id.encode()).hexdigest())]
            made = make_result(trace_id=trace_id, event_ns=EVENT_NS + number * 60 * S)
            store.commit([make_settled(Kept(trace_id), made, spans=spans)], at(0))
        assert store.shrink() == 0
        size = store.bytes
    with SqliteStore(tmp_path, StoreSettings(max_bytes=size)) as store:
        assert store.shrink() == 0
    with SqliteStore(tmp_path, StoreSettings(max_bytes=1)) as store:
        assert store.shrink() == BATCH
        states = [one.state for _, one in sorted(store.load(["t000", "t255", "t256"]).items())]
        assert [TraceState.GONE, TraceState.GONE, TraceState.SETTLED] == states
        assert [44, BATCH, 44, 0] == [store.shrink() for _ in range(4)]
        assert store.bytes < size
        assert [] == list(store.rows(0, 1 << 62))
