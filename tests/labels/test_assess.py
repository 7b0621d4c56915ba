"""Which evaluation of telemetry is gold, which is feedback, and which is neither."""

from dataclasses import replace
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.labels import join
from ragmon.labels.assess import EventRule, sort
from ragmon.model.assessment import AnnotatorKind, Assessment, FeedbackKind, Sorting
from ragmon.model.gold import Gold, GoldField, GoldLabel, MatchKey, TargetKind
from ragmon.model.record import Outcome, RequestRecord

TRACE, SPAN = "a" * 32, "b" * 16
RECORD = RequestRecord(TRACE, SPAN, (SPAN,), "ragmon", "shop", 0, Outcome.ANSWERED)
RULE = EventRule(
    field=GoldField.TASK_SUCCESS,
    annotators=frozenset(("desk",)),
    true_labels=frozenset(("correct",)),
    false_labels=frozenset(("incorrect",)),
)
RULES = {"correctness": RULE}
HUMAN = Assessment(
    key=MatchKey(TargetKind.SPAN, f"{TRACE}/{SPAN}"),
    pipeline=None,
    name="correctness",
    score=1.0,
    label=None,
    kind=AnnotatorKind.HUMAN,
    annotator=None,
    time_ns=7,
)


def counted(*assessments: Assessment) -> dict[Sorting, int]:
    return dict(sort(assessments, RULES).counts)


def gold(one: Assessment, rule: EventRule = RULE) -> GoldLabel:
    (label,) = sort([one], {"correctness": rule}).gold
    return label


def test_a_person_and_a_configured_annotator_give_gold() -> None:
    """Nobody else does; what others say of a mapped name is feedback."""
    model = replace(HUMAN, kind=AnnotatorKind.LLM, annotator="judge")
    desk = replace(model, annotator="desk")
    unknown = replace(HUMAN, kind=AnnotatorKind.UNKNOWN)
    made = sort([HUMAN, model, desk, unknown], RULES)
    assert ["human", "desk"] == [label.annotator for label in made.gold]
    assert [AnnotatorKind.LLM, AnnotatorKind.UNKNOWN] == [one.source for one in made.feedback]
    assert {Sorting.GOLD: 2, Sorting.FEEDBACK: 2} == made.counts


def test_a_name_that_is_not_mapped_is_feedback() -> None:
    """Whoever said it."""
    (feedback,) = sort([replace(HUMAN, name="helpful")], RULES).feedback
    assert ("helpful", FeedbackKind.RATING, 1.0) == (feedback.name, feedback.kind, feedback.score)


def test_ragmons_own_scores_are_passed_over() -> None:
    """They came back through a fan-out: neither gold nor feedback, whatever is mapped."""
    own = replace(HUMAN, own=True)
    made = sort([own], {"correctness": RULE})
    assert ((), (), {Sorting.OWN: 1}) == (made.gold, made.feedback, dict(made.counts))


def test_what_speaks_of_a_session_is_no_gold() -> None:
    """It is the gold of no single request."""
    assert {Sorting.FEEDBACK: 1} == counted(replace(HUMAN, of_session=True))


@pytest.mark.parametrize(
    ("score", "label", "value"),
    [
        (0.5, None, "true"),
        (0.49, None, "false"),
        (None, "Correct", "true"),
        (1.0, "incorrect", "false"),
        (0.0, "something else", "false"),
    ],
)
def test_a_flag_is_decided_by_the_label_else_the_score(
    score: float | None, label: str | None, value: str
) -> None:
    """A label that is mapped wins over the score, in any case."""
    assert value == gold(replace(HUMAN, score=score, label=label)).value


@pytest.mark.parametrize(
    ("field", "label", "value"),
    [
        (GoldField.RELEVANT_IDS, '["a", "b"]', '{"a":1.0,"b":1.0}'),
        (GoldField.RELEVANT_IDS, '{"a": 2}', '{"a":2.0}'),
        (GoldField.REFERENCE_ANSWERS, "30 days", '["30 days"]'),
    ],
)
def test_other_fields_are_read_from_the_label(field: GoldField, label: str, value: str) -> None:
    """As JSON in the form of a posted label, or as the text itself."""
    assert value == gold(replace(HUMAN, label=label), EventRule(field)).value


@pytest.mark.parametrize(
    ("one", "sorting", "why"),
    [
        (replace(HUMAN, name=None), Sorting.NO_NAME, "needs a name"),
        (replace(HUMAN, name="n" * 257), Sorting.NO_NAME, "needs a name"),
        (replace(HUMAN, key=None), Sorting.NO_TARGET, "a trace id or a request id"),
        (replace(HUMAN, pipeline="p" * 257), Sorting.NO_TARGET, "a trace id or a request id"),
        (replace(HUMAN, score=None, label="odd"), Sorting.UNFIT, "'correctness' has neither"),
        (replace(HUMAN, score=nan), Sorting.UNFIT, "'correctness' has neither"),
        (replace(HUMAN, name="x", score=inf), Sorting.NO_VALUE, "'x' needs a score"),
        (replace(HUMAN, name="x", score=None, label="w" * 65), Sorting.NO_VALUE, "needs a score"),
    ],
)
def test_what_cannot_be_used_is_rejected_with_a_reason(
    one: Assessment, sorting: Sorting, why: str
) -> None:
    """It costs no other."""
    made = sort([one, HUMAN], RULES)
    assert {sorting: 1, Sorting.GOLD: 1} == made.counts
    assert why in made.faults[0]


def test_a_value_that_does_not_fit_its_field_is_rejected() -> None:
    """Of a mapped name it is a fault, and no feedback instead."""
    rules = {"correctness": EventRule(GoldField.RELEVANT_IDS)}
    made = sort([replace(HUMAN, label="3 of 5"), replace(HUMAN, label=None)], rules)
    assert ({Sorting.UNFIT: 2}, ()) == (dict(made.counts), made.feedback)
    assert "does not fit relevant_ids" in made.faults[0]


def test_a_long_label_is_no_part_of_feedback() -> None:
    """It may be a user's text; the score stays."""
    (feedback,) = sort([replace(HUMAN, name="x", label="w" * 65)], {}).feedback
    assert (1.0, None) == (feedback.score, feedback.label)


ASSESSMENTS = st.builds(
    replace,
    st.just(HUMAN),
    score=st.sampled_from((0.0, 0.5, 1.0, None)),
    label=st.sampled_from(("correct", "incorrect", "odd", None)),
    kind=st.sampled_from(AnnotatorKind),
    annotator=st.sampled_from((None, "desk", "anna")),
    time_ns=st.integers(0, 3),
)


@settings(max_examples=60)
@given(
    st.lists(ASSESSMENTS, max_size=6).flatmap(
        lambda some: st.tuples(st.just(some), st.permutations(some))
    )
)
def test_the_order_of_events_never_matters(
    both: tuple[list[Assessment], list[Assessment]],
) -> None:
    """The gold of a request and the newest version of each voice are the same in any order."""
    given_order, other_order = both
    assert truth(given_order) == truth(other_order)


def truth(assessments: list[Assessment]) -> tuple[Gold, dict[bytes, tuple[int, str]]]:
    made = sort(assessments, RULES)
    voices: dict[bytes, tuple[int, str]] = {}
    for one in made.feedback:
        voices[one.identity] = max(voices.get(one.identity, one.version), one.version)
    return join(RECORD, made.gold), voices
