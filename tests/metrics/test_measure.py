"""Measuring: a number where everything is there, else the reason."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ragmon.metrics import correctness
from ragmon.metrics.input import Facts, Input
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry, build
from ragmon.metrics.request_inputs import REQUEST_INPUTS
from ragmon.metrics.spec import Needs, Scope
from ragmon.model.corpus import Sources, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import (
    Absence,
    ContextSource,
    Document,
    ModelUsage,
    Outcome,
    RequestRecord,
    StageRun,
)
from ragmon.text import Text

MakeRecord = Callable[..., RequestRecord]
REGISTRY = build((2,))
REQUEST_SPECS = [spec for _, spec in REGISTRY.places[Scope.REQUEST]]
RESULTS = {"retrieved_ids", "result_keys", "result_scores", "retrieved_texts"}
TEXTS = {"context_texts", "packed_context_texts"}
PACKED = {"packed_context_texts", "packed_keys"}
OTHERS = ("undefined", "missing:source")
SOURCES = Sources(
    {"a": TokenRange("d", 0, 2), "b": TokenRange("d", 2, 4)}, {"d": " alpha 10 beta 20 "}
)


def _measured(record: RequestRecord, gold: Gold) -> Mapping[str, Measured]:
    values = measure(record, gold, REGISTRY, SOURCES)
    return {slot.key: value for slot, value in zip(REGISTRY.layout, values, strict=True)}


def _reasons(record: RequestRecord, gold: Gold) -> dict[str, str]:
    return {
        key: value.reason
        for key, value in _measured(record, gold).items()
        if isinstance(value, NotMeasured)
    }


def test_a_full_request_has_every_number(make_record: MakeRecord, gold: Gold) -> None:
    """Each metric of a request with every input, worked by hand."""
    gain = 1 / math.log2(3) * 3
    best = 3 + 1 / math.log2(3)
    expected = {
        "retrieval.precision_at_k": 1 / 2,
        "retrieval.recall_at_k": 1 / 2,
        "retrieval.mrr_at_k": 1 / 2,
        "retrieval.ndcg_at_k": gain / best,
        "retrieval.hit_at_k": 1.0,
        "retrieval.f1_at_k": 1 / 2,
        "retrieval.average_precision_at_k": 1 / 4,
        "retrieval.token_recall": 1.0,
        "retrieval.token_precision": 1 / 4,
        "retrieval.token_iou": 1 / 4,
        "retrieval.complete_evidence_recall": 1.0,
        "retrieval.result_count": 2.0,
        "retrieval.empty_retrieval": 0.0,
        "retrieval.retrieved_documents": 2.0,
        "retrieval.duplicate_result_ratio": 0.0,
        "retrieval.top_score": 0.75,
        "retrieval.score_gap": 0.25,
        "retrieval.query_term_coverage": 1 / 2,
        "retrieval.latency_ms": 250.0,
        "reranking.ndcg_at_k": 3 / best,
        "reranking.mrr_at_k": 1.0,
        "reranking.ndcg_gain": (3 - gain) / best,
        "reranking.mrr_gain": 1 / 2,
        "reranking.precision_gain": 0.0,
        "reranking.first_relevant_rank_change": 1.0,
        "reranking.candidate_set_preservation_rate": 1.0,
        "reranking.rank_biased_overlap": 0.9,
        "reranking.reranked_documents": 2.0,
        "augmentation.duplicate_ratio_text": 0.0,
        "augmentation.budget_compliant": 1.0,
        "augmentation.packed_documents": 2.0,
        "augmentation.context_precision": 1 / 4,
        "augmentation.context_recall": 1.0,
        "augmentation.context_noise": 3 / 4,
        "augmentation.context_sufficient": 1.0,
        "augmentation.duplicate_ratio": 0.0,
        "augmentation.evidence_edge_placement": 1.0,
        "generation.context_grounding": 2 / 4,
        "generation.unsupported_number_rate": 1 / 2,
        "generation.unsupported_number_rate_with_question": 0.0,
        "generation.citation_validity": 1 / 2,
        "generation.used_documents": 1.0,
        "generation.abstained": 0.0,
        "generation.answer_precision": 2 / 4,
        "generation.answer_recall": 1.0,
        "generation.answer_f1": 4 / 6,
        "generation.rouge_l_f1": 4 / 6,
        "generation.required_fact_coverage": 1 / 2,
        "generation.citation_precision": 1 / 2,
        "generation.citation_recall": 1 / 2,
        "generation.citation_f1": 1 / 2,
        "generation.annotated_claim_support": 1 / 2,
        "generation.abstention_accuracy": 1.0,
        "generation.task_success": 1.0,
        "end_to_end.answer_exact_match": 0.0,
        "end_to_end.answer_f1": 4 / 6,
        "end_to_end.task_success": 1.0,
        "generation.exact_match": 0.0,
        "generation.latency_ms": 1500.0,
        "end_to_end.latency_ms": 2000.0,
        "end_to_end.cost_usd": 0.5,
        "end_to_end.total_tokens": 120.0,
    }
    assert expected == pytest.approx(_measured(make_record(), gold))


@pytest.mark.parametrize(
    ("field", "value", "inputs"),
    [
        ("query", None, {"query"}),
        ("answer", None, {"answer"}),
        ("retrieved", None, RESULTS | {"retrieved_ranges"}),
        ("retrieved", (Document("a", None), Document(None, None)), RESULTS),
        ("retrieved", (Document("a", Text("x")),), {"result_scores"}),
        ("retrieved", (Document("a", Text("x"), math.inf),), {"result_scores"}),
        ("retrieved", (Document(None, Text("x"), 0.5),), {"retrieved_ids"}),
        ("reranked", None, {"reranked_ids", "reranked_keys"}),
        ("context", None, TEXTS | {"context_ids", "context_keys", "context_ranges", "packed_keys"}),
        ("context_source", ContextSource.PROMPT, PACKED | {"context_ranges"}),
        ("context", (Document("a", None),), TEXTS),
        ("context", (Document(None, Text("x")),), {"context_ids"}),
        ("context_source", ContextSource.RETRIEVED, PACKED),
        ("context_source", None, PACKED),
        ("citations", None, {"cited_ids"}),
        ("outcome", Outcome.UNKNOWN, {"abstained"}),
        ("outcome", Outcome.ERROR, {"abstained"}),
        ("max_context_tokens", None, {"max_context_tokens"}),
        ("latency_s", None, {"latency_s"}),
        ("stages", {}, {"retrieval_latency_s", "generation_latency_s"}),
        (
            "stages",
            {"retrieval": StageRun(None), "generation": StageRun(None)},
            {"retrieval_latency_s", "generation_latency_s"},
        ),
        ("usage", (), {"cost_usd", "total_tokens"}),
        ("usage", (ModelUsage("m", None, 2, 0.5),), {"total_tokens"}),
        ("usage", (ModelUsage("m", 2, None, 0.5),), {"total_tokens"}),
        ("usage", (ModelUsage("m", 2, 2, None),), {"cost_usd"}),
    ],
)
def test_a_missing_input_is_named(
    make_record: MakeRecord, gold: Gold, field: str, value: object, inputs: set[str]
) -> None:
    """What was not captured leaves exactly the metrics that need it without a number."""
    expected = {
        spec.key: f"missing:{next(name for name in spec.inputs if name in inputs)}"
        for spec in REQUEST_SPECS
        if inputs & set(spec.inputs)
    }
    reasons = _reasons(make_record(**{field: value}), gold)
    assert expected
    assert expected == {key: reason for key, reason in reasons.items() if reason not in OTHERS}


def test_the_cause_of_an_absence_is_told(make_record: MakeRecord, gold: Gold) -> None:
    """A dropped or masked field gives its cause; one that was simply not captured, none."""
    absent = {
        "retrieved": Absence.DROPPED_ATTRIBUTES,
        "context": Absence.MASKED,
        "answer": Absence.NOT_CAPTURED,
    }
    reasons = _reasons(make_record(retrieved=None, context=None, answer=None, absent=absent), gold)
    assert "missing:retrieved_ids:dropped_attributes" == reasons["retrieval.recall_at_k"]
    assert "missing:packed_context_texts:masked" == reasons["augmentation.budget_compliant"]
    assert "missing:answer" == reasons["generation.exact_match"]


def test_without_labels_gold_metrics_are_missing(make_record: MakeRecord) -> None:
    """A request that nobody labelled has no gold number, and names the label it lacks."""
    reasons = _reasons(make_record(), Gold())
    labels = {name for name, one in REQUEST_INPUTS.items() if one.needs is Needs.GOLD}
    labels = labels - {"evidence_ranges"} | {"expected_evidence"}
    assert {f"missing:{name}" for name in labels} == set(reasons.values())
    assert all(reasons[spec.key] for spec in REQUEST_SPECS if spec.needs == "gold")


def test_labels_without_anything_relevant_leave_nothing_to_find(make_record: MakeRecord) -> None:
    """Labelled, but no grade above 0: undefined, neither missing nor 0."""
    reasons = _reasons(make_record(), Gold(relevant={"a": 0.0, "b": -1.0, "c": math.nan}))
    ranked = [spec.key for spec in REQUEST_SPECS if {"gold_ids", "gold_grades"} & {*spec.inputs}]
    assert {"undefined:no_relevant_ids"} == {reasons[key] for key in ranked}


def test_empty_labels_say_what_they_lack(make_record: MakeRecord, gold: Gold) -> None:
    """A label that lists nothing leaves its metrics undefined, with the reason."""
    empty = dataclasses.replace(
        gold, required_facts=(), expected_citations=(), expected_evidence=()
    )
    citations = [f"generation.citation_{name}" for name in ("precision", "recall", "f1")]
    expected = dict.fromkeys(citations, "undefined:no_expected_citations")
    expected["generation.required_fact_coverage"] = "undefined:no_required_facts"
    evidence = [spec.key for spec in REQUEST_SPECS if "evidence_ranges" in spec.inputs]
    expected.update(dict.fromkeys(evidence, "undefined:no_expected_evidence"))
    assert expected == _reasons(make_record(), empty)


def test_citations_are_no_condition_of_use(make_record: MakeRecord, gold: Gold) -> None:
    """Where citations were not captured, support alone says what was used."""
    measured = _measured(make_record(citations=None), gold)
    assert 1.0 == measured["generation.used_documents"]


def test_what_cannot_be_defined_is_undefined(make_record: MakeRecord, gold: Gold) -> None:
    """Empty texts have no rates, and are told apart from missing ones."""
    record = make_record(
        query=Text("Why?"), retrieved=(), reranked=(), answer=Text("the"), context=(), citations=()
    )
    gold = dataclasses.replace(gold, reference_answers=(), verified_claims=(None,))
    undefined = [
        "retrieval.duplicate_result_ratio",
        "retrieval.top_score",
        "retrieval.score_gap",
        "retrieval.query_term_coverage",
        "reranking.first_relevant_rank_change",
        "reranking.rank_biased_overlap",
        "retrieval.token_precision",
        "augmentation.context_precision",
        "augmentation.context_noise",
        "augmentation.duplicate_ratio",
        "augmentation.evidence_edge_placement",
        "augmentation.duplicate_ratio_text",
        "generation.context_grounding",
        "generation.unsupported_number_rate",
        "generation.unsupported_number_rate_with_question",
        "generation.citation_validity",
        "generation.answer_precision",
        "generation.answer_recall",
        "generation.answer_f1",
        "generation.exact_match",
        "generation.rouge_l_f1",
        "generation.citation_precision",
        "generation.annotated_claim_support",
        "end_to_end.answer_exact_match",
        "end_to_end.answer_f1",
    ]
    assert dict.fromkeys(undefined, "undefined") == _reasons(record, gold)


def test_a_repeated_id_counts_once_before_the_cut(make_record: MakeRecord) -> None:
    """Repeats are dropped at their later ranks, and only then the list is cut at k."""
    ids = ("x", "x", "a")
    record = make_record(retrieved=tuple(Document(found, None) for found in ids))
    measured = _measured(record, Gold(relevant={"a": 1.0}))
    assert 1 / 2 == measured["retrieval.mrr_at_k"]


def _with(function: Callable[..., Any]) -> Registry:
    """A registry whose first metric is computed by another function."""
    first, *others = REQUEST_SPECS
    inputs = ("latency_s",)
    replaced = dataclasses.replace(first, function=function, takes_k=False, inputs=inputs)
    return Registry([replaced, *others], (2,))


def _fail(_: float) -> float:
    raise RecursionError("with a user's text")


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (_fail, "failed:RecursionError"),
        (lambda _: math.nan, "failed:not_finite"),
        (lambda _: -math.inf, "failed:not_finite"),
        (lambda _: "text", "failed:ValueError"),
        (lambda _: None, "undefined"),
    ],
)
def test_a_failing_metric_costs_no_other(
    make_record: MakeRecord, gold: Gold, function: Callable[..., Any], reason: str
) -> None:
    """A metric that raises or gives no number fails alone, without a word of its message."""
    first, *others = measure(make_record(), gold, _with(function), SOURCES)
    assert isinstance(first, NotMeasured)
    assert reason == first.reason
    assert others == list(measure(make_record(), gold, REGISTRY, SOURCES)[1:])


def test_a_hostile_grade_fails_alone(make_record: MakeRecord, gold: Gold) -> None:
    """A grade too large for its gain costs nDCG only."""
    reasons = _reasons(make_record(), dataclasses.replace(gold, relevant={"a": 1e9}))
    hurt = ("retrieval.ndcg_at_k", "reranking.ndcg_at_k", "reranking.ndcg_gain")
    assert dict.fromkeys(hurt, "failed:OverflowError") == reasons


def test_every_result_is_a_float(make_record: MakeRecord, gold: Gold) -> None:
    """Whole numbers and truth values come out as floats, ready to be packed."""
    values = measure(make_record(), gold, _with(lambda _: True), SOURCES)
    assert {float} == {type(value) for value in values}


def test_an_input_is_read_once_per_request(
    make_record: MakeRecord, gold: Gold, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many metrics ask for an input, it is made once."""
    asked: list[str] = []

    def counted(name: str, found: Input, facts: Facts) -> object:
        asked.append(name)
        return found.read(facts)

    monkeypatch.setattr("ragmon.metrics.measure.read_input", counted)
    measure(make_record(), gold, REGISTRY)
    assert sorted(set(asked)) == sorted(asked)
    assert set(REQUEST_INPUTS) == set(asked)


