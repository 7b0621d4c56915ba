"""What a metric of a request can ask for, and how each input is read from its facts."""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Final, TypeVar

from ragmon.metrics.evidence import evidence_ranges
from ragmon.metrics.input import Input, RequestFacts
from ragmon.metrics.sources import packable, place_key, ranges_of
from ragmon.metrics.spec import Needs
from ragmon.model.corpus import TokenRange
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import ContextSource, Document, Outcome, RequestRecord, Stage
from ragmon.text import Text

_T = TypeVar("_T")
_LARGEST_SCORE: Final = 1e100


def _recorded(field: str, *, is_text: bool = False) -> Input:
    value_of = attrgetter(field)
    return Input(lambda facts: value_of(facts.record), field, is_text=is_text)


def _labelled(field: str, *, is_text: bool = False) -> Input:
    label_of = attrgetter(field)
    return Input(lambda facts: label_of(facts.gold), "", Needs.GOLD, is_text=is_text)


def _texts_of(field: str, read: Callable[[RequestFacts], object]) -> Input:
    return Input(read, field, is_text=True)


def _located(field: str, read: Callable[[RequestFacts], object]) -> Input:
    return Input(read, field, located=True)


def _ids(field: str) -> Input:
    documents_of = attrgetter(field)
    return Input(lambda facts: _distinct_ids(documents_of(facts.record)), field)


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
    return None if document.text is None else document.text.identity


def _texts(documents: tuple[Document, ...] | None) -> tuple[Text, ...] | None:
    if documents is None:
        return None
    return _all_known([document.text for document in documents])


def _scores(facts: RequestFacts) -> tuple[float, ...] | None:
    retrieved = facts.record.retrieved
    if retrieved is None:
        return None
    return _all_known([_plausible(document.score) for document in retrieved])


def _plausible(score: float | None) -> float | None:
    """A score, None where it is no number or so large that it can be none."""
    return score if score is not None and abs(score) <= _LARGEST_SCORE else None


def _all_known(values: list[_T | None]) -> tuple[_T, ...] | None:
    """The values, None where one of them was not captured."""
    known = [value for value in values if value is not None]
    return tuple(known) if len(known) == len(values) else None


def _packed(record: RequestRecord) -> tuple[Document, ...] | None:
    return record.context if record.context_source is ContextSource.PACKED else None


def _retrieved_ranges(facts: RequestFacts) -> tuple[TokenRange | None, ...] | NotMeasured | None:
    retrieved = facts.record.retrieved
    if retrieved is None:
        return None
    return ranges_of(dict.fromkeys(map(place_key, retrieved)), facts.sources)


def _context_ranges(facts: RequestFacts) -> tuple[TokenRange | None, ...] | NotMeasured | None:
    context = packable(facts.record)
    if context is None:
        return None
    return ranges_of(map(place_key, context), facts.sources)


def _duration(stage: Stage) -> Input:
    def duration_s(facts: RequestFacts) -> float | None:
        run = facts.record.stages.get(stage)
        return None if run is None else run.duration_s

    return Input(duration_s, "stages")


def _total_tokens(facts: RequestFacts) -> int | None:
    sent, received = facts.record.input_tokens, facts.record.output_tokens
    return None if sent is None or received is None else sent + received


def _gold_grades(facts: RequestFacts) -> Mapping[str, float] | NotMeasured | None:
    relevant = facts.gold.relevant
    if relevant is None:
        return None
    positive = {found: grade for found, grade in relevant.items() if grade > 0}
    return positive or NotMeasured(Kind.UNDEFINED, "no_relevant_ids")


def _gold_ids(facts: RequestFacts) -> frozenset[str] | NotMeasured | None:
    grades = _gold_grades(facts)
    return frozenset(grades) if isinstance(grades, Mapping) else grades


def _abstained(facts: RequestFacts) -> bool | None:
    outcome = facts.record.outcome
    decided = outcome in (Outcome.ANSWERED, Outcome.ABSTAINED)
    return outcome is Outcome.ABSTAINED if decided else None


def _required_facts(facts: RequestFacts) -> tuple[tuple[str, ...], ...] | NotMeasured | None:
    required = facts.gold.required_facts
    if required is None:
        return None
    return required or NotMeasured(Kind.UNDEFINED, "no_required_facts")


def _expected_citations(facts: RequestFacts) -> frozenset[str] | NotMeasured | None:
    if facts.gold.expected_citations is None:
        return None
    expected = frozenset(facts.gold.expected_citations)
    return expected or NotMeasured(Kind.UNDEFINED, "no_expected_citations")


REQUEST_INPUTS: Final[Mapping[str, Input]] = {
    "query": _recorded("query", is_text=True),
    "answer": _recorded("answer", is_text=True),
    "retrieved_ids": _ids("retrieved"),
    "reranked_ids": _ids("reranked"),
    "result_keys": Input(lambda facts: _keys(facts.record.retrieved), "retrieved"),
    "result_scores": Input(_scores, "retrieved"),
    "retrieved_texts": _texts_of("retrieved", lambda facts: _texts(facts.record.retrieved)),
    "retrieved_ranges": _located("retrieved", _retrieved_ranges),
    "reranked_keys": Input(lambda facts: _keys(facts.record.reranked), "reranked"),
    "cited_ids": _recorded("citations"),
    "stated_citations": Input(lambda facts: facts.record.citations or (), "citations"),
    "context_ids": _ids("context"),
    "context_keys": Input(lambda facts: _keys(facts.record.context), "context"),
    "context_texts": _texts_of("context", lambda facts: _texts(facts.record.context)),
    "context_ranges": _located("context", _context_ranges),
    "packed_keys": Input(lambda facts: _keys(_packed(facts.record)), "context"),
    "packed_context_texts": _texts_of("context", lambda facts: _texts(_packed(facts.record))),
    "max_context_tokens": _recorded("max_context_tokens"),
    "abstained": Input(_abstained, "answer"),
    "latency_s": _recorded("latency_s"),
    "retrieval_latency_s": _duration(Stage.RETRIEVAL),
    "generation_latency_s": _duration(Stage.GENERATION),
    "cost_usd": Input(lambda facts: facts.record.cost_usd, "usage"),
    "total_tokens": Input(_total_tokens, "usage"),
    "gold_ids": Input(_gold_ids, "", Needs.GOLD),
    "gold_grades": Input(_gold_grades, "", Needs.GOLD),
    "evidence_ranges": Input(evidence_ranges, "", Needs.GOLD, located=True),
    "reference_answers": _labelled("reference_answers", is_text=True),
    "answerable": _labelled("answerable"),
    "required_facts": Input(_required_facts, "", Needs.GOLD, is_text=True),
    "expected_citations": Input(_expected_citations, "", Needs.GOLD),
    "verified_claims": _labelled("verified_claims"),
    "task_success": _labelled("task_success"),
}
"""Every input by its name.

Lists of ids and the retrieved ranges hold a repeated id once, at its first rank; keys and the
ranges of the context repeat.
"""
