"""Feedback as an application posts it: a thumb, a rating, or a word about a request."""

from collections.abc import Mapping
from typing import Any, Final

from ragmon.labels.fields import FieldError
from ragmon.labels.parse import (
    LabelError,
    collect,
    moment_ns,
    optional_text,
    target_of,
    unknown_keys,
)
from ragmon.model.assessment import AnnotatorKind, Feedback, FeedbackKind
from ragmon.model.gold import MatchKey, TargetKind

LONGEST_LABEL: Final = 64
"""Longer words are texts, which are not kept."""
NAME: Final = "feedback"
"""What feedback is called that has no name."""

_KEYS: Final = (
    *("trace_id", "span_id", "request_id", "pipeline"),
    *("name", "thumbs", "score", "label", "annotator", "given_at"),
)
_THUMBS: Final = ("up", "down")
_LARGEST: Final = 1e12
_UP: Final = frozenset(("thumbs_up", "thumb_up", "thumbsup", "up", "like", "positive", "👍"))
_DOWN: Final = frozenset(
    ("thumbs_down", "thumb_down", "thumbsdown", "down", "dislike", "negative", "👎")
)


def parse_feedback(posted: object, received_ns: int) -> Feedback:
    """Read one posted object: a target, and `thumbs`, `score` or `label`.

    Raises:
        LabelError: with every fault of the object.
    """
    if not isinstance(posted, dict):
        raise LabelError(("feedback must be a JSON object",))
    faults = unknown_keys(posted, _KEYS)
    key = collect(faults, _target, posted)
    said = collect(faults, _said, posted)
    envelope = collect(faults, _envelope, posted, received_ns)
    if faults:
        raise LabelError(tuple(faults))
    name, score, label = said
    try:
        return make_feedback(key, name, score, label, **envelope)
    except FieldError as error:
        raise LabelError((f"feedback {error}",)) from None


def make_feedback(
    key: MatchKey, name: str, score: float | None, label: str | None, **envelope: Any
) -> Feedback:
    """Feedback, with the form that its score and label give it.

    Raises:
        FieldError: it says nothing that can be kept.
    """
    short = label if label is not None and 0 < len(label) <= LONGEST_LABEL else None
    if short is None and score is None:
        raise FieldError(f"needs a score, or a label of 1 to {LONGEST_LABEL} characters")
    kind = _kind(score, short)
    return Feedback(key=key, name=name, kind=kind, score=score, label=short, **envelope)


def _kind(score: float | None, label: str | None) -> FeedbackKind:
    word = (label or "").strip().casefold().replace("-", "_").replace(" ", "_")
    if word in _UP:
        return FeedbackKind.THUMBS_UP
    if word in _DOWN:
        return FeedbackKind.THUMBS_DOWN
    return FeedbackKind.VERDICT if score is None else FeedbackKind.RATING


def _target(posted: Mapping[str, Any]) -> MatchKey:
    key = target_of(posted)
    if key.kind is TargetKind.QUERY:
        raise FieldError("feedback is about a request; give trace_id or request_id")
    return key


def _said(posted: Mapping[str, Any]) -> tuple[str, float | None, str | None]:
    return (optional_text(posted, "name") or NAME, _score(posted), _label(posted))


def _score(posted: Mapping[str, Any]) -> float | None:
    score = posted.get("score")
    if score is None:
        return None
    number = isinstance(score, int | float) and not isinstance(score, bool)
    if not number or not abs(score) <= _LARGEST:
        raise FieldError(f"score must be a number up to {_LARGEST:g}")
    return float(score)


def _label(posted: Mapping[str, Any]) -> str | None:
    thumbs = posted.get("thumbs")
    if thumbs is None:
        return optional_text(posted, "label")
    if thumbs not in _THUMBS or posted.get("label") is not None:
        raise FieldError("thumbs must be up or down, without a label")
    return f"thumbs_{thumbs}"


def _envelope(posted: Mapping[str, Any], received_ns: int) -> dict[str, Any]:
    return {
        "pipeline": optional_text(posted, "pipeline"),
        "source": AnnotatorKind.HUMAN,
        "annotator": optional_text(posted, "annotator") or str(AnnotatorKind.HUMAN),
        "given_ns": moment_ns(posted.get("given_at"), received_ns, "given_at"),
        "stamped": posted.get("given_at") is None,
    }
