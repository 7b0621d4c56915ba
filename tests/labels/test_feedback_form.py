"""Feedback as it is posted."""

from typing import Any

import pytest

from ragmon.labels import LabelError
from ragmon.labels.feedback import parse_feedback
from ragmon.model.assessment import AnnotatorKind, FeedbackKind
from ragmon.model.gold import MatchKey, TargetKind


def test_a_thumb_by_a_person() -> None:
    """It needs a target and a thumb; the rest has defaults."""
    read = parse_feedback({"request_id": "m-1", "thumbs": "down"}, 9)
    assert MatchKey(TargetKind.REQUEST_ID, "m-1") == read.key
    assert (FeedbackKind.THUMBS_DOWN, None, "thumbs_down") == (read.kind, read.score, read.label)
    assert ("feedback", AnnotatorKind.HUMAN, 9, True) == (
        *(read.name, read.source, read.given_ns, read.stamped),
    )


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"score": 4}, FeedbackKind.RATING),
        ({"label": "Thumbs-Up"}, FeedbackKind.THUMBS_UP),
        ({"label": "👎", "score": 0}, FeedbackKind.THUMBS_DOWN),
        ({"label": "funny", "score": 0}, FeedbackKind.RATING),
        ({"label": "funny"}, FeedbackKind.VERDICT),
    ],
)
def test_the_form_follows_from_what_is_said(said: dict[str, Any], kind: FeedbackKind) -> None:
    """A thumb however it is written, else a number, else a word."""
    assert kind is parse_feedback({"request_id": "m-1", **said}, 0).kind


@pytest.mark.parametrize(
    ("posted", "faults"),
    [
        (3, ["feedback must be a JSON object"]),
        ({"query": "q", "thumbs": "up"}, ["unknown key 'query'", "about a request"]),
        ({"thumbs": "up"}, ["no target"]),
        ({"request_id": "m", "thumbs": "sideways"}, ["thumbs must be up or down"]),
        ({"request_id": "m", "thumbs": "up", "label": "x"}, ["thumbs must be up or down"]),
        ({"request_id": "m"}, ["feedback needs a score"]),
        ({"request_id": "m", "label": "w" * 65}, ["feedback needs a score"]),
        ({"request_id": "m", "score": True}, ["score must be a number"]),
        ({"request_id": "m", "score": 1e300}, ["score must be a number"]),
        ({"request_id": "m", "score": 1, "given_at": "soon"}, ["given_at must be ISO 8601"]),
        ({"trace_id": "xyz", "scor": 1}, ["did you mean 'score'", "trace_id must be 32"]),
    ],
)
def test_every_fault_is_named(posted: object, faults: list[str]) -> None:
    """At once, each in a line."""
    with pytest.raises(LabelError) as raised:
        parse_feedback(posted, 0)
    assert len(faults) == len(raised.value.faults)
    for expected, told in zip(faults, raised.value.faults, strict=True):
        assert expected in told
