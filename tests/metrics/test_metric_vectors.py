"""The reference vectors: what an independent reference gives for the same inputs.

Each request is measured with its texts, and sealed: with the hashes of their tokens.

RAGMON_VECTORS names another folder with files of the same form.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from ragmon.metrics.registry import build
from ragmon.model.gold import Gold
from ragmon.model.record import ContextSource, Document, Outcome, RequestRecord
from ragmon.text import Text
from ragmon.text.abstention import decide
from ragmon.text.numbers import answer_numbers
from ragmon.text.squad import squad_normalise
from ragmon.text.tokens import word_spans, word_tokens
from tests.metrics.measuring import Measure, differing

Vector = dict[str, Any]

REGISTRY = build((5,))
_FOLDER = Path(
    os.environ.get("RAGMON_VECTORS") or Path(__file__).parents[1] / "fixtures" / "vectors"
)


def _read(name: str) -> list[Vector]:
    found: list[Vector] = json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]
    return found


def _vectors(name: str) -> list[ParameterSet]:
    return [
        pytest.param(vector, id=str(vector.get("id", place)))
        for place, vector in enumerate(_read(name))
    ]


def _documents(ids: Sequence[str] | None) -> tuple[Document, ...] | None:
    return None if ids is None else tuple(Document(found, None) for found in ids)


def _context(texts: Sequence[str]) -> tuple[Document, ...]:
    return tuple(Document(None, Text(text)) for text in texts)


def _record(**captured: Any) -> RequestRecord:
    return RequestRecord(
        trace_id="0" * 32,
        span_id="0" * 16,
        span_ids=(),
        dialect="ragmon",
        pipeline="tests",
        event_ns=0,
        outcome=Outcome.ANSWERED,
        **captured,
    )


def _relevant(gold: Sequence[str] | Mapping[str, float] | None) -> Mapping[str, float] | None:
    if gold is None:
        return None
    return gold if isinstance(gold, Mapping) else dict.fromkeys(gold, 1.0)


def _expected(vector: Vector, stage: str, *names: str) -> dict[str, Any]:
    return {f"{stage}.{name}": vector["expected"][name] for name in names}


@pytest.mark.parametrize("vector", _vectors("stage_tokens"))
def test_word_tokens_and_their_offsets(vector: Vector) -> None:
    """Word tokens and their places are those of the reference."""
    expected = tuple((token, start, end) for token, start, end in vector["expected"])
    assert expected == word_spans(vector["text"])
    assert tuple(token for token, _, _ in expected) == word_tokens(vector["text"])


@pytest.mark.parametrize("vector", _vectors("stage_numbers"))
def test_numbers_of_an_answer(vector: Vector) -> None:
    """The numbers of an answer and their acceptable readings are those of the reference."""
    expected = [
        (surface, {tuple(key) if isinstance(key, list) else key for key in keys})
        for surface, keys in vector["expected"]
    ]
    assert expected == [
        (number.surface, set(number.keys)) for number in answer_numbers(vector["text"])
    ]


@pytest.mark.parametrize("vector", _vectors("stage_unsupported_numbers"))
def test_unsupported_numbers(vector: Vector, measured: Measure) -> None:
    """The rate and the very numbers that the context does not support are the reference's."""
    record = _record(answer=Text(vector["answer"]), context=_context(vector["contexts"]))
    wanted = {"generation.unsupported_number_rate": vector["expected"]}
    known = frozenset(key for text in vector["contexts"] for key in Text(text).context_numbers)
    unsupported = [
        number.surface
        for number in answer_numbers(vector["answer"])
        if not number.supported_by(known)
    ]
    assert {} == differing(wanted, measured(record, Gold(), REGISTRY, ()))
    assert vector["unsupported"] == unsupported


@pytest.mark.parametrize("vector", _vectors("stage_context_grounding"))
def test_context_grounding(vector: Vector, measured: Measure) -> None:
    """Grounding is that of the reference."""
    record = _record(answer=Text(vector["answer"]), context=_context(vector["contexts"]))
    wanted = {"generation.context_grounding": vector["expected"]}
    assert {} == differing(wanted, measured(record, Gold(), REGISTRY, ()))


