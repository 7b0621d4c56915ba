"""Labels at rest: the greatest version stands, and what they reach is settled again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ragmon.model.flow import Kept, Known, LabelOutcome, Settled, Touch, Unmatched
from ragmon.model.gold import GoldField, GoldLabel, MatchKey, TargetKind
from ragmon.model.result import Cause, Result
from ragmon.store.schema import LABEL
from ragmon.store.settings import StoreSettings
from ragmon.store.sqlite import SqliteStore

EVENT_NS = 1_800_000_000 * 10**9
NOW_NS = EVENT_NS + 10**9
T1 = MatchKey(TargetKind.TRACE, "t1")
APP_ID = MatchKey(TargetKind.REQUEST_ID, "order-7")
QUERY = MatchKey(TargetKind.QUERY, "what is it")

Make = Callable[..., Result]
MakeSettled = Callable[..., Settled]
MakeLabel = Callable[..., GoldLabel]
Put = Callable[..., None]


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ({}, {}, LabelOutcome.UNCHANGED),
        ({}, {"revision": 1}, LabelOutcome.REPLACED),
        ({"revision": 1}, {"labelled_at_ns": EVENT_NS + 5}, LabelOutcome.SUPERSEDED),
        ({}, {"labelled_at_ns": EVENT_NS + 5}, LabelOutcome.REPLACED),
        ({}, {"annotator": "other"}, LabelOutcome.ACCEPTED),
        ({}, {"field": GoldField.ANSWERABLE, "value": "true"}, LabelOutcome.ACCEPTED),
        ({}, {"pipeline": "p"}, LabelOutcome.ACCEPTED),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_the_greatest_version_of_a_label_stands(
    store: SqliteStore,
    make_label: MakeLabel,
    first: dict[str, object],
    second: dict[str, object],
    outcome: LabelOutcome,
    together: bool,
) -> None:
    """Per target, field and annotator; in one post or in two."""
    labels = [make_label(T1, **first), make_label(T1, **second)]
    posts = [labels] if together else [[label] for label in labels]
    outcomes = [one for post in posts for one in store.put_labels(post, NOW_NS).outcomes]
    assert [LabelOutcome.ACCEPTED, outcome] == outcomes
    best = {
        LabelOutcome.ACCEPTED: set(labels),
        LabelOutcome.REPLACED: {labels[1]},
    }.get(outcome, {labels[0]})
    assert best == set(store.known([T1]).labels)


def test_of_two_equal_in_revision_and_time_the_greater_hash_stands(
    store: SqliteStore, make_label: MakeLabel
) -> None:
    """So that the order of arrival never matters."""
    labels = [make_label(T1, value=value) for value in ('{"a":1.0}', '{"b":1.0}')]
    greatest = max(labels, key=lambda label: label.version)
    store.put_labels(labels, NOW_NS)
    store.put_labels(labels[::-1], NOW_NS)
    assert (greatest,) == store.known([T1]).labels


def test_known_gives_labels_under_the_keys_alone(store: SqliteStore, make_label: MakeLabel) -> None:
    """Every label under any of the keys, none of another."""
    under = [make_label(T1), make_label(APP_ID, pipeline="p")]
    store.put_labels([*under, make_label(QUERY)], NOW_NS)
    assert set(under) == set(store.known([T1, APP_ID]).labels)
    assert Known() == store.known([])


def test_an_equal_digest_is_no_match(store: SqliteStore, make_label: MakeLabel) -> None:
    """Keys are compared in full: a collision of hashes gives no label to a stranger."""
    store.put_labels([make_label(T1)], NOW_NS)
    with store._database.write() as connection:
        connection.execute(LABEL.update().values(digest=APP_ID.digest))
    assert Known() == store.known([APP_ID])


def test_a_label_touches_what_is_stored(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """An accepted label touches with the cause label, a replacing one with revision."""
    put(store, [make_result()])
    store.put_labels([make_label(T1)], NOW_NS)
    assert [Touch("t1", Cause.LABEL)] == store.touched(10)
    store.put_labels([make_label(T1, revision=1)], NOW_NS)
    assert [Touch("t1", Cause.REVISION)] == store.touched(10)


def test_a_label_that_changes_nothing_touches_nothing(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """Unchanged and superseded labels are no reason to settle."""
    label = make_label(T1, revision=1)
    store.put_labels([label], NOW_NS)
    put(store, [make_result()], labels=[label])
    store.put_labels([label, make_label(T1)], NOW_NS)
    assert [] == store.touched(10)


def test_a_commit_clears_the_touch(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """What was settled with the label need not be settled again."""
    put(store, [make_result()])
    label = make_label(T1)
    store.put_labels([label], NOW_NS)
    put(store, [make_result(values=(1.0, 0.5))], labels=[label])
    assert [] == store.touched(10)


def test_untouch_gives_up(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """A trace that was set aside is not settled for ever."""
    put(store, [make_result()])
    store.put_labels([make_label(T1)], NOW_NS)
    store.untouch(["t1", "unknown"])
    assert [] == store.touched(10)


def test_a_query_label_touches_every_request_with_the_query(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """A standing label reaches all that is stored, and never waits."""
    for at in range(3):
        put(store, [make_result(trace_id=f"t{at}", keys=[QUERY])])
    receipt = store.put_labels([make_label(QUERY)], NOW_NS)
    assert 0 == receipt.unmatched
    assert ["t0", "t1", "t2"] == [touch.trace_id for touch in store.touched(10)]
    assert 2 == len(store.touched(2))


def test_a_label_of_a_later_request_waits(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, make_settled: MakeSettled
) -> None:
    """It is unmatched until a commit uses it, and a query label never is."""
    labels = [make_label(APP_ID, labelled_at_ns=NOW_NS), make_label(QUERY)]
    assert 1 == store.put_labels(labels, NOW_NS).unmatched
    assert Unmatched(1, NOW_NS) == store.labels_unmatched()
    settled = make_settled(Kept("t1"), make_result(keys=[APP_ID]), labels=labels[:1])
    store.commit([settled], NOW_NS)
    assert Unmatched(0, None) == store.labels_unmatched()


def test_a_label_of_another_pipeline_waits(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """The pipeline is a part of the target."""
    label = make_label(APP_ID, pipeline="q")
    put(store, [make_result(keys=[APP_ID], pipeline="p")])
    assert 1 == store.put_labels([label], NOW_NS).unmatched
    put(store, [make_result(keys=[APP_ID], pipeline="p")], labels=[label])
    assert 1 == store.labels_unmatched().count
    put(store, [make_result(keys=[APP_ID], pipeline="q")], labels=[label])
    assert 0 == store.labels_unmatched().count


def test_the_lag_of_a_label_is_told_once(
    store: SqliteStore, make_label: MakeLabel, make_result: Make, make_settled: MakeSettled
) -> None:
    """By the commit that first used it: seconds from the request's end, never below 0."""
    late = make_label(T1, labelled_at_ns=EVENT_NS + 90 * 10**9)
    early = make_label(APP_ID, labelled_at_ns=EVENT_NS - 5)
    store.put_labels([late, early], NOW_NS)
    result = make_result(keys=[T1, APP_ID])
    (fresh,), _ = store.commit([make_settled(Kept("t1"), result, labels=[late, early])], NOW_NS)
    assert [0.0, 90.0] == sorted(fresh.label_lags_s)
    other = make_result(trace_id="t2", keys=[APP_ID])
    (fresh,), _ = store.commit([make_settled(Kept("t2"), other, labels=[early])], NOW_NS)
    assert () == fresh.label_lags_s