def test_reasons_are_read_back() -> None:
    """A reason with a cause survives being written and parsed."""
    reason = NotMeasured(Kind.MISSING, "retrieved_ids:dropped_attributes")
    assert reason == NotMeasured.parse(reason.reason)


def test_ranked_functions_refuse_an_impossible_cut() -> None:
    """A cut-off below 1 is an error of the caller, not a score."""
    for spec in REQUEST_SPECS:
        if spec.takes_k:
            values = [_ranked(name, {"a": 1.0}) for name in spec.inputs]
            with pytest.raises(ValueError, match="k=0 must be 1 or more"):
                spec.function(*values, k=0)


def test_ranked_functions_without_gold_have_no_value() -> None:
    """With nothing to find a ranked metric is None, whatever was retrieved."""
    for spec in REQUEST_SPECS:
        if spec.takes_k:
            values = [_ranked(name, {}) for name in spec.inputs]
            assert spec.function(*values, k=1) is None


def test_without_anything_expected_there_is_no_share() -> None:
    """The functions themselves give None where a label lists nothing."""
    assert correctness.required_fact_coverage(Text("x"), ()) is None
    for metric in ("citation_precision", "citation_recall", "citation_f1"):
        assert getattr(correctness, metric)(("a",), frozenset()) is None


def _ranked(name: str, grades: dict[str, float]) -> object:
    """A value for an input of a ranked metric."""
    inputs = {
        "gold_grades": grades,
        "gold_ids": frozenset(grades),
        "retrieved_ranges": (TokenRange("d", 0, 1),),
        "evidence_ranges": tuple(TokenRange("d", 0, 1) for _ in grades),
    }
    return inputs.get(name, ("a",))
