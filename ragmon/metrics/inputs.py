"""The inputs a metric can ask for by name, and how each is read from a request.

An input that is not there gives its reason: `missing` with the input's name, and with the
cause where the record knows one; `undefined` where a label says there is nothing to measure.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, TypeVar

from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import (
    Absence,
    ContextSource,
    Document,
    Outcome,
    RequestRecord,
    Stage,
)
from ragmon.text import Text

_T = TypeVar("_T")
_LARGEST_SCORE: Final = 1e100


@dataclass(frozen=True, slots=True)
class Input:
    """One input: `read` gives its value, None where it is missing, or why there is none.

    field: the field of the record whose `absent` entry explains a missing value.
    gold: it comes from labels.
    """

    read: Callable[[RequestRecord, Gold], object]
    field: str
    gold: bool = False


def read_input(name: str, record: RequestRecord, gold: Gold) -> object:
    """The value of an input for one request, or a NotMeasured that says why there is none."""
    found = INPUTS[name]
    value = found.read(record, gold)
    if value is not None:
        return value
    cause = record.absent.get(found.field, Absence.NOT_CAPTURED)
    return NotMeasured(Kind.MISSING, name if cause is Absence.NOT_CAPTURED else f"{name}:{cause}")


def _recorded(field: str) -> Input:
    value_of = attrgetter(field)
    return Input(lambda record, _: value_of(record), field)


def _labelled(field: str) -> Input:
    label_of = attrgetter(field)
    return Input(lambda _, gold: label_of(gold), "", gold=True)


def _ids(field: str) -> Input:
    documents_of = attrgetter(field)
    return Input(lambda record, _: _distinct_ids(documents_of(record)), field)


def _distinct_ids(documents: tuple[Document, ...] | None) -> tuple[str, ...] | None:
    if documents is None:
        return None
    ids = _all_known([document.id for document in documents])
    return None if ids is None else tuple(dict.fromkeys(ids))


def _keys(documents: tuple[Document, ...] | None) -> tuple[str, ...] | None:
    """What tells documents apart: the id, where there is none the text."""
    if documents is None:
        return None
    keys = [_key(document) for document in documents]
    return _all_known(keys)


def _key(document: Document) -> str | None:
    if document.id is not None:
        return document.id
    return None if document.text is None else document.text.raw


def _texts(documents: tuple[Document, ...] | None) -> tuple[Text, ...] | None:
    if documents is None:
        return None
    return _all_known([document.text for document in documents])


def _scores(record: RequestRecord, _: Gold) -> tuple[float, ...] | None:
    if record.retrieved is None:
        return None
    return _all_known([_plausible(document.score) for document in record.retrieved])


def _plausible(score: float | None) -> float | None:
    """A score, None where it is no number or so large that it can be none."""
    return score if score is not None and abs(score) <= _LARGEST_SCORE else None


def _all_known(values: list[_T | None]) -> tuple[_T, ...] | None:
    """The values, None where one of them was not captured."""
    known = [value for value in values if value is not None]
    return tuple(known) if len(known) == len(values) else None


def _packed(record: RequestRecord) -> tuple[Document, ...] | None:
    return record.context if record.context_source is ContextSource.PACKED else None


def _duration(stage: Stage) -> Input:
    def duration_s(record: RequestRecord, _: Gold) -> float | None:
        run = record.stages.get(stage)
        return None if run is None else run.duration_s

    return Input(duration_s, "stages")


def _total_tokens(record: RequestRecord, _: Gold) -> int | None:
    sent, received = record.input_tokens, record.output_tokens
    return None if sent is None or received is None else sent + received


def _gold_grades(_: RequestRecord, gold: Gold) -> Mapping[str, float] | NotMeasured | None:
    if gold.relevant is None:
        return None
    positive = {found: grade for found, grade in gold.relevant.items() if grade > 0}
    return positive or NotMeasured(Kind.UNDEFINED, "no_relevant_ids")


def _gold_ids(record: RequestRecord, gold: Gold) -> frozenset[str] | NotMeasured | None:
    grades = _gold_grades(record, gold)
    return frozenset(grades) if isinstance(grades, Mapping) else grades


def _abstained(record: RequestRecord, _: Gold) -> bool | None:
    decided = record.outcome in (Outcome.ANSWERED, Outcome.ABSTAINED)
    return record.outcome is Outcome.ABSTAINED if decided else None


def _required_facts(
    _: RequestRecord, gold: Gold
) -> tuple[tuple[str, ...], ...] | NotMeasured | None:
    if gold.required_facts is None:
        return None
    return gold.required_facts or NotMeasured(Kind.UNDEFINED, "no_required_facts")


def _expected_citations(_: RequestRecord, gold: Gold) -> frozenset[str] | NotMeasured | None:
    if gold.expected_citations is None:
        return None
    expected = frozenset(gold.expected_citations)
    return expected or NotMeasured(Kind.UNDEFINED, "no_expected_citations")


INPUTS: Final[Mapping[str, Input]] = {
    "query": _recorded("query"),
    "answer": _recorded("answer"),
    "retrieved_ids": _ids("retrieved"),
    "reranked_ids": _ids("reranked"),
    "result_keys": Input(lambda record, _: _keys(record.retrieved), "retrieved"),
    "result_scores": Input(_scores, "retrieved"),
    "retrieved_texts": Input(lambda record, _: _texts(record.retrieved), "retrieved"),
    "reranked_keys": Input(lambda record, _: _keys(record.reranked), "reranked"),
    "cited_ids": _recorded("citations"),
    "stated_citations": Input(lambda record, _: record.citations or (), "citations"),
    "context_ids": _ids("context"),
    "context_keys": Input(lambda record, _: _keys(record.context), "context"),
    "context_texts": Input(lambda record, _: _texts(record.context), "context"),
    "packed_keys": Input(lambda record, _: _keys(_packed(record)), "context"),
    "packed_context_texts": Input(lambda record, _: _texts(_packed(record)), "context"),
    "max_context_tokens": _recorded("max_context_tokens"),
    "abstained": Input(_abstained, "answer"),
    "latency_s": _recorded("latency_s"),
    "retrieval_latency_s": _duration(Stage.RETRIEVAL),
    "generation_latency_s": _duration(Stage.GENERATION),
    "cost_usd": Input(lambda record, _: record.cost_usd, "usage"),
    "total_tokens": Input(_total_tokens, "usage"),
    "gold_ids": Input(_gold_ids, "", gold=True),
    "gold_grades": Input(_gold_grades, "", gold=True),
    "reference_answers": _labelled("reference_answers"),
    "answerable": _labelled("answerable"),
    "required_facts": Input(_required_facts, "", gold=True),
    "expected_citations": Input(_expected_citations, "", gold=True),
    "verified_claims": _labelled("verified_claims"),
    "task_success": _labelled("task_success"),
}
"""Every input by its name. Lists of ids hold a repeated id once, at its first rank; keys repeat."""
