"""Evaluations of telemetry to gold labels and feedback, as the configuration maps them."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ragmon.labels.feedback import make_feedback
from ragmon.labels.fields import FIELDS, FieldError
from ragmon.labels.parse import LONGEST_NAME, LONGEST_TEXT, gold_label
from ragmon.model.assessment import (
    AnnotatorKind,
    Assessment,
    Feedback,
    Sorting,
)
from ragmon.model.gold import GoldField, GoldLabel, MatchKey

FLAGS: Final = frozenset((GoldField.TASK_SUCCESS, GoldField.ANSWERABLE))
"""The fields that a score or a word decides; any other one takes its value from the label."""


@dataclass(frozen=True, slots=True)
class EventRule:
    """When evaluations of one name are gold, and of which field.

    annotators: names that count beside every person. A label of `true_labels` or
    `false_labels` (whatever its case) decides a flag, else a score of `at_least` does.
    """

    field: GoldField
    annotators: frozenset[str] = frozenset()
    at_least: float = 0.5
    true_labels: frozenset[str] = frozenset()
    false_labels: frozenset[str] = frozenset()

    def trusts(self, one: Assessment) -> bool:
        """Whether this annotator's word is gold."""
        named = one.annotator is not None and one.annotator in self.annotators
        return not one.of_session and (named or one.kind is AnnotatorKind.HUMAN)


@dataclass(frozen=True, slots=True)
class Sorted:
    """What came of some assessments, with a line for each of the first faults."""

    gold: tuple[GoldLabel, ...]
    feedback: tuple[Feedback, ...]
    counts: Mapping[Sorting, int]
    faults: tuple[str, ...]


class _FaultyError(Exception):
    """An assessment that cannot be used."""

    def __init__(self, fault: Sorting, why: str) -> None:
        super().__init__(why)
        self.fault = fault


_MOST_FAULTS: Final = 5
_SHOWN: Final = 64


def sort(assessments: Iterable[Assessment], rules: Mapping[str, EventRule]) -> Sorted:
    """Gold where the name is mapped and the annotator trusted; else feedback, or a fault.

    Each one is sorted by itself, so their order does not matter. rules: by name.
    """
    gold: list[GoldLabel] = []
    feedback: list[Feedback] = []
    counts: Counter[Sorting] = Counter()
    faults: list[str] = []
    for one in assessments:
        try:
            made = _made(one, rules)
        except _FaultyError as error:
            counts[error.fault] += 1
            faults.append(str(error))
            continue
        counts[_sorting(made)] += 1
        if isinstance(made, GoldLabel):
            gold.append(made)
        elif made is not None:
            feedback.append(made)
    return Sorted(tuple(gold), tuple(feedback), counts, tuple(faults[:_MOST_FAULTS]))


def _sorting(made: GoldLabel | Feedback | None) -> Sorting:
    if made is None:
        return Sorting.OWN
    return Sorting.GOLD if isinstance(made, GoldLabel) else Sorting.FEEDBACK


def _made(one: Assessment, rules: Mapping[str, EventRule]) -> GoldLabel | Feedback | None:
    """What an assessment says; None where ragmon said it itself."""
    if one.own:
        return None
    name, key = _name(one), _key(one)
    usable = replace(one, score=_finite(one.score))
    rule = rules.get(name)
    if rule is not None and rule.trusts(one):
        return _gold(usable, name, key, rule)
    return _feedback(usable, name, key)


def _name(one: Assessment) -> str:
    if one.name and len(one.name) <= LONGEST_NAME:
        return one.name
    raise _FaultyError(Sorting.NO_NAME, f"an evaluation needs a name of 1 to {LONGEST_NAME} signs")


def _key(one: Assessment) -> MatchKey:
    key = one.key
    if key and len(key.value) <= LONGEST_TEXT and len(one.pipeline or "") <= LONGEST_NAME:
        return key
    raise _FaultyError(
        Sorting.NO_TARGET, "an evaluation needs a trace id or a request id to point at"
    )


def _finite(score: float | None) -> float | None:
    return score if score is not None and math.isfinite(score) else None


def _annotator(one: Assessment) -> str:
    return (one.annotator or str(one.kind))[:LONGEST_NAME]


def _gold(one: Assessment, name: str, key: MatchKey, rule: EventRule) -> GoldLabel:
    try:
        value = _flag(one, rule) if rule.field in FLAGS else _from_label(one, rule.field)
    except FieldError as error:
        raise _FaultyError(Sorting.UNFIT, f"{_quoted(name)} {error}") from None
    return gold_label(
        key,
        rule.field,
        value,
        pipeline=one.pipeline,
        annotator=_annotator(one),
        labelled_at_ns=one.time_ns,
        revision=0,
        probability=None,
        stamped=one.stamped,
    )


def _flag(one: Assessment, rule: EventRule) -> bool:
    word = (one.label or "").strip().casefold()
    if word in rule.true_labels:
        return True
    if word in rule.false_labels:
        return False
    if one.score is None:
        raise FieldError("has neither a score nor a label that labels.events maps")
    return one.score >= rule.at_least


def _from_label(one: Assessment, field: GoldField) -> Any:
    """The value that the label holds: as JSON, or the text itself where a text is taken."""
    if one.label is None:
        raise FieldError(f"has no label to read {field} from")
    try:
        said = json.loads(one.label)
    except (ValueError, RecursionError):
        said = one.label
    try:
        return FIELDS[field](said)
    except FieldError as error:
        raise FieldError(f"does not fit {field}: it {error}") from None


def _feedback(one: Assessment, name: str, key: MatchKey) -> Feedback:
    try:
        return make_feedback(
            key,
            name,
            one.score,
            one.label,
            pipeline=one.pipeline,
            source=one.kind,
            annotator=_annotator(one),
            given_ns=one.time_ns,
            stamped=one.stamped,
        )
    except FieldError as error:
        raise _FaultyError(Sorting.NO_VALUE, f"{_quoted(name)} {error}") from None


def _quoted(name: str) -> str:
    return repr(name[:_SHOWN])
