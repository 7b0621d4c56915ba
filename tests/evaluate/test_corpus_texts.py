"""Chunks that are told by their texts, and a corpus as an import has it."""

from typing import Any

import pytest

from ragmon.evaluate import AugmentationEvaluator, RetrievalEvaluator
from ragmon.summary.report import Report

CORPUS: list[dict[str, Any]] = [
    {
        "document_id": "d",
        "text": "Alpha beta gamma. Delta epsilon zeta. Said twice here.",
        "chunks": [
            {"id": "1", "start": 0, "end": 17},
            {"id": "2", "start": 18, "end": 37, "text": "Title: delta epsilon zeta"},
            {"id": "3", "text": "stands nowhere in it"},
        ],
    },
    {"document_id": "e", "text": "Eta theta. Said twice here.", "chunks": []},
]


def precision(
    text: str, evidence: str, corpus: list[dict[str, Any]] = CORPUS, **also: Any
) -> tuple[float | None, dict[str, int], dict[str, int]]:
    """Token precision of one retrieved text, with reasons and notes."""
    report = RetrievalEvaluator(k=1, corpus=corpus, source=also.pop("source", None)).evaluate(
        retrieved_texts=[[text]], expected_evidence=[[evidence]], **also
    )
    metric = report.metric("retrieval.token_precision")
    assert metric is not None
    return metric.value, dict(metric.reasons), dict(report.stages[0].notes)


@pytest.mark.parametrize(
    ("text", "evidence", "value"),
    [
        ("Alpha beta gamma.", "beta", 1 / 3),
        ("Title: delta epsilon zeta", "zeta", 1 / 3),
        ("DELTA, epsilon", "epsilon", 1 / 2),
        ("lpha beta gamma. Delt", "beta", 1 / 2),
        ("Eta theta", "theta", 1 / 2),
        ("theta", "theta", 1.0),
    ],
)
def test_a_text_without_an_id_is_looked_up_in_the_corpus(
    text: str, evidence: str, value: float
) -> None:
    """As an equal chunk, else letter by letter, else by its words; a cut word is covered by none.

    Each in whichever document has it.
    """
    assert (value, {}, {}) == precision(text, evidence)
    assert (value, {}, {}) == precision(text, evidence, retrieved_ids=[["unheard"]])


def test_a_text_in_several_places_takes_the_first_and_is_counted() -> None:
    """In one document or in several; also of equal chunks."""
    assert (1 / 3, {}, {"ambiguous": 1}) == precision("Said twice here.", "said")
    equal = [
        {"document_id": one, "text": "same", "chunks": [{"id": one, "text": "same"}]}
        for one in ("a", "b")
    ]
    value, _, notes = precision("same", "same", equal)
    assert (1.0, 1) == (value, notes["ambiguous"])


def test_a_text_that_the_corpus_has_nowhere_is_missing() -> None:
    """It is not registered; an equal chunk that is nowhere in its document has no place."""
    assert (None, {"missing:source": 1}, {}) == precision("omega", "beta")
    value, reasons, notes = precision("stands nowhere in it", "beta")
    assert (None, {"undefined": 1}, 1) == (value, reasons, notes["unlocated"])


def test_a_source_is_searched_before_the_corpus() -> None:
    """Where both are given, as for evidence without a document; what neither has has no place."""
    assert (0.5, {}, {}) == precision("Iota kappa", "kappa", source="Iota kappa")
    assert 0.5 == precision("Alpha beta", "beta", source="Alpha beta gamma.")[0]
    assert {"ambiguous": 1} == precision("Said twice", "beta", source="Iota kappa")[2]
    assert {"unlocated": 1} == precision("omega", "beta", source="Iota kappa")[2]


def test_context_texts_are_looked_up_as_well() -> None:
    """Precision of the context, and text that it has twice."""
    report: Report = AugmentationEvaluator(corpus=CORPUS).evaluate(
        context=[["Alpha beta gamma.", "Alpha beta"]], expected_evidence=[["beta gamma"]]
    )
    found = [
        report.metric(f"augmentation.{name}") for name in ("context_recall", "duplicate_ratio")
    ]
    assert [1.0, 2 / 5] == [one and one.value for one in found]


def test_a_file_for_an_import_is_a_corpus() -> None:
    """Its pipelines and times are passed over, and all of its lines are read."""
    lines = [
        {**CORPUS[0], "pipeline": "shop", "registered_at": "2027-01-15T08:00:00Z"},
        {**CORPUS[1], "pipeline": "help", "registered_at": 1_800_000_000},
    ]
    assert precision("Eta theta", "theta", lines) == precision("Eta theta", "theta")


@pytest.mark.parametrize(
    ("chunk", "fault"),
    [
        (
            {"id": "x", "start": 0, "end": 9},
            "row 1: chunk 1: end 9 lies outside of the text of 4 characters",
        ),
        ({"id": "x", "start": 3, "end": 2}, "row 1: chunk 1: start 3 lies after end 2"),
    ],
)
def test_offsets_beside_the_text_are_refused_as_by_an_import(
    chunk: dict[str, Any], fault: str
) -> None:
    """Nobody knows which of the two is wrong, the offsets or the text."""
    with pytest.raises(ValueError, match=fault):
        RetrievalEvaluator(corpus=[{"text": "text", "chunks": [chunk]}])
