"""Traces whose texts are let go in time, and labels that come after that."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.serve import kept_of
from ragmon.app.wiring import Parts
from ragmon.config import load
from ragmon.errors import StoreError
from ragmon.model.flow import TraceState
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.result import Result
from tests.app.running import (
    START_NS,
    S,
    body,
    law,
    retrieval,
    running,
    send,
    series,
    span,
    trace_id,
)

ANSWER = "Within thirty days, says the policy."
QUERY = "How long may I return it?"
LABELS = (
    {"trace_id": trace_id(1), "relevant_ids": ["a", "c"], "annotator": "ann"},
    {"query": "how LONG may i return it", "reference_answers": ["thirty days"]},
    {"trace_id": trace_id(1), "required_facts": [["30 days", "thirty days"]]},
)
REOPEN_S = 900


def _spans(trace: int = 1) -> tuple[Span, ...]:
    root = span(trace, ragmon__stage="request", ragmon__query=QUERY, ragmon__answer=ANSWER)
    return root, retrieval(trace, "a", "b")


def _settled(parts: Parts, *spans: Span) -> None:
    send(parts, body(*spans))
    parts.processor.step(START_NS + 10 * S)


def _upkeep(parts: Parts, seconds: int) -> None:
    parts.upkeep.step(START_NS + seconds * S, may_expire=True)


def _labelled(parts: Parts, seconds: int = 2000) -> None:
    parts.labels.post([dict(label) for label in LABELS], START_NS + seconds * S)
    parts.processor.step(START_NS + (seconds + 1) * S)


def _state(parts: Parts, trace: int = 1) -> TraceState:
    return parts.store.load([trace_id(trace)])[trace_id(trace)].state


def _result(parts: Parts) -> Result:
    (row,) = (row for row in parts.store.rows(0, 1 << 62) if row.key.trace_id == trace_id(1))
    return row


def _values(parts: Parts) -> Mapping[str, Measured]:
    row = _result(parts)
    return {slot.key: value for slot, value in zip(row.layout, row.values, strict=True)}


def _plain() -> Mapping[str, Measured]:
    with running() as parts:
        _settled(parts, *_spans())
        _labelled(parts)
        return _values(parts)


def _sealed(parts: Parts) -> None:
    _settled(parts, *_spans())
    _upkeep(parts, REOPEN_S + 11)
    assert _state(parts) is TraceState.SEALED


def test_with_hashes_late_labels_give_the_plain_values(tmp_path: Path) -> None:
    """Of every metric, also after a restart, and each is observed once."""
    with running(tmp_path, keep="hashed", reopen_s=REOPEN_S) as parts:
        _sealed(parts)
    with running(tmp_path, keep="hashed", reopen_s=REOPEN_S) as parts:
        _labelled(parts)
        assert _plain() == _values(parts)
        _labelled(parts, 3000)
        assert series(parts, "ragmon_score_count", 'metric="exact_match"') == 1


def test_with_ids_what_was_measured_stays_and_texts_are_not_kept() -> None:
    """Recall still comes; a reference answer comes too late and is never 0."""
    plain = _plain()
    with running(keep="ids", reopen_s=REOPEN_S) as parts:
        _sealed(parts)
        before = _values(parts)
        _labelled(parts)
        after = _values(parts)
    for key in ("retrieval.recall_at_k", "retrieval.ndcg_at_k"):
        assert plain[key] == after[key]
    for key in ("generation.exact_match", "generation.required_fact_coverage"):
        assert NotMeasured(Kind.NOT_KEPT) == after[key]
    assert {key: value for key, value in before.items() if isinstance(value, float)}.items() <= (
        after.items()
    )


@pytest.mark.parametrize("keep", ["hashed", "ids"])
def test_spans_of_a_sealed_trace_come_too_late(keep: str) -> None:
    """A new one is expired, a known one a duplicate, and the law of spans holds."""
    with running(keep=keep, reopen_s=REOPEN_S) as parts:
        _sealed(parts)
        before = _result(parts)
        send(parts, body(*_spans(), span(1, 7, 1), received_ns=START_NS + 1000 * S))
        parts.processor.step(START_NS + 1200 * S)
        assert before == _result(parts)
        assert series(parts, "ragmon_processor_spans_dropped_total", 'reason="expired"') == 1
        assert series(parts, "ragmon_processor_spans_duplicate_total") == 2
        assert law(parts) == (5, 5)


def test_nothing_is_sealed_before_reopen_s_or_with_plain_texts() -> None:
    """It counts from the first settle."""
    with running(keep="hashed", reopen_s=REOPEN_S) as parts:
        _settled(parts, *_spans())
        _upkeep(parts, REOPEN_S + 10)
        assert _state(parts) is TraceState.SETTLED
    with running() as parts:
        _settled(parts, *_spans())
        _upkeep(parts, 10 * REOPEN_S)
        assert _state(parts) is TraceState.SETTLED


def _a_span_waits(parts: Parts) -> None:
    send(parts, body(span(1, 7, 1), received_ns=START_NS + 905 * S))
    parts.processor.step(START_NS + 906 * S)


def _a_body_is_unread(parts: Parts) -> None:
    send(parts, body(span(1, 7, 1), received_ns=START_NS + 905 * S))


def _a_label_waits(parts: Parts) -> None:
    parts.labels.post([dict(LABELS[0])], START_NS + 905 * S)


@pytest.mark.parametrize("waits", [_a_span_waits, _a_body_is_unread, _a_label_waits])
def test_a_trace_for_which_something_waits_is_passed_over(
    waits: Callable[[Parts], None],
) -> None:
    """It is sealed once that was settled."""
    with running(keep="hashed", reopen_s=REOPEN_S) as parts:
        _settled(parts, *_spans())
        waits(parts)
        _upkeep(parts, REOPEN_S + 11)
        assert _state(parts) is TraceState.SETTLED
        parts.processor.step(START_NS + 1000 * S)
        _upkeep(parts, REOPEN_S + 50)
        assert _state(parts) is TraceState.SEALED


def test_a_jump_of_the_clock_seals_nothing_for_ten_minutes() -> None:
    """It may be a mistake, and what was sealed cannot be read again."""
    with running(keep="ids", reopen_s=REOPEN_S) as parts:
        _settled(parts, *_spans())
        _upkeep(parts, 20)
        for seconds in range(2000, 2600, 30):
            _upkeep(parts, seconds)
        assert _state(parts) is TraceState.SETTLED
        _upkeep(parts, 2600)
        assert _state(parts) is TraceState.SEALED


def test_a_sealed_trace_is_gone_after_keep_s() -> None:
    """Its numbers stay, and a label for it is expired."""
    with running(keep="hashed", reopen_s=REOPEN_S, keep_s=5000) as parts:
        _sealed(parts)
        parts.store.expire(START_NS + 5011 * S)
        assert _state(parts) is TraceState.GONE
        posted = parts.labels.post([dict(LABELS[0])], START_NS + 5012 * S)
        assert posted.refused == 0
        assert parts.labels.outcomes["expired"] == 1
        assert _result(parts).values


def test_a_plain_store_is_hashed_when_it_is_to_be(tmp_path: Path) -> None:
    """Query labels and the corpus of before go on to reach requests of before and after."""
    with running(tmp_path) as parts:
        _settled(parts, *_spans())
        _labelled(parts)
        expected = _values(parts)
    with running(tmp_path, keep="hashed", reopen_s=REOPEN_S) as parts:
        parts.processor.step(START_NS + 3000 * S)
        assert expected == _values(parts)
        _upkeep(parts, 4000)
        assert _state(parts) is TraceState.SEALED
        parts.labels.post([{"query": QUERY, "answerable": True}], START_NS + 4001 * S)
        parts.processor.step(START_NS + 4002 * S)
        assert "answerable" in {winner.field for winner in _result(parts).winners}


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda key: key.unlink(), "key is missing"),
        (lambda key: key.write_bytes(b"a key of another store"), "another key"),
    ],
)
def test_a_store_without_its_key_is_refused(
    tmp_path: Path, harm: Callable[[Path], object], message: str
) -> None:
    """A new key is never made over hashes of an old one, whatever is to be kept now."""
    with running(tmp_path, keep="hashed") as parts:
        _settled(parts, *_spans())
    key = tmp_path / "hash.key"
    harm(key)
    left = key.exists()
    for keep in ("hashed", "plain"):
        with pytest.raises(StoreError, match=message), running(tmp_path, keep=keep):
            pass
    assert left is key.exists()


def test_a_hashed_store_stays_hashed(tmp_path: Path) -> None:
    """Set to plain again it keeps new spans, and what was sealed is labelled as before."""
    with running(tmp_path, keep="hashed", reopen_s=REOPEN_S) as parts:
        _sealed(parts)
    with running(tmp_path, keep="plain") as parts:
        _labelled(parts)
        assert _plain() == _values(parts)
        _upkeep(parts, 5000)
        assert parts.store.keyed


def _evidence_values(parts: Parts, *, seal: bool) -> Mapping[str, Measured]:
    document = {
        "document_id": "policy",
        "text": "Return it within thirty days. Keep the receipt.",
        "chunks": [{"id": "a", "text": "within thirty days"}, {"id": "b", "text": "Keep the"}],
        "pipeline": "shop",
    }
    _settled(parts, *_spans())
    if seal:
        _upkeep(parts, REOPEN_S + 11)
        assert _state(parts) is TraceState.SEALED
    assert () == parts.corpus.post([document], START_NS).faults
    evidence = [{"text": "Within THIRTY days", "document": "policy"}, {"text": "the receipt"}]
    parts.labels.post([{"query": QUERY, "expected_evidence": evidence}], START_NS + 2000 * S)
    for second in range(2001, 2004):
        parts.processor.step(START_NS + second * S)
    return _values(parts)


def test_a_corpus_and_evidence_that_come_after_sealing_give_the_plain_values() -> None:
    """The corpus rests as hashes, and evidence is found in it by them."""
    with running() as parts:
        plain = _evidence_values(parts, seal=False)
    with running(keep="hashed", reopen_s=REOPEN_S) as parts:
        assert plain == _evidence_values(parts, seal=True)
    assert plain["retrieval.token_recall"] == pytest.approx(4 / 5)


@pytest.mark.parametrize(
    ("keep", "told"),
    [
        (None, "spans and their texts are kept in here for 7 days from settling"),
        ("hashed", "for 15 minutes from settling, hashes of their words for 7 days"),
        ("ids", "for 15 minutes from settling, ids for 7 days"),
    ],
)
def test_the_start_says_what_is_kept(keep: str | None, told: str) -> None:
    """Nobody's text rests by surprise."""
    config = load(None, {"store": {"path": "here", "keep": keep}})
    assert kept_of(config).endswith(told)
