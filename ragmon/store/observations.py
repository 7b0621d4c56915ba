"""What is counted of a request, once: the set of observations made, and what is new in it.

Pure. Every observation is made at most once, at its first value. A score is known by
stage, metric and k: a new version of a formula changes a value and makes no new one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured, Slot
from ragmon.model.result import Evaluation, Observation, Observed, Result

ScoreName: TypeAlias = tuple[str, str, int | None]
"""Stage, metric, k."""

_LATE_AFTER = frozenset({Evaluation.MISSING, Evaluation.FAILED})


_OUTCOME = Observation("outcome")
"""What every request has and no indexing run."""
_OF_KIND = {kind: Evaluation(kind.value) for kind in Kind}


def score_name(slot: Slot) -> ScoreName:
    """What a score is counted under."""
    return (slot.stage, slot.metric, slot.k)


@lru_cache(maxsize=256)
def score_names(layout: Layout) -> tuple[ScoreName, ...]:
    """The names of a layout's scores, in its order."""
    return tuple(score_name(slot) for slot in layout)


class Mark(NamedTuple):
    """One score of one request: how it was counted at first, whether a value was observed.

    `value` is the value that is stored now, None where there is none. `silent`: its request
    was first stored by a silent commit.
    """

    first: Evaluation
    observed: bool
    value: float | None = None
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """The set of observations made of one request, with the values that stand now.

    An observation whose value is None was made, and the request has it no more.
    """

    scores: Mapping[ScoreName, Mark] = field(default_factory=dict)
    observations: Mapping[Observation, Observed | None] = field(default_factory=dict)

    @property
    def silent(self) -> bool:
        """Whether nothing of the request was ever counted, nor may be."""
        return bool(self.scores) and all(mark.silent for mark in self.scores.values())

    def without_values(self) -> "Marks":
        """What was observed, of a request that is no more."""
        return Marks(
            {name: mark._replace(value=None) for name, mark in self.scores.items()},
            dict.fromkeys(self.observations),
        )


NOTHING = Marks()


@dataclass(frozen=True, slots=True)
class Counted:
    """What one commit may count of one request, and the marks that say so from then on."""

    marks: Marks
    evaluations: tuple[tuple[Slot, Evaluation], ...]
    scores: tuple[tuple[Slot, float], ...]
    not_measured: tuple[tuple[Slot, str], ...]
    observations: tuple[tuple[Observation, Observed], ...]
    corrections: int


def count(before: Marks, result: Result, *, silent: bool = False) -> Counted:
    """Compare a new result with what was observed of the request before.

    A silent count marks every score as observed. A request that is new in it stays silent:
    nothing of it is ever counted.
    """
    if before.silent or (silent and before == NOTHING):
        return _silently(before, result)
    names = score_names(result.layout)
    scores: dict[ScoreName, Mark] = {}
    counted: list[tuple[Slot, Measured, Evaluation]] = []
    corrected = 0
    for slot, name, value in zip(result.layout, names, result.values, strict=True):
        was = before.scores.get(name)
        mark, evaluation = _follow(was, value, silent)
        scores[name] = mark
        if evaluation is not None:
            counted.append((slot, value, evaluation))
        elif was is not None and was.observed and was.value != mark.value:
            corrected += 1
    return Counted(
        marks=Marks(_kept_scores(before, scores), _kept_observations(before, result)),
        evaluations=tuple([(slot, evaluation) for slot, _, evaluation in counted]),
        scores=tuple(
            [(slot, value) for slot, value, _ in counted if not isinstance(value, NotMeasured)]
        ),
        not_measured=tuple(
            [(slot, value.reason) for slot, value, _ in counted if isinstance(value, NotMeasured)]
        ),
        observations=tuple(
            [seen for seen in result.observations.items() if seen[0] not in before.observations]
        ),
        corrections=corrected + _corrected_observations(before, result),
    )


