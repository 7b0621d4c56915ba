"""What is erased is gone from every place where it rests, and does not come back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.wiring import Parts
from ragmon.errors import OverloadedError, StoreUnavailableError
from ragmon.model.flow import TraceState
from ragmon.model.gold import MatchKey, TargetKind
from tests.app.at_rest import readable, rests  # noqa: F401 (a fixture)
from tests.app.running import (
    START_NS,
    S,
    body,
    law,
    request,
    running,
    send,
    series,
    span,
    trace_id,
)

MARKER = "Zanzibar"
QUERY = f"where is {MARKER}"
TRACE = {"trace_id": trace_id(1)}
REQUEST = {"request_id": "m-1"}
TARGETS = (TRACE, REQUEST, {"query": f"WHERE is {MARKER.lower()}?"})


def _spans(trace: int = 1, number: int = 1) -> list[Span]:
    root = span(
        trace,
        number,
        ragmon__stage="request",
        ragmon__request_id=f"m-{trace}",
        ragmon__query=QUERY if trace == 1 else "what else",
        ragmon__answer=f"{MARKER} is far" if trace == 1 else "nothing",
    )
    return [root]


def _label(trace: int = 1) -> dict[str, Any]:
    return {"request_id": f"m-{trace}", "reference_answers": [f"{MARKER} lies there"]}


def _rests(folder: Path) -> bool:
    return rests(folder, MARKER)


def _erase(parts: Parts, target: dict[str, str], seconds: int = 100) -> dict[str, int]:
    erased = parts.erasures.post([target], START_NS + seconds * S)
    assert () == tuple(erased.faults)
    return {name: count for name, count in erased.counts.items() if count}


def _open(parts: Parts) -> None:
    """The trace waits for more of its spans."""
    parts.processor.step(START_NS + S)


def _settled(parts: Parts) -> None:
    """The trace was settled, and its body forgotten."""
    parts.processor.step(START_NS + 10 * S)
    parts.processor.step(START_NS + 11 * S)


def _labelled(parts: Parts) -> None:
    """Its label and feedback came before it, and it was settled with them."""
    parts.labels.post([_label(), _label(2)], START_NS)
    parts.feedback.post([{"request_id": "m-1", "label": MARKER}], START_NS)
    _settled(parts)


def _late(parts: Parts) -> None:
    """A second part of it came after it was settled."""
    _settled(parts)
    send(parts, body(*_spans(1, 7), *_spans(3), received_ns=START_NS + 20 * S))
    parts.processor.step(START_NS + 21 * S)


STATES = (_open, _settled, _labelled, _late)


@pytest.mark.parametrize("keep", ["plain", "hashed"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: str(next(iter(target))))
def test_no_byte_of_an_erased_request_rests(
    tmp_path: Path, target: dict[str, str], state: Callable[[Parts], None], keep: str
) -> None:
    """In no file of the folder, whatever had become of it; other requests stay."""
    with running(tmp_path, keep=keep) as parts:
        send(parts, body(*_spans(1), *_spans(2)))
        state(parts)
        assert _rests(tmp_path)
        assert _erase(parts, target)
        if state is _labelled:
            parts.labels.post([{**_label(2), "reference_answers": ["x"]}], START_NS + 1)
            parts.store.erasure.scrub()
        assert not _rests(tmp_path)
        parts.processor.step(START_NS + 200 * S)
        kept = {row.key.trace_id for row in parts.store.rows(0, 1 << 62)}
        assert trace_id(2) in kept
        assert parts.store.load([trace_id(1)])[trace_id(1)].state is TraceState.GONE
        assert len(set(law(parts))) == 1


@pytest.mark.parametrize("state", [_open, _settled])
def test_what_comes_again_of_an_erased_trace_is_expired(
    tmp_path: Path, state: Callable[[Parts], None]
) -> None:
    """Sent again, or replayed after a restart, it stays gone and is observed no more."""
    with running(tmp_path) as parts:
        send(parts, body(*_spans(1)))
        state(parts)
        _erase(parts, TRACE)
    with running(tmp_path) as parts:
        send(parts, body(*_spans(1), span(1, 9, 1)))
        parts.processor.step(START_NS + 300 * S)
        assert parts.store.load([trace_id(1)])[trace_id(1)].state is TraceState.GONE
        assert series(parts, "ragmon_requests_total") == 0
        assert series(parts, "ragmon_processor_spans_settled_total") == 0
        assert len(set(law(parts))) == 1


def test_numbers_stay_and_later_labels_are_expired(tmp_path: Path) -> None:
    """The result keeps what was measured, and nothing moves it any more."""
    with running(tmp_path) as parts:
        send(parts, body(*_spans(1)))
        _labelled(parts)
        (before,) = parts.store.rows(0, 1 << 62)
        _erase(parts, TRACE)
        (after,) = parts.store.rows(0, 1 << 62)
        assert before.values == after.values
        parts.labels.post([{**TRACE, "answerable": True}], START_NS + 200 * S)
        assert parts.labels.outcomes["expired"] == 1


def test_a_label_on_a_shared_request_id_goes_with_the_last_request(tmp_path: Path) -> None:
    """It is about the other request too."""
    key = MatchKey(TargetKind.REQUEST_ID, "m-1")
    with running(tmp_path) as parts:
        twin = span(2, ragmon__stage="request", ragmon__request_id="m-1")
        send(parts, body(*_spans(1), twin))
        parts.labels.post([_label()], START_NS)
        _settled(parts)
        _erase(parts, TRACE)
        assert parts.store.known([key]).labels
        assert {"traces": 1, "labels": 1} == _erase(parts, {"trace_id": trace_id(2)})
        assert () == parts.store.known([key]).labels


def test_a_standing_label_goes_with_its_query_only(tmp_path: Path) -> None:
    """Erasing one request leaves it, and says so; erasing the query takes it."""
    with running(tmp_path) as parts:
        send(parts, body(*_spans(1)))
        parts.labels.post([{"query": QUERY, "answerable": True}], START_NS)
        _settled(parts)
        assert {"traces": 1, "standing_labels": 1} == _erase(parts, TRACE)
        assert {"labels": 1} == _erase(parts, {"query": QUERY})
        assert not _rests(tmp_path)


def test_a_document_is_erased_and_who_read_it_measured_again(tmp_path: Path) -> None:
    """In every version and pipeline, or in one."""
    document = {"document_id": "d", "chunks": []}
    posted = [
        {**document, "text": f"{MARKER} {text}", "pipeline": pipeline}
        for text, pipeline in (("one", "shop"), ("two", "shop"), ("one", "other"))
    ]
    with running(tmp_path) as parts:
        for one in posted:
            assert () == parts.corpus.post([one], START_NS).faults
        assert {"documents": 2} == _erase(parts, {"document_id": "d", "pipeline": "shop"})
        assert _rests(tmp_path)
        assert {"documents": 1} == _erase(parts, {"document_id": "d"})
        assert not _rests(tmp_path)
        assert {} == _erase(parts, {"document_id": "d"})


def test_what_was_set_aside_is_erased(tmp_path: Path) -> None:
    """A trace by its name, any by what it says, and bodies that nobody can read."""
    content = body(*_spans(1)).content
    other = body(*_spans(2)).content
    with running(tmp_path) as parts:
        for target in TARGETS:
            aside = tmp_path / "aside"
            aside.mkdir(exist_ok=True)
            (aside / f"{trace_id(1)}.otlp.pb").write_bytes(content)
            (aside / f"{trace_id(2)}.otlp.pb").write_bytes(other)
            (aside / "body-1-1.otlp.pb").write_bytes(b"damaged " + MARKER.encode())
            assert _erase(parts, target)["set_aside"] == 2
            assert not _rests(tmp_path)
            assert (aside / f"{trace_id(2)}.otlp.pb").read_bytes() == other


def test_what_is_not_read_yet_is_read_and_erased(tmp_path: Path) -> None:
    """Whatever is meant; or nobody would be served where spans come all the time."""
    with running(tmp_path) as parts:
        for target in TARGETS:
            send(parts, body(*_spans(1), *_spans(2)))
            assert _erase(parts, target)
            assert not _rests(tmp_path)
            assert len(set(law(parts))) == 1
        parts.processor.step(START_NS + 200 * S)
        assert [trace_id(2)] == [row.key.trace_id for row in parts.store.rows(0, 1 << 62)]


def test_where_not_all_can_be_read_it_is_put_off(tmp_path: Path) -> None:
    """Nobody knows which requests are in it; a trace is erased all the same."""
    with running(tmp_path, assembly={"open_bytes": 100}) as parts:
        send(parts, body(*_spans(3)), body(*_spans(4)), body(*_spans(5)), body(*_spans(1)))
        with pytest.raises(OverloadedError, match="not read yet"):
            _erase(parts, REQUEST)
        assert {"bodies": 1} == _erase(parts, TRACE)
        assert not _rests(tmp_path)
        assert len(set(law(parts))) == 1


def test_targets_are_checked_one_by_one(tmp_path: Path) -> None:
    """A wrong one is named and costs no other."""
    with running(tmp_path) as parts:
        send(parts, body(request(1)))
        _settled(parts)
        wrong = (
            {"trace_id": "x"},
            {"trace": 1},
            3,
            {**TRACE, "pipeline": "p"},
            {**TRACE, **REQUEST},
        )
        erased = parts.erasures.post([*wrong, TRACE, {"request_id": "none"}], START_NS)
        assert {"erased": 1, "not_found": 1} == erased.outcomes
        assert {f"target {place}" for place in range(5)} == {
            fault.partition(":")[0] for fault in erased.faults
        }


def test_an_erasure_that_fails_half_way_is_made_whole_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is first: what is gone there comes back from no other place."""

    def fail(*_: object) -> None:
        raise StoreUnavailableError("the disk is full")

    with running(tmp_path) as parts:
        send(parts, body(*_spans(1)))
        _late(parts)
        monkeypatch.setattr(parts.inbox, "rewrite", fail)
        with pytest.raises(StoreUnavailableError):
            _erase(parts, REQUEST)
        monkeypatch.undo()
        _erase(parts, REQUEST)
        assert not _rests(tmp_path)
