"""The gold fields of a posted label: what each may look like, and its canonical form.

Canonical forms: relevant_ids is an object of id to grade; expected_evidence a list of
objects; required_facts a list of lists of alternatives; verified_claims a list of true,
false or null; the rest as given. Ids are strings.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ragmon.model.gold import GoldField

LARGEST_GRADE = 1000


class FieldError(ValueError):
    """A gold field that cannot be used; says what was expected."""


def relevant_ids(value: Any) -> dict[str, float]:
    """A list of ids, each of grade 1, or an object of id to grade."""
    if isinstance(value, list):
        return {_id(one): 1.0 for one in value}
    if isinstance(value, dict):
        return {_id(key): _grade(key, grade) for key, grade in value.items()}
    raise FieldError("must be a list of ids or an object of id to grade")


def expected_evidence(value: Any) -> list[dict[str, str]]:
    """A list of texts, or of objects with `text` and optionally `document` and `source`."""
    return [_evidence(one) for one in _list(value)]


def texts(value: Any) -> list[str]:
    """One text or a list of texts, at least one."""
    given = [value] if isinstance(value, str) else _list(value)
    if not given or not all(isinstance(text, str) for text in given):
        raise FieldError("must be a text or a list of at least one text")
    return given


def required_facts(value: Any) -> list[list[str]]:
    """A list of facts, each a text or a list of alternative texts; none is blank."""
    facts = [texts(one) for one in _list(value)]
    if any(not text or text.isspace() for fact in facts for text in fact):
        raise FieldError("has a fact without characters, which every answer would state")
    return facts


def ids(value: Any) -> list[str]:
    """A list of ids."""
    return [_id(one) for one in _list(value)]


def flag(value: Any) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    raise FieldError("must be true or false")


def claims(value: Any) -> list[bool | None]:
    """A list with true, false or null per claim, or of objects with such a `supported`."""
    return [_claim(one) for one in _list(value)]


FIELDS: Mapping[GoldField, Callable[[Any], Any]] = {
    GoldField.RELEVANT_IDS: relevant_ids,
    GoldField.EXPECTED_EVIDENCE: expected_evidence,
    GoldField.EXPECTED_CHUNKS: texts,
    GoldField.REFERENCE_ANSWERS: texts,
    GoldField.REQUIRED_FACTS: required_facts,
    GoldField.EXPECTED_CITATIONS: ids,
    GoldField.ANSWERABLE: flag,
    GoldField.VERIFIED_CLAIMS: claims,
    GoldField.TASK_SUCCESS: flag,
}


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    raise FieldError("must be a list")


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise FieldError("has an id that is neither a text nor a whole number")
    return str(value)


def _grade(key: str, grade: Any) -> float:
    number = isinstance(grade, int | float) and not isinstance(grade, bool)
    if not number or not abs(grade) <= LARGEST_GRADE:
        raise FieldError(
            f"has a grade that is no number up to {LARGEST_GRADE:g}, of the id {key[:64]!r}"
        )
    return float(grade)


def _evidence(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        return {"text": value}
    if (
        isinstance(value, dict)
        and "text" in value
        and value.keys() <= {"text", "document", "source"}
        and all(isinstance(part, str) for part in value.values())
    ):
        return dict(value)
    raise FieldError("must hold texts, or objects with `text` and optionally `document`, `source`")


def _claim(value: Any) -> bool | None:
    supported = value.get("supported") if isinstance(value, dict) else value
    if supported is None or isinstance(supported, bool):
        return supported
    raise FieldError("must hold true, false or null, or objects with such a `supported`")
