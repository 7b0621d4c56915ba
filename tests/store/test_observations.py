"""Every observation of a request is made once, at its first value (rules.md 7)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ragmon.model.measurement import Kind, Measured, NotMeasured, Slot
from ragmon.model.result import Evaluation, Observation, Result
from ragmon.store.observations import NOTHING, Marks, Past, count, inherit

RECALL = Slot("retrieval", "recall_at_k", 5, 1)
GROUNDING = Slot("generation", "context_grounding", None, 1)
MISSING = NotMeasured(Kind.MISSING, "gold_ids")

Make = Callable[..., Result]


def marks_of(result: Result, before: Marks = NOTHING) -> Marks:
    return count(before, result).marks


def test_the_first_settle_counts_every_slot(make_result: Make) -> None:
    """A new request counts each slot once, with its value or its reason."""
    counted = count(NOTHING, make_result(values=(MISSING, 0.5)))
    assert (
        (RECALL, Evaluation.MISSING),
        (GROUNDING, Evaluation.MEASURED),
    ) == counted.evaluations
    assert ((GROUNDING, 0.5),) == counted.scores
    assert ((RECALL, "missing:gold_ids"),) == counted.not_measured
    assert ((Observation("outcome"), "answered"),) == counted.observations
    assert counted.corrections == 0


def test_settling_again_without_change_counts_nothing(make_result: Make) -> None:
    """The same result again is neither a first value nor a correction."""
    again = count(marks_of(make_result()), make_result())
    assert ((), (), (), (), 0) == (
        again.evaluations,
        again.scores,
        again.not_measured,
        again.observations,
        again.corrections,
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Kind.MISSING, Evaluation.MEASURED_LATE),
        (Kind.FAILED, Evaluation.MEASURED_LATE),
        (Kind.UNDEFINED, Evaluation.MEASURED),
        (Kind.NOT_KEPT, Evaluation.MEASURED),
    ],
)
def test_a_late_first_value(make_result: Make, kind: Kind, expected: Evaluation) -> None:
    """A first value counts as late after missing or failed, as measured after the others."""
    before = marks_of(make_result(values=(NotMeasured(kind), 0.5)))
    late = count(before, make_result(values=(1.0, 0.5)))
    assert ((RECALL, expected),) == late.evaluations
    assert ((RECALL, 1.0),) == late.scores
    assert late.corrections == 0


def test_the_kind_counted_at_first_decides(make_result: Make) -> None:
    """A reason that changed in between does not: what was counted at first does."""
    before = marks_of(make_result(values=(MISSING, 0.5)))
    then = marks_of(make_result(values=(NotMeasured(Kind.UNDEFINED), 0.5)), before)
    late = count(then, make_result(values=(1.0, 0.5)))
    assert ((RECALL, Evaluation.MEASURED_LATE),) == late.evaluations


def test_another_reason_is_no_correction(make_result: Make) -> None:
    """Corrections are of values; a reason that changes is counted nowhere."""
    before = marks_of(make_result(values=(MISSING, 0.5)))
    assert 0 == count(before, make_result(values=(NotMeasured(Kind.FAILED), 0.5))).corrections


def test_a_changed_value_is_a_correction(make_result: Make) -> None:
    """Each changed value moves only the corrections, once per value."""
    before = marks_of(
        make_result(values=(0.1, 0.5), observations={Observation("tokens", "m", "input"): 7})
    )
    changed = count(
        before,
        make_result(values=(0.2, 0.6), observations={Observation("tokens", "m", "input"): 9}),
    )
    assert ((), (), (), 3) == (
        changed.evaluations,
        changed.scores,
        changed.observations,
        changed.corrections,
    )


def test_a_value_that_goes_and_comes_back(make_result: Make) -> None:
    """It is observed once, and each of the two changes is a correction."""
    first = marks_of(make_result(values=(0.1, 0.5)))
    gone = count(first, make_result(values=(MISSING, 0.5)))
    back = count(gone.marks, make_result(values=(0.1, 0.5)))
    assert (1, 1) == (gone.corrections, back.corrections)
    assert () == back.scores


def test_a_second_model_is_a_first_value(make_result: Make) -> None:
    """Tokens of a model that first appears later are observed; the known model's are not."""
    one, two = Observation("tokens", "a", "input"), Observation("tokens", "b", "input")
    before = marks_of(make_result(observations={one: 5}))
    later = count(before, make_result(observations={one: 5, two: 3}))
    assert ((two, 3),) == later.observations
    assert later.corrections == 0


def test_a_new_slot_is_counted_when_it_appears(make_result: Make) -> None:
    """A slot that an older layout did not have is counted then, as at a first settle."""
    before = marks_of(make_result())
    wider = (RECALL, GROUNDING, Slot("retrieval", "recall_at_k", 10, 1))
    later = count(before, make_result(layout=wider, values=(MISSING, 0.5, 0.9)))
    assert ((wider[2], Evaluation.MEASURED),) == later.evaluations
    assert ((wider[2], 0.9),) == later.scores


def test_a_slot_that_left_and_came_back_is_not_counted_again(make_result: Make) -> None:
    """Marks of slots outside the layout are remembered."""
    before = marks_of(make_result())
    narrow = marks_of(make_result(layout=(RECALL,), values=(MISSING,)), before)
    assert () == count(narrow, make_result()).scores


