"""Which labels reach an indexing run."""

from dataclasses import replace

import pytest

from ragmon.labels import LabelError, join, join_run, parse_label, run_keys
from ragmon.model.gold import GoldLabel, TargetKind
from ragmon.model.indexing import Chunking, Embedding, IndexingRun
from ragmon.model.record import Outcome, RequestRecord

TRACE, SPAN = "a" * 32, "b" * 16
RUN = IndexingRun(
    trace_id=TRACE,
    span_id=SPAN,
    span_ids=(SPAN,),
    dialect="ragmon",
    pipeline="shop",
    event_ns=0,
    content=Chunking(None),
)
REQUEST = RequestRecord(TRACE, SPAN, (SPAN,), "ragmon", "shop", 0, Outcome.ANSWERED)


def labels(**posted: object) -> tuple[GoldLabel, ...]:
    return parse_label({"trace_id": TRACE, **posted}, 1)


def test_a_split_is_found_by_its_span_and_its_trace() -> None:
    """It has neither a question nor an id of the app's; of vectors nothing is labelled."""
    assert [key.kind for key in run_keys(RUN)] == [TargetKind.SPAN, TargetKind.TRACE]
    assert run_keys(replace(RUN, content=Embedding(None))) == ()


def test_ideal_chunks_and_evidence_reach_a_split() -> None:
    """Of everything else that is said of its trace a split takes nothing."""
    posted = labels(expected_chunks=["a", "b"], expected_evidence=["e"], reference_answers="x")
    gold = join_run(run_keys(RUN), RUN.pipeline, posted)
    assert gold.expected_chunks == ("a", "b")
    assert gold.expected_evidence == ({"text": "e"},)
    assert gold.reference_answers is None
    assert {str(label.field) for label in gold.winners} == {"expected_chunks", "expected_evidence"}


def test_ideal_chunks_are_no_label_of_a_request() -> None:
    """A request beside a split is not labelled by what is said of the split."""
    assert join(REQUEST, labels(expected_chunks=["a"])).winners == ()


def test_the_narrower_and_the_own_pipeline_win_for_a_split() -> None:
    """As for requests: span before trace, and no other pipeline's label."""
    wide = labels(expected_chunks=["wide"], revision=3)
    narrow = labels(span_id=SPAN, expected_chunks=["narrow"])
    other = labels(span_id=SPAN, expected_chunks=["other"], pipeline="other", revision=9)
    assert join_run(run_keys(RUN), RUN.pipeline, (*wide, *narrow, *other)).expected_chunks == (
        "narrow",
    )


@pytest.mark.parametrize("value", [[], 7, [1], {"a": "b"}])
def test_ideal_chunks_are_texts(value: object) -> None:
    """Anything else is refused by name."""
    with pytest.raises(LabelError, match="expected_chunks must be"):
        labels(expected_chunks=value)
