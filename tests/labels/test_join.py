"""Which label wins a field of a request."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragmon.labels import join, match_keys, parse_label
from ragmon.model.gold import Gold, GoldLabel
from ragmon.model.record import Outcome, RequestRecord
from ragmon.text import Text

TRACE, SPAN = "a" * 32, "b" * 16
RECORD = RequestRecord(
    trace_id=TRACE,
    span_id=SPAN,
    span_ids=(SPAN,),
    dialect="ragmon",
    pipeline="shop",
    event_ns=0,
    outcome=Outcome.ANSWERED,
    request_id="r1",
    query=Text("How long?"),
)


def label(**posted: object) -> GoldLabel:
    return parse_label({"answerable": True, **posted}, 1)[0]


TARGETS: tuple[dict[str, object], ...] = (
    {"trace_id": TRACE, "span_id": SPAN},
    {"trace_id": TRACE},
    {"request_id": "r1"},
    {"query": "how LONG"},
)


def test_a_request_is_found_by_four_keys() -> None:
    """Span, trace, the app's request id and the normalised query."""
    assert match_keys(RECORD) == tuple(label(**target).key for target in TARGETS)
    assert len(match_keys(replace(RECORD, request_id=None, query=None))) == 2


def test_the_narrower_target_wins() -> None:
    """Span beats trace beats request id beats query, whatever the revision."""
    for narrow, wide in pairwise(TARGETS):
        winner = label(**narrow)
        loser = label(**wide, revision=9, answerable=False)
        assert Gold(answerable=True, winners=(winner,)) == join(RECORD, [loser, winner])


def test_of_one_target_the_later_revision_wins() -> None:
    """Revision, then labelled_at, then annotator, then content hash."""
    first = label(request_id="r1", revision=1, labelled_at=5)
    later = label(request_id="r1", revision=2, labelled_at=1, answerable=False)
    assert join(RECORD, [first, later]).answerable is False


def test_labels_of_another_pipeline_or_request_are_passed_over() -> None:
    """A pipeline is part of the target; absent it matches all."""
    elsewhere = label(request_id="r1", pipeline="bank")
    here = label(request_id="r1", pipeline="shop")
    assert join(RECORD, [elsewhere, label(request_id="r2")]) == Gold()
    assert join(RECORD, [elsewhere, here]).answerable is True


def test_fields_come_from_different_labels() -> None:
    """Each field has its own winner, and all of them are named."""
    grades = parse_label({"query": "how long", "relevant_ids": {"a": 2, "b": 0}}, 1)
    answers = parse_label({"request_id": "r1", "reference_answers": "30 days"}, 1)
    facts = parse_label({"trace_id": TRACE, "required_facts": ["30", ["free", "no cost"]]}, 1)
    gold = join(RECORD, [*grades, *answers, *facts])
    assert {"a": 2.0, "b": 0.0} == gold.relevant
    assert (Text("30 days"),) == gold.reference_answers
    assert (("30",), ("free", "no cost")) == gold.required_facts
    assert 3 == len(gold.winners)


labels = st.builds(
    lambda target, revision, at, annotator, value: label(
        **target, revision=revision, labelled_at=at, annotator=annotator, answerable=value
    ),
    st.sampled_from(TARGETS),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from(["ann", "bob"]),
    st.booleans(),
)


@given(st.lists(labels, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(given_labels: list[GoldLabel], random: object) -> None:
    """Any permutation and repetition of labels gives equal gold."""
    shuffled = [*given_labels, *given_labels[:2]]
    getattr(random, "shuffle")(shuffled)  # noqa: B009
    assert join(RECORD, given_labels) == join(RECORD, shuffled)