def test_a_new_version_corrects_and_does_not_count_again(make_result: Make) -> None:
    """A score is known by stage, metric and k: a new formula changes its value."""
    before = marks_of(make_result(values=(MISSING, 0.5)))
    newer = (RECALL, GROUNDING._replace(version=2))
    later = count(before, make_result(layout=newer, values=(MISSING, 0.7)))
    assert ((), 1) == (later.scores, later.corrections)


def test_a_silent_count_leaves_nothing_to_count(make_result: Make) -> None:
    """After a backfill a later label is no first value for the counters."""
    before = count(NOTHING, make_result(values=(MISSING, 0.5)), silent=True).marks
    later = count(before, make_result(values=(1.0, 0.5)))
    assert ((), ()) == (later.evaluations, later.scores)


def test_what_was_counted_silently_stays_silent(make_result: Make) -> None:
    """Neither a correction nor a score or observation that comes later moves a counter."""
    before = count(NOTHING, make_result(values=(MISSING, 0.5)), silent=True).marks
    changed = make_result(
        layout=(RECALL, GROUNDING, Slot("generation", "exact_match", None, 1)),
        values=(1.0, 0.7, 1.0),
        observations={Observation("outcome"): "failed", Observation("tokens"): 7.0},
    )
    later = count(before, changed)
    assert (later.evaluations, later.scores, later.observations) == ((), (), ())
    assert later.corrections == 0
    assert count(later.marks, make_result()).corrections == 0


def test_a_silent_count_of_a_counted_request_silences_nothing(make_result: Make) -> None:
    """A request that the counters know is corrected in them, whatever settled it between."""
    live = marks_of(make_result(values=(MISSING, 0.5)))
    between = count(live, make_result(values=(MISSING, 0.6)), silent=True).marks
    assert count(between, make_result(values=(MISSING, 0.7))).corrections == 1


def past(result: Result, marks: Marks | None = None) -> Past:
    given = marks_of(result) if marks is None else marks
    return Past(result.key.span_id, frozenset(result.span_ids), given)


def test_a_vanished_key_passes_its_set_to_a_new_request(make_result: Make) -> None:
    """The request that now holds the spans of a vanished key has observed what it had."""
    old = make_result("v", span_ids=["a"])
    new = make_result("r", span_ids=["a", "r"])
    inheritance = inherit([past(old)], {}, [new])
    counted = count(inheritance.marks["r"], new)
    assert ((), (), 0) == (counted.scores, counted.observations, counted.corrections)


def test_a_vanished_key_passes_its_set_to_an_old_request(make_result: Make) -> None:
    """A request that was there before unites its own set with the one it takes over."""
    vanished = make_result("v", span_ids=["a"], values=(0.3, 0.4))
    was = make_result("r", span_ids=["r"], values=(MISSING, 0.5))
    now = make_result("r", span_ids=["a", "r"], values=(0.3, 0.5))
    inheritance = inherit([past(was), past(vanished)], {}, [now])
    counted = count(inheritance.marks["r"], now)
    assert ((), (), 0) == (counted.evaluations, counted.scores, counted.corrections)


def test_several_vanished_sets_are_united(make_result: Make) -> None:
    """What any of several vanished requests observed is observed."""
    one = make_result("v1", span_ids=["a"], values=(0.3, MISSING))
    two = make_result("v2", span_ids=["b"], values=(MISSING, 0.4))
    now = make_result("r", span_ids=["a", "b"], values=(0.3, 0.4))
    counted = count(inherit([past(one), past(two)], {}, [now]).marks["r"], now)
    assert () == counted.scores


def test_a_request_without_spans_of_the_vanished_one_is_new(make_result: Make) -> None:
    """Observations pass along spans only."""
    old = make_result("v", span_ids=["a"])
    assert {} == inherit([past(old)], {}, [make_result("r", span_ids=["b"])]).marks


def test_a_request_takes_nothing_over_from_an_indexing_run(make_result: Make) -> None:
    """Their scores are others; each would look like a correction of the other's."""
    run = replace(make_result("v", span_ids=["a"]), observations={})
    request = make_result("r", span_ids=["a"])
    assert {} == inherit([past(run)], {}, [request]).marks
    assert (
        {}
        == inherit([past(replace(request, key=run.key))], {}, [replace(run, key=request.key)]).marks
    )
    assert {"r"} == inherit([past(run)], {}, [replace(run, key=request.key)]).marks.keys()


def test_a_key_that_comes_back_is_not_observed_again(make_result: Make) -> None:
    """What a vanished key had observed rests beside the trace, also without an heir."""
    old = make_result("v", span_ids=["a"])
    left = inherit([past(old)], {}, [])
    back = inherit([], left.vanished, [old])
    counted = count(back.marks["v"], old)
    assert ((), ()) == (counted.scores, counted.observations)
    assert {} == back.vanished


def test_of_two_values_the_one_of_the_request_stands(make_result: Make) -> None:
    """A value that differs from the request's own stored one is a correction."""
    vanished = make_result("v", span_ids=["a"], values=(MISSING, 0.4))
    was = make_result("r", span_ids=["r"], values=(MISSING, 0.5))
    values: tuple[Measured, ...] = (MISSING, 0.4)
    now = make_result("r", span_ids=["a", "r"], values=values)
    inheritance = inherit([past(was), past(vanished)], {}, [now])
    assert 1 == count(inheritance.marks["r"], now).corrections
