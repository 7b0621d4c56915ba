"""Where gold evidence is looked for, and what becomes of what is not found."""

from collections.abc import Callable

import pytest

from ragmon.metrics.evidence import evidence_notes, evidence_ranges
from ragmon.metrics.input import RequestFacts
from ragmon.model.corpus import NO_SOURCES, Sources, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.measurement import NotMeasured
from ragmon.model.record import RequestRecord

MakeRecord = Callable[..., RequestRecord]
SOURCES = Sources(
    documents={"d": " start art and art again ", "e": " another text "},
    evidence={" another ": "e", " nowhere ": None},
)


def _facts(
    record: RequestRecord, *evidence: dict[str, str], sources: Sources = SOURCES
) -> RequestFacts:
    return RequestFacts(record, Gold(expected_evidence=evidence), sources)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({"text": "Art", "document": "d"}, TokenRange("d", 1, 2)),
        ({"text": "(AND   Art)", "document": "d"}, TokenRange("d", 2, 4)),
        ({"text": "art", "source": "Start: art and ART, again!"}, TokenRange("d", 1, 2)),
        ({"text": "own", "source": "One of its own"}, TokenRange("\0 one of its own ", 3, 4)),
        ({"text": "own", "source": "My own", "document": "f"}, TokenRange("f", 1, 2)),
        ({"text": "art", "source": "Art", "document": "d"}, TokenRange("d", 1, 2)),
        ({"text": "another"}, TokenRange("e", 0, 1)),
    ],
)
def test_evidence_stands_at_its_first_run_of_words(
    make_record: MakeRecord, evidence: dict[str, str], expected: TokenRange
) -> None:
    """In the document it names, else in its own source, else where the corpus says."""
    facts = _facts(make_record(), evidence)
    assert (expected,) == evidence_ranges(facts)
    assert {} == evidence_notes(facts)


@pytest.mark.parametrize(
    "evidence",
    [
        {"text": "tar", "document": "d"},
        {"text": "art start", "document": "d"},
        {"text": "nowhere"},
        {"text": "art", "source": ""},
        {"text": "", "document": "d"},
        {"text": "!?"},
    ],
)
def test_evidence_that_is_not_there_is_left_out_and_counted(
    make_record: MakeRecord, evidence: dict[str, str]
) -> None:
    """What is left is measured; where nothing is left there is nothing to measure, not 0."""
    alone = _facts(make_record(), evidence)
    assert NotMeasured.parse("undefined:gold_not_found") == evidence_ranges(alone)
    assert {"gold_not_found": 1} == evidence_notes(alone)
    both = _facts(make_record(), evidence, {"text": "again", "document": "d"}, evidence)
    assert (TokenRange("d", 4, 5),) == evidence_ranges(both)
    assert {"gold_not_found": 2} == evidence_notes(both)


@pytest.mark.parametrize("evidence", [{"text": "art", "document": "f"}, {"text": "unasked"}])
def test_evidence_of_an_unknown_document_is_no_error_of_annotation(
    make_record: MakeRecord, evidence: dict[str, str]
) -> None:
    """The source is missing, for all of the evidence; nothing is said of the rest."""
    found = {"text": "art", "document": "d"}
    for facts in (
        _facts(make_record(), found, evidence),
        _facts(make_record(), {"text": "x", "document": "d"}, sources=NO_SOURCES),
    ):
        assert NotMeasured.parse("missing:source") == evidence_ranges(facts)
        assert {} == evidence_notes(facts)


def test_without_a_label_there_is_nothing_to_find(make_record: MakeRecord) -> None:
    """No label is missing, an empty one is undefined."""
    unlabelled = RequestFacts(make_record(), Gold(), SOURCES)
    assert NotMeasured.parse("missing:expected_evidence") == evidence_ranges(unlabelled)
    assert {} == evidence_notes(unlabelled)
    empty = _facts(make_record())
    assert NotMeasured.parse("undefined:no_expected_evidence") == evidence_ranges(empty)


def test_a_source_of_two_equal_documents_is_the_smaller_one(make_record: MakeRecord) -> None:
    """Whatever order the corpus came in."""
    for names in ("de", "ed"):
        sources = Sources(documents=dict.fromkeys(names, " a b "))
        facts = _facts(make_record(), {"text": "b", "source": "A b."}, sources=sources)
        assert (TokenRange("d", 1, 2),) == evidence_ranges(facts)
