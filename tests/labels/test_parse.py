"""Reading posted labels."""

import pytest

from ragmon.labels import LabelError, parse_label
from ragmon.model.gold import GoldField, MatchKey, TargetKind

TRACE = "4BF92F3577B34DA6A3CE929D0E0E4736"
NOW = 1_700_000_000_000_000_000


def faults(posted: object) -> tuple[str, ...]:
    with pytest.raises(LabelError) as caught:
        parse_label(posted, NOW)
    return caught.value.faults


def test_one_label_a_field() -> None:
    """Each gold field of a post becomes a label of its own."""
    labels = parse_label({"request_id": "r", "answerable": True, "relevant_ids": ["a", 7]}, NOW)
    assert {
        GoldField.ANSWERABLE: "true",
        GoldField.RELEVANT_IDS: '{"7":1.0,"a":1.0}',
    } == {label.field: label.value for label in labels}


def test_targets_become_match_keys() -> None:
    """Ids are folded to lower case, a query to its word tokens."""
    span = "00F067AA0BA902B7"
    assert MatchKey(TargetKind.SPAN, f"{TRACE.lower()}/{span.lower()}") == (
        parse_label({"trace_id": TRACE, "span_id": span, "answerable": True}, NOW)[0].key
    )
    assert MatchKey(TargetKind.QUERY, "what is a name") == (
        parse_label({"query": "  What is a NAME?!", "answerable": True}, NOW)[0].key
    )


def test_an_absent_time_is_the_time_of_receipt() -> None:
    """labelled_at is stamped at receipt, and read as ISO 8601 or seconds otherwise."""
    assert NOW == parse_label({"query": "x", "answerable": True}, NOW)[0].labelled_at_ns
    for given in ("2023-11-14T22:13:20+00:00", "2023-11-14T22:13:20", 1_700_000_000):
        label = parse_label({"query": "x", "answerable": True, "labelled_at": given}, 0)[0]
        assert NOW == label.labelled_at_ns


def test_equal_content_has_an_equal_hash() -> None:
    """The content hash depends on value and probability, not on the order of keys."""
    one = parse_label({"query": "x", "relevant_ids": {"a": 1, "b": 2}}, NOW)[0]
    other = parse_label({"query": "x", "relevant_ids": {"b": 2.0, "a": 1.0}}, NOW)[0]
    third = parse_label({"query": "x", "relevant_ids": {"b": 2, "a": 1}, "probability": 0.5}, 1)[0]
    assert one.content_hash == other.content_hash
    assert one.content_hash != third.content_hash


def test_every_fault_is_named_at_once() -> None:
    """A label with several faults is refused with a line for each."""
    found = faults(
        {
            "trace_id": "12",
            "anotator": "me",
            "revision": -1,
            "relevant_ids": {"a": "high"},
            "task_success": "yes",
        }
    )
    assert (
        "unknown key 'anotator'; did you mean 'annotator'?",
        "trace_id must be 32 hexadecimal digits",
        "revision must be a whole number from 0",
        "relevant_ids has a grade that is no number up to 1000, of the id 'a'",
        "task_success must be true or false",
    ) == found


@pytest.mark.parametrize(
    ("posted", "fault"),
    [
        ([], "a label must be a JSON object"),
        ({"answerable": True}, "no target; give one of trace_id, request_id, query"),
        ({"query": "?!", "answerable": True}, "query has no word in it"),
        (
            {"query": "x", "request_id": "y", "answerable": True},
            "more than one target: request_id, query; give one",
        ),
        ({"query": "x", "span_id": "y", "answerable": True}, "span_id goes with trace_id only"),
        ({"query": "x", "answerable": 1}, "answerable must be true or false"),
        ({"query": "x", "reference_answers": []}, None),
        ({"query": "x", "labelled_at": "soon", "answerable": True}, None),
        ({"query": "x", "labelled_at": float("nan"), "answerable": True}, None),
        ({"query": "x", "probability": 0, "answerable": True}, None),
        ({"query": "x", "labelled_at": 9223372037, "answerable": True}, None),
        ({"query": "x", "labelled_at": "9999-12-31T00:00:00Z", "answerable": True}, None),
        ({"query": "x", "labelled_at": "0001-01-01T00:00:00+14:00", "answerable": True}, None),
        ({"query": "x", "relevant_ids": {"a": 10**400}}, None),
        ({"query": "x", "relevant_ids": {"a": float("nan")}}, None),
        ({"request_id": "\ud800", "answerable": True}, None),
        ({"query": "x", "annotator": "\ud800", "answerable": True}, None),
        ({"query": "x", "pipeline": "p" * 257, "answerable": True}, None),
        ({"query": "x" * 16_385, "answerable": True}, None),
        ({"query": "x", "expected_evidence": [{"txt": "a"}]}, None),
        ({"query": "x"}, None),
    ],
)
def test_what_cannot_be_used_is_refused(posted: object, fault: str | None) -> None:
    """Wrong types, empty texts and missing targets are faults, never half a label."""
    found = faults(posted)
    assert len(found) == 1
    assert fault in (None, found[0])


def test_a_hundred_unknown_keys_are_named() -> None:
    """The others are counted only, however many a body holds."""
    found = faults({"query": "x", "answerable": True, **{f"annot{n}": n for n in range(20_000)}})
    assert len(found) == 101
    assert found[0].startswith("unknown key 'annot0'")
    assert found[-1] == "19900 more unknown keys"