@pytest.mark.parametrize("vector", _vectors("squad_em_f1"))
def test_squad_exact_match_and_f1(vector: Vector, measured: Measure) -> None:
    """Normalisation, exact match and F1 are those of the SQuAD 2.0 evaluation."""
    record = _record(answer=Text(vector["answer"]))
    gold = Gold(reference_answers=(Text(vector["reference"]),))
    wanted = {
        "generation.exact_match": vector["em_v2"],
        "generation.answer_f1": vector["f1_v2"],
    }
    assert vector["norm_answer"] == squad_normalise(vector["answer"])
    assert vector["norm_reference"] == squad_normalise(vector["reference"])
    assert {} == differing(wanted, measured(record, gold, REGISTRY, ()))


@pytest.mark.parametrize("vector", _vectors("stage_generation_text"))
def test_answer_against_reference(vector: Vector, measured: Measure) -> None:
    """Exact match, token overlap and ROUGE-L are those of the reference."""
    record = _record(answer=Text(vector["answer"]))
    gold = Gold(reference_answers=(Text(vector["reference"]),))
    names = ("exact_match", "answer_precision", "answer_recall", "answer_f1", "rouge_l_f1")
    wanted = _expected(vector, "generation", *names)
    wanted["end_to_end.answer_exact_match"] = vector["expected"]["exact_match"]
    wanted["end_to_end.answer_f1"] = vector["expected"]["answer_f1"]
    assert {} == differing(wanted, measured(record, gold, REGISTRY, ()))


@pytest.mark.parametrize("vector", _vectors("stage_required_facts"))
def test_required_facts(vector: Vector, measured: Measure) -> None:
    """Coverage of the required facts is that of the reference; a list is of alternatives."""
    facts = tuple(
        (fact,) if isinstance(fact, str) else tuple(fact) for fact in vector["required_facts"]
    )
    wanted = {"generation.required_fact_coverage": vector["expected"]}
    record = _record(answer=Text(vector["answer"]))
    assert {} == differing(wanted, measured(record, Gold(required_facts=facts), REGISTRY, ()))


@pytest.mark.parametrize("vector", _vectors("stage_citations"))
def test_citations(vector: Vector, measured: Measure) -> None:
    """Citation precision, recall and F1 are those of the reference."""
    record = _record(citations=tuple(vector["cited_ids"]))
    gold = Gold(expected_citations=tuple(vector["expected_ids"]))
    wanted = _expected(vector, "generation", *vector["expected"])
    assert {} == differing(wanted, measured(record, gold, REGISTRY, ()))


def test_abstentions() -> None:
    """At least 71 of 75 answers are told apart, and at most 3 of them wrongly as declining."""
    vectors = _read("abstention")
    told = [(vector["label"], decide(Text(vector["answer"]))) for vector in vectors]
    right = sum(label == said for label, said in told)
    wrongly = [said for label, said in told if label == "answer" and said == "abstain"]
    assert right >= len(told) * 71 / 75
    assert len(wrongly) <= 3


@pytest.mark.parametrize("vector", _vectors("stage_retrieval_rank"))
def test_ranked_retrieval(vector: Vector, measured: Measure) -> None:
    """Every ranked retrieval metric is that of the reference."""
    record = _record(retrieved=_documents(vector["retrieved_ids"]))
    gold = Gold(relevant=_relevant(vector["gold"]))
    wanted = _expected(vector, "retrieval", *vector["expected"])
    assert {} == differing(wanted, measured(record, gold, build((vector["k"],)), ()))


@pytest.mark.parametrize("vector", _vectors("stage_reranking"))
def test_reranking(vector: Vector, measured: Measure) -> None:
    """Every reranking metric is that of the reference."""
    record = _record(
        retrieved=_documents(vector["retrieved_ids"]), reranked=_documents(vector["reranked_ids"])
    )
    gold = Gold(relevant=_relevant(vector["gold"]))
    wanted = _expected(vector, "reranking", *vector["expected"])
    assert {} == differing(wanted, measured(record, gold, build((vector["k"],)), ()))


@pytest.mark.parametrize("vector", _vectors("stage_augmentation"))
def test_budget_compliance(vector: Vector, measured: Measure) -> None:
    """Compliance with the token budget is that of the reference."""
    given = vector["input"]
    record = _record(
        context=_context([chunk["text"] for chunk in given["context"]]),
        context_source=ContextSource.PACKED,
        max_context_tokens=given.get("max_context_tokens"),
    )
    wanted = _expected(vector, "augmentation", "budget_compliant")
    assert {} == differing(wanted, measured(record, Gold(), REGISTRY, ()))
