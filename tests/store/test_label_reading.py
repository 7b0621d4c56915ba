"""Labels read out of the store again."""

from collections.abc import Callable

from ragmon.model.gold import GoldField, GoldLabel, MatchKey, TargetKind
from ragmon.model.label_views import LabelChoice, LabelCount
from ragmon.store.sqlite import SqliteStore

MakeLabel = Callable[..., GoldLabel]


def on(request_id: str) -> MatchKey:
    return MatchKey(TargetKind.REQUEST_ID, request_id)


def test_labels_are_read_page_by_page(store: SqliteStore, make_label: MakeLabel) -> None:
    """All of them, each once, in the order in which they came."""
    labels = [make_label(on(f"r{number}")) for number in range(2001)]
    store.put_labels(labels, 1)
    assert labels == list(store.labels(LabelChoice()))


def test_labels_are_chosen(store: SqliteStore, make_label: MakeLabel) -> None:
    """By field, by annotator, and by when they came or were replaced."""
    old = make_label(on("a"))
    replaced = make_label(on("b"), annotator="bob")
    newer = make_label(on("b"), annotator="bob", revision=1)
    other = make_label(on("c"), field=GoldField.ANSWERABLE, value="true")
    store.put_labels([old, replaced], 10)
    store.put_labels([newer, other], 20)
    assert [old, newer, other] == list(store.labels(LabelChoice()))
    assert [newer, other] == list(store.labels(LabelChoice(since_ns=20)))
    assert [newer] == list(store.labels(LabelChoice(annotator="bob")))
    assert [other] == list(store.labels(LabelChoice(field=GoldField.ANSWERABLE, since_ns=5)))


def test_labels_are_counted(store: SqliteStore, make_label: MakeLabel) -> None:
    """By field and annotator, with those that wait; a query label never does."""
    query = MatchKey(TargetKind.QUERY, "what")
    store.put_labels([make_label(on("a")), make_label(on("b")), make_label(query)], 1)
    store.put_labels([make_label(on("a"), annotator="bob")], 1)
    assert store.label_counts() == (
        LabelCount(GoldField.RELEVANT_IDS, "ann", 3, 2),
        LabelCount(GoldField.RELEVANT_IDS, "bob", 1, 1),
    )
