"""Labels to gold: per field of a request or an indexing run, one label wins."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ragmon.labels.keys import match_keys
from ragmon.model.gold import Gold, GoldField, GoldLabel, MatchKey
from ragmon.model.record import RequestRecord
from ragmon.text import Text
from ragmon.text.hashing import TokenHasher


def join(
    record: RequestRecord, labels: Iterable[GoldLabel], hasher: TokenHasher | None = None
) -> Gold:
    """The gold of one request from every label that stands under its match keys.

    hasher: by which queries are known, where they are not known by their words. Labels under
    other keys or for another pipeline are passed over, and so is what only speaks of chunks.
    Per field the greatest `precedence` wins, so the order of the labels does not matter.
    """
    return _gold(match_keys(record, hasher), record.pipeline, _OF_REQUESTS, labels)


def join_run(keys: Iterable[MatchKey], pipeline: str, labels: Iterable[GoldLabel]) -> Gold:
    """The gold of the indexing run with these keys: what speaks of a document's text."""
    return _gold(keys, pipeline, _OF_RUNS, labels)


def _gold(
    keys: Iterable[MatchKey],
    pipeline: str,
    fields: frozenset[GoldField],
    labels: Iterable[GoldLabel],
) -> Gold:
    reached = frozenset(keys)
    standing = [
        label
        for label in labels
        if label.key in reached and label.field in fields and label.pipeline in (None, pipeline)
    ]
    winners = _winners(standing)
    gold = read_gold({field: json.loads(label.value) for field, label in winners})
    return replace(gold, winners=tuple(label for _, label in winners))


def read_gold(values: Mapping[GoldField, Any]) -> Gold:
    """The gold that the canonical values of some fields say, as `labels.fields` gives them."""
    return Gold(**{_NAMES[field]: _READ[field](value) for field, value in values.items()})


def _winners(labels: Iterable[GoldLabel]) -> list[tuple[GoldField, GoldLabel]]:
    best: dict[GoldField, GoldLabel] = {}
    for label in labels:
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
    GoldField.EXPECTED_CHUNKS: tuple,
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
_OF_RUNS = frozenset((GoldField.EXPECTED_EVIDENCE, GoldField.EXPECTED_CHUNKS))
_OF_REQUESTS = frozenset(GoldField) - {GoldField.EXPECTED_CHUNKS}