def test_a_label_for_what_is_gone_is_expired(
    tmp_path: Path, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """Nothing changes a trace that is gone; a standing label is kept for others."""
    with SqliteStore(tmp_path, StoreSettings(keep_s=10)) as store:
        put(store, [make_result(keys=[APP_ID, QUERY])], now_ns=NOW_NS)
        store.expire(NOW_NS + 11 * 10**9)
        receipt = store.put_labels([make_label(APP_ID), make_label(QUERY)], NOW_NS)
        assert (LabelOutcome.EXPIRED, LabelOutcome.ACCEPTED) == receipt.outcomes
        assert [] == store.touched(10)
        assert 1 == len(store.known([APP_ID, QUERY]).labels)


def test_a_key_with_one_trace_left_takes_labels(
    tmp_path: Path, make_label: MakeLabel, make_result: Make, put: Put
) -> None:
    """Two traces may share the app's id; a label expires only where all of them are gone."""
    with SqliteStore(tmp_path, StoreSettings(keep_s=10)) as store:
        put(store, [make_result(trace_id="t1", keys=[APP_ID])], now_ns=NOW_NS)
        put(store, [make_result(trace_id="t2", keys=[APP_ID])], now_ns=NOW_NS + 10 * 10**9)
        store.expire(NOW_NS + 11 * 10**9)
        assert (LabelOutcome.ACCEPTED,) == store.put_labels([make_label(APP_ID)], NOW_NS).outcomes
        assert [Touch("t2", Cause.LABEL)] == store.touched(10)


def test_more_labels_than_a_statement_carries(store: SqliteStore, make_label: MakeLabel) -> None:
    """A large post is kept whole."""
    keys = [MatchKey(TargetKind.REQUEST_ID, f"r{at}") for at in range(1200)]
    receipt = store.put_labels([make_label(key) for key in keys], NOW_NS)
    assert 1200 == receipt.unmatched == len(store.known(keys).labels)
