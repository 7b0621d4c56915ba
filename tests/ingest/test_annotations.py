"""Annotations on spans, as OpenInference writes them."""

from collections.abc import Mapping
from typing import Any

import pytest

from ragmon.ingest.evaluations import of_span
from ragmon.ingest.split import PROTOBUF, split
from ragmon.model.assessment import AnnotatorKind, Assessment
from ragmon.model.gold import MatchKey, TargetKind
from tests.app.running import START_NS, body, span, trace_id

ONE = {
    "annotations.0.annotation.name": "correctness",
    "annotations.0.annotation.label": "correct",
    "annotations.0.annotation.annotator_kind": "HUMAN",
    "annotations.0.annotation.identifier": "anna",
}


def _read(attributes: Mapping[str, str]) -> tuple[Assessment, ...]:
    named: Any = {key.replace(".", "__"): one for key, one in attributes.items()}
    content = body(span(1, **named))
    ((part,),) = (one.spans for one in split(content.content, PROTOBUF, START_NS).parts)
    return of_span(part)


def test_an_annotation_speaks_of_its_span_at_its_end() -> None:
    """With its name, what it says, and who says it."""
    (one,) = _read(ONE)
    assert one == Assessment(
        key=MatchKey(TargetKind.SPAN, f"{trace_id(1)}/{1:016x}"),
        pipeline=None,
        name="correctness",
        score=None,
        label="correct",
        kind=AnnotatorKind.HUMAN,
        annotator="anna",
        time_ns=START_NS,
    )


def test_one_with_trace_before_it_speaks_of_the_trace() -> None:
    """And one of a session of no request."""
    (of_trace,) = _read({f"trace.{key}": one for key, one in ONE.items()})
    assert of_trace.key == MatchKey(TargetKind.TRACE, trace_id(1))
    (of_session,) = _read({f"session.{key}": one for key, one in ONE.items()})
    assert of_session.of_session


def test_several_are_read_in_order() -> None:
    """Under either of the two names that a list has."""
    second = {"evaluations.3.evaluation.name": "tone", "evaluations.3.evaluation.label": "kind"}
    assert ["correctness", "tone"] == [one.name for one in _read({**ONE, **second})]


@pytest.mark.parametrize(
    "key",
    [
        "annotations",
        "annotations.x.annotation.name",
        "annotations.0.evaluation",
        "annotation.0.name",
    ],
)
def test_what_only_looks_like_one_is_none(key: str) -> None:
    """It is an attribute like any other."""
    assert _read({key: "x"}) == ()