def _silently(before: Marks, result: Result) -> Counted:
    scores = {
        name: _follow(before.scores.get(name), value, True)[0]._replace(silent=True)
        for name, value in zip(score_names(result.layout), result.values, strict=True)
    }
    marks = Marks(_kept_scores(before, scores), _kept_observations(before, result))
    return Counted(marks, (), (), (), (), 0)


def _follow(was: Mark | None, value: Measured, silent: bool) -> tuple[Mark, Evaluation | None]:
    """The mark that follows, and how the score is counted now: None if it was already."""
    if isinstance(value, NotMeasured):
        if was is not None:
            return Mark(was.first, was.observed or silent), None
        evaluation = _OF_KIND[value.kind]
        return Mark(evaluation, silent), evaluation
    if was is None:
        return Mark(Evaluation.MEASURED, True, value), Evaluation.MEASURED
    if was.observed:
        return Mark(was.first, True, value), None
    late = was.first in _LATE_AFTER
    evaluation = Evaluation.MEASURED_LATE if late else Evaluation.MEASURED
    return Mark(was.first, True, value), evaluation


def _kept_scores(before: Marks, scores: dict[ScoreName, Mark]) -> dict[ScoreName, Mark]:
    """The new marks, and those of scores that left the layout: they may come back."""
    if before.scores.keys() <= scores.keys():
        return scores
    gone = {
        name: mark._replace(value=None)
        for name, mark in before.scores.items()
        if name not in scores
    }
    return scores | gone


def _kept_observations(before: Marks, result: Result) -> dict[Observation, Observed | None]:
    return {**dict.fromkeys(before.observations), **result.observations}


def _corrected_observations(before: Marks, result: Result) -> int:
    return sum(
        result.observations.get(name) != value for name, value in before.observations.items()
    )


@dataclass(frozen=True, slots=True)
class Past:
    """A stored request as its successor sees it."""

    span_id: str
    span_ids: frozenset[str]
    marks: Marks


@dataclass(frozen=True, slots=True)
class Inheritance:
    """Whose observations each new result of a trace takes over.

    `marks` by span id of the request; a request without an entry is new. `vanished` keeps
    what requests that are no more had observed, since a key may come back.
    """

    marks: Mapping[str, Marks]
    vanished: Mapping[str, Marks]


def inherit(
    pasts: Sequence[Past], vanished: Mapping[str, Marks], results: Sequence[Result]
) -> Inheritance:
    """Hand the observations of a trace's old requests to its new ones.

    A request keeps its own. Where a key is no more, its set passes to every request that
    now holds one of its spans, and several are united. Indexing runs hand theirs to runs only.
    """
    keys = {result.key.span_id for result in results}
    own = {past.span_id: past.marks for past in pasts if past.span_id in keys}
    marks = {key: was for key, was in vanished.items() if key in keys} | own
    lost = sorted((past for past in pasts if past.span_id not in keys), key=_span_id)
    for past in lost:
        for key in _holders(past, results):
            marks[key] = _unite(marks[key], past.marks) if key in marks else past.marks
    left = {past.span_id: past.marks.without_values() for past in lost}
    resting = {key: was for key, was in vanished.items() if key not in keys}
    return Inheritance(marks, resting | left)


def _span_id(past: Past) -> str:
    return past.span_id


def _holders(past: Past, results: Iterable[Result]) -> list[str]:
    return [
        result.key.span_id
        for result in results
        if not past.span_ids.isdisjoint(result.span_ids)
        and (_OUTCOME in past.marks.observations) == (_OUTCOME in result.observations)
    ]


def _unite(first: Marks, second: Marks) -> Marks:
    """All that either of them observed; of two values the first stands."""
    both = {
        name: _either(mark, second.scores[name])
        for name, mark in first.scores.items()
        if name in second.scores
    }
    values = {name: value for name, value in first.observations.items() if value is not None}
    return Marks(
        {**second.scores, **first.scores, **both},
        {**first.observations, **second.observations, **values},
    )


def _either(first: Mark, second: Mark) -> Mark:
    value = second.value if first.value is None else first.value
    silent = first.silent and second.silent
    return Mark(first.first, first.observed or second.observed, value, silent)
