"""Results are replaced together, if the facts they were made from are still the facts."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ragmon.errors import StoreUnavailableError
from ragmon.model.flow import Conflict, Kept, Settled, SpanPart, Touch, TraceState
from ragmon.model.gold import GoldLabel, MatchKey, TargetKind
from ragmon.model.measurement import Kind, NotMeasured, Slot
from ragmon.model.record import Stage
from ragmon.model.result import Cause, Evaluation, Observation, Result, Winner
from ragmon.store.sqlite import SqliteStore

NOW_NS = 1_800_000_100 * 10**9
FOREVER = (0, 2**62)
T1 = MatchKey(TargetKind.TRACE, "t1")

Make = Callable[..., Result]
MakeSettled = Callable[..., Settled]
MakeSpan = Callable[..., SpanPart]
MakeLabel = Callable[..., GoldLabel]
Put = Callable[..., None]


def rows(store: SqliteStore) -> list[Result]:
    return list(store.rows(*FOREVER))


def test_a_trace_that_is_not_stored_has_revision_0(store: SqliteStore) -> None:
    """Every trace asked for is in the answer."""
    assert {"t1": Kept("t1")} == store.load(["t1"])


def test_what_is_committed_is_loaded(
    store: SqliteStore, make_settled: MakeSettled, make_span: MakeSpan, make_result: Make
) -> None:
    """Kept spans come back equal, with their ids and revision 1."""
    spans = (make_span("a"), make_span("b", content="other"))
    store.commit([make_settled(Kept("t1"), make_result(), spans=spans)], NOW_NS)
    assert (
        Kept("t1", 1, TraceState.SETTLED, spans, frozenset(["a", "b"])) == store.load(["t1"])["t1"]
    )


def test_spans_without_a_request_are_kept(
    store: SqliteStore, make_settled: MakeSettled, make_span: MakeSpan
) -> None:
    """A trace without a record is stored: what comes later may make one of it."""
    store.commit([make_settled(Kept("t1"), spans=[make_span("a")])], NOW_NS)
    assert (make_span("a"),) == store.load(["t1"])["t1"].spans


def test_rows_give_back_equal_results(store: SqliteStore, make_result: Make, put: Put) -> None:
    """All that a summary needs survives: values, reasons, durations, observations, winners."""
    winner = Winner("relevant_ids", "hash", MatchKey(TargetKind.QUERY, "what is ü"), 5)
    result = make_result(
        values=(0.1 + 0.2, NotMeasured(Kind.FAILED, "ValueError")),
        durations={Stage.RETRIEVAL: 0.25, Stage.END_TO_END: 1.5},
        observations={Observation("tokens", "m", "input"): 7, Observation("outcome"): "answered"},
        winners=[winner],
        weight=None,
    )
    put(store, [result])
    assert [replace(result, span_ids=(), match_keys=())] == rows(store)


def test_results_of_a_trace_are_replaced_together(
    store: SqliteStore, make_result: Make, put: Put
) -> None:
    """What the new settle does not have is gone."""
    put(store, [make_result("r1"), make_result("r2")])
    put(store, [make_result("r2"), make_result("r3")])
    assert ["r2", "r3"] == sorted(result.key.span_id for result in rows(store))


def test_rows_of_a_window_and_a_pipeline(store: SqliteStore, make_result: Make, put: Put) -> None:
    """A window holds its start and not its end; a pipeline only its own rows."""
    for at in (100, 200, 300):
        put(store, [make_result(trace_id=f"t{at}", event_ns=at, keys=())])
    put(store, [make_result(trace_id="other", event_ns=150, pipeline="q", keys=())])
    assert [100, 200] == [result.event_ns for result in store.rows(100, 300, "p")]
    assert [100, 150, 200] == sorted(result.event_ns for result in store.rows(100, 300))
    assert [] == list(store.rows(0, 1000, "unknown"))
    assert ("p", "q") == store.pipelines()


def test_rows_are_read_in_pages(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make
) -> None:
    """More rows than a page holds, many of one minute, come once each."""
    batch = [
        make_settled(
            Kept(f"t{at}"), make_result(trace_id=f"t{at}", event_ns=at * 10**8, keys=()), spans=()
        )
        for at in range(2500)
    ]
    store.commit(batch, NOW_NS)
    assert [at * 10**8 for at in range(2500)] == [result.event_ns for result in rows(store)]


def test_a_moved_revision_is_a_conflict_for_that_trace_alone(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make, put: Put
) -> None:
    """The rest of the batch stands, and nothing of the other is written."""
    put(store, [make_result(values=(0.1, 0.1))])
    batch = [
        make_settled(Kept("t1"), make_result(values=(0.9, 0.9))),
        make_settled(Kept("t2"), make_result(trace_id="t2")),
    ]
    fresh, conflicts = store.commit(batch, NOW_NS)
    assert [Conflict("t1")] == conflicts
    assert ["t2"] == [one.key.trace_id for one in fresh]
    assert (0.1, 0.1) == rows(store)[0].values


def test_the_second_of_one_trace_in_a_batch_is_a_conflict(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make
) -> None:
    """It was settled without the first."""
    batch = [make_settled(Kept("t1"), make_result(values=(one, one))) for one in (0.1, 0.2)]
    _, conflicts = store.commit(batch, NOW_NS)
    assert [Conflict("t1")] == conflicts
    assert [(0.1, 0.1)] == [result.values for result in rows(store)]


def test_a_label_posted_after_known_is_a_conflict(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make, make_label: MakeLabel
) -> None:
    """The commit reads again what stands under the match keys."""
    settled = make_settled(Kept("t1"), make_result())
    label = make_label(T1)
    store.put_labels([label], NOW_NS)
    assert ([], [Conflict("t1")]) == store.commit([settled], NOW_NS)
    again = make_settled(Kept("t1"), make_result(), labels=[label])
    assert [] == store.commit([again], NOW_NS)[1]


def test_a_revision_posted_after_known_is_a_conflict(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make, make_label: MakeLabel
) -> None:
    """The same label at another version is another fact."""
    old, new = make_label(T1), make_label(T1, revision=1)
    store.put_labels([new], NOW_NS)
    settled = make_settled(Kept("t1"), make_result(), labels=[old])
    assert [Conflict("t1")] == store.commit([settled], NOW_NS)[1]


def test_a_conflict_keeps_the_touch(
    store: SqliteStore,
    make_settled: MakeSettled,
    make_result: Make,
    make_label: MakeLabel,
    put: Put,
) -> None:
    """A crash before it is settled again must not lose the label."""
    put(store, [make_result()])
    settled = make_settled(store.load(["t1"])["t1"], make_result())
    store.put_labels([make_label(T1)], NOW_NS)
    assert [Conflict("t1")] == store.commit([settled], NOW_NS)[1]
    assert [Touch("t1", Cause.LABEL)] == store.touched(10)


def test_an_expired_draft_stores_nothing(store: SqliteStore, make_settled: MakeSettled) -> None:
    """Nothing of a trace that is gone comes back."""
    settled = make_settled(Kept("t1"), spans=(), expired=True)
    assert ([], []) == store.commit([settled], NOW_NS)
    assert Kept("t1") == store.load(["t1"])["t1"]


def test_fresh_carries_what_may_be_counted(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make
) -> None:
    """A first commit counts everything, the same commit again has nothing fresh."""
    (fresh,), _ = store.commit([make_settled(Kept("t1"), make_result())], NOW_NS)
    assert fresh.first
    assert (Evaluation.MISSING, Evaluation.MEASURED) == tuple(as_ for _, as_ in fresh.evaluations)
    assert NOW_NS == fresh.committed_ns
    kept = store.load(["t1"])["t1"]
    assert ([], []) == store.commit([make_settled(kept, make_result())], NOW_NS)


def test_marks_survive_a_restart(
    tmp_path: Path, make_settled: MakeSettled, make_result: Make, put: Put
) -> None:
    """The set of observations made is read back, through a change of layout and a vanished key."""
    ten = Slot("retrieval", "recall_at_k", 10, 1)
    with SqliteStore(tmp_path) as store:
        put(store, [make_result("v", span_ids=["a"], values=(0.3, 0.4))])
        put(store, [make_result("r", span_ids=["a"], layout=(ten,), values=(0.5,))])
    with SqliteStore(tmp_path) as store:
        kept = store.load(["t1"])["t1"]
        both = [make_result(key, span_ids=["a"], values=(0.3, 0.4)) for key in ("v", "r")]
        fresh, _ = store.commit([make_settled(kept, *both)], NOW_NS)
    assert [] == [score for one in fresh for score in one.scores]
    assert [] == [seen for one in fresh for seen in one.observations]


def test_corrections_carry_their_cause(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make, put: Put
) -> None:
    """A changed value counts as one correction with the cause of the settle."""
    put(store, [make_result(values=(0.1, 0.5))])
    kept = store.load(["t1"])["t1"]
    changed = make_settled(kept, make_result(values=(0.2, 0.5)), cause=Cause.REVISION)
    (fresh,), _ = store.commit([changed], NOW_NS)
    assert (1, Cause.REVISION, False) == (fresh.corrections, fresh.cause, fresh.first)


def test_a_silent_commit_has_nothing_fresh(
    store: SqliteStore, make_settled: MakeSettled, make_result: Make, put: Put
) -> None:
    """A backfill moves no counter, neither then nor with a later label."""
    assert [] == store.commit([make_settled(Kept("t1"), make_result())], NOW_NS, silent=True)[0]
    kept = store.load(["t1"])["t1"]
    later = make_settled(kept, make_result(values=(1.0, 0.5)), cause=Cause.LABEL)
    assert [] == [one.scores for one in store.commit([later], NOW_NS)[0] if one.scores]


def test_two_traces_share_a_context(
    store: SqliteStore, make_settled: MakeSettled, make_span: MakeSpan
) -> None:
    """A context that several spans share is one object after loading."""
    spans = [make_span("a"), make_span("b")]
    store.commit([make_settled(Kept("t1"), spans=spans)], NOW_NS)
    first, second = store.load(["t1"])["t1"].spans
    assert first.context is second.context


def test_kept_spans_are_replaced_when_they_change(
    store: SqliteStore, make_settled: MakeSettled, make_span: MakeSpan
) -> None:
    """A span that won over the kept one of the same id replaces it."""
    store.commit([make_settled(Kept("t1"), spans=[make_span("a")])], NOW_NS)
    kept = store.load(["t1"])["t1"]
    store.commit([make_settled(kept, spans=[make_span("a", content="longer")])], NOW_NS)
    assert (2, (make_span("a", content="longer"),)) == (
        store.load(["t1"])["t1"].revision,
        store.load(["t1"])["t1"].spans,
    )


def test_a_full_disk_stores_nothing_and_recovers(
    tmp_path: Path, make_settled: MakeSettled, make_result: Make, make_span: MakeSpan
) -> None:
    """A commit without room raises, leaves nothing behind, and works once there is room."""
    noise = random.Random(0).randbytes(100_000).hex()
    settled = make_settled(Kept("t1"), make_result(), spans=[make_span(content=noise)])
    with SqliteStore(tmp_path) as store:
        with store._database.write() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 1}")
        with pytest.raises(StoreUnavailableError, match="no room"):
            store.commit([settled], NOW_NS)
        assert Kept("t1") == store.load(["t1"])["t1"]
        with store._database.write() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=100000")
        assert 1 == len(store.commit([settled], NOW_NS)[0])
        assert ["r1"] == [result.key.span_id for result in rows(store)]
