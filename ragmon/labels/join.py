"""Labels to gold: per field of a request, one label wins."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ragmon.labels.keys import match_keys
from ragmon.model.gold import Gold, GoldField, GoldLabel
from ragmon.model.record import RequestRecord
from ragmon.text import Text


def join(record: RequestRecord, labels: Iterable[GoldLabel]) -> Gold:
    """The gold of one request from every label that stands under its match keys.

    Labels under other keys or for another pipeline are passed over. Per field the greatest
    `precedence` wins, so the order of the labels does not matter.
    """
    winners = _winners(record, labels)
    fields = {_NAMES[field]: _READ[field](json.loads(label.value)) for field, label in winners}
    return Gold(**fields, winners=tuple(label for _, label in winners))


def _winners(
    record: RequestRecord, labels: Iterable[GoldLabel]
) -> list[tuple[GoldField, GoldLabel]]:
    keys = frozenset(match_keys(record))
    best: dict[GoldField, GoldLabel] = {}
    for label in labels:
        if label.key not in keys or label.pipeline not in (None, record.pipeline):
            continue
        rival = best.get(label.field)
        if rival is None or _rank(label) > _rank(rival):
            best[label.field] = label
    return sorted(best.items())


def _rank(label: GoldLabel) -> tuple[object, ...]:
    """Precedence, then the pipeline, so that no two different labels tie."""
    return (*label.precedence, label.pipeline or "")


def _grades(value: Any) -> Mapping[str, float]:
    return {str(key): float(grade) for key, grade in value.items()}


def _evidence(value: Any) -> tuple[Mapping[str, str], ...]:
    return tuple(dict(span) for span in value)


def _texts(value: Any) -> tuple[Text, ...]:
    return tuple(Text(text) for text in value)


def _facts(value: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(alternatives) for alternatives in value)


_READ: Mapping[GoldField, Callable[[Any], Any]] = {
    GoldField.RELEVANT_IDS: _grades,
    GoldField.EXPECTED_EVIDENCE: _evidence,
    GoldField.REFERENCE_ANSWERS: _texts,
    GoldField.REQUIRED_FACTS: _facts,
    GoldField.EXPECTED_CITATIONS: tuple,
    GoldField.ANSWERABLE: bool,
    GoldField.VERIFIED_CLAIMS: tuple,
    GoldField.TASK_SUCCESS: bool,
}

_NAMES: Mapping[GoldField, str] = {
    field: "relevant" if field is GoldField.RELEVANT_IDS else str(field) for field in GoldField
}
