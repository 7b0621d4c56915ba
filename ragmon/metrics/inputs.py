"""The inputs a metric can ask for by name, and how each is read from a request.

An input that is not there gives its reason: `missing` with the input's name, and with the
cause where the record knows one; `undefined` where a label says there is nothing to measure.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import Absence, ContextSource, Document, RequestRecord, Stage
from ragmon.text import Text


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


def _ids(field: str) -> Input:
    documents_of = attrgetter(field)
    return Input(lambda record, _: _distinct_ids(documents_of(record)), field)


def _distinct_ids(documents: tuple[Document, ...] | None) -> tuple[str, ...] | None:
    if documents is None:
        return None
    ids = [document.id for document in documents]
    known = [found for found in ids if found is not None]
    return tuple(dict.fromkeys(known)) if len(known) == len(ids) else None


def _context_texts(record: RequestRecord, _: Gold) -> tuple[Text, ...] | None:
    if record.context is None:
        return None
    texts = [document.text for document in record.context]
    known = [text for text in texts if text is not None]
    return tuple(known) if len(known) == len(texts) else None


def _packed_context_texts(record: RequestRecord, gold: Gold) -> tuple[Text, ...] | None:
    packed = record.context_source is ContextSource.PACKED
    return _context_texts(record, gold) if packed else None


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


INPUTS: Final[Mapping[str, Input]] = {
    "query": _recorded("query"),
    "answer": _recorded("answer"),
    "retrieved_ids": _ids("retrieved"),
    "reranked_ids": _ids("reranked"),
    "context_texts": Input(_context_texts, "context"),
    "packed_context_texts": Input(_packed_context_texts, "context"),
    "max_context_tokens": _recorded("max_context_tokens"),
    "latency_s": _recorded("latency_s"),
    "retrieval_latency_s": _duration(Stage.RETRIEVAL),
    "generation_latency_s": _duration(Stage.GENERATION),
    "cost_usd": Input(lambda record, _: record.cost_usd, "usage"),
    "total_tokens": Input(_total_tokens, "usage"),
    "gold_ids": Input(_gold_ids, "", gold=True),
    "gold_grades": Input(_gold_grades, "", gold=True),
    "reference_answers": Input(lambda _, gold: gold.reference_answers, "", gold=True),
}
"""Every input by its name. Lists of ids hold a repeated id once, at its first rank."""
