"""Canaries measured like traffic, and kept apart from it."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.canaries import Canaries
from ragmon.app.wiring import Parts, assembled
from ragmon.config import load
from ragmon.errors import ConfigError
from ragmon.model.canary import Ending
from ragmon.probe.marker import TraceContext, new_context
from tests.app.running import START_NS, S, body, law, request, retrieval, running, send, series

QUERY = "How do I return it?"
GOLD = [
    {"query": QUERY, "relevant_ids": ["a", "z"]},
    {"query": QUERY, "answerable": True},
    {"query": "and then?", "relevant_ids": ["b"]},
]
GOLD_LINES = tuple(map(json.dumps, GOLD))
CANARY = {"url": "http://127.0.0.1:1/ask", "body": {"q": "{{query}}"}}


def _gold(folder: Path, lines: Iterable[str] = GOLD_LINES) -> str:
    path = folder / "gold.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


def _canaries(parts: Parts, folder: Path, **more: Any) -> Canaries:
    given = {**CANARY, **more, "gold": more.get("gold") or _gold(folder)}
    config = load(None, {"store": {"path": "memory"}, "canaries": {"gold": given}})
    return Canaries(config, parts, lambda: START_NS)


def _answered(context: TraceContext) -> tuple[Span, ...]:
    """The spans of a service that took the trace over from the caller."""
    trace = int(context.trace_id, 16)
    root = request(trace, QUERY)
    root.kind = Span.SPAN_KIND_SERVER
    root.parent_span_id = bytes.fromhex(context.span_id)
    return root, retrieval(trace, "a", "b")


def _probed(parts: Parts, folder: Path) -> TraceContext:
    """One canary request, from its sending to its result."""
    canaries = _canaries(parts, folder)
    (canary,) = canaries.all
    context = new_context()
    canaries.sent.begin(canary, QUERY, context)
    send(parts, body(*_answered(context)))
    canaries.sent.end(canary, Ending.OK)
    parts.processor.step(START_NS + 30 * S)
    parts.upkeep.refresh(START_NS + 30 * S)
    return context


def _summary(parts: Parts, **chosen: str) -> Mapping[str, Any]:
    told = json.loads(parts.live.summary(chosen, START_NS + 60 * S))
    return {one["pipeline"]: one for one in told["pipelines"]}


def test_a_canary_is_measured_against_its_gold_under_a_pipeline_of_its_own(
    tmp_path: Path,
) -> None:
    """Its labels go by the trace, so that no user's request is labelled by them."""
    with running() as parts:
        context = _probed(parts, tmp_path)
        (row,) = parts.store.rows(0, 1 << 62)
        values = {slot.key: value for slot, value in zip(row.layout, row.values, strict=True)}
        assert (context.trace_id, "canary:shop") == (row.key.trace_id, row.pipeline)
        assert values["retrieval.recall_at_k"] == 0.5
        assert {"relevant_ids", "answerable"} == {winner.field for winner in row.winners}
        assert series(parts, "ragmon_canary_requests_total", 'canary="gold",result="ok"') == 1
        assert series(parts, "ragmon_requests_total", 'pipeline="canary:shop"') == 1
        assert len(set(law(parts))) == 1


def test_users_numbers_are_the_same_with_canaries_and_without(tmp_path: Path) -> None:
    """In the summary, the rows of an export, label coverage and the series of the pipeline."""

    def told(parts: Parts) -> tuple[Any, ...]:
        send(parts, body(request(7, QUERY), retrieval(7, "a")))
        parts.processor.step(START_NS + 30 * S)
        parts.upkeep.refresh(START_NS + 30 * S)
        lines = b"".join(parts.live.lines({}, START_NS + 60 * S))
        coverage = parts.label_views.status(START_NS + 60 * S)["coverage"]
        own = [
            line
            for line in parts.exporter.exposition().body.decode().splitlines()
            if 'pipeline="shop"' in line and "created" not in line
        ]
        return _summary(parts), lines, coverage, own

    with running() as parts:
        alone = told(parts)
    with running() as parts:
        _probed(parts, tmp_path)
        assert alone == told(parts)


def test_canaries_are_shown_where_they_are_named(tmp_path: Path) -> None:
    """And nowhere else."""
    with running() as parts:
        _probed(parts, tmp_path)
        assert {} == _summary(parts)
        assert _summary(parts, pipeline="canary:shop")["canary:shop"]["labelled"] == 1


def test_a_user_cannot_hide_among_canaries() -> None:
    """A name that looks like one of theirs is changed."""
    with running() as parts:
        send(parts, body(request(1), pipeline="canary:shop"))
        parts.processor.step(START_NS + 30 * S)
        assert ["canary_shop"] == [row.pipeline for row in parts.store.rows(0, 1 << 62)]


def test_a_service_without_spans_is_no_request(tmp_path: Path) -> None:
    """The mark alone is a trace in which no request was found."""
    with running() as parts:
        canaries = _canaries(parts, tmp_path)
        canaries.sent.begin(canaries.all[0], QUERY, new_context())
        parts.processor.step(START_NS + 100 * S)
        assert series(parts, "ragmon_requests_total") == 0
        assert series(parts, "ragmon_processor_traces_without_request_total") == 1
        assert law(parts) == (1, 1)


def test_queries_are_sent_as_the_file_has_them(tmp_path: Path) -> None:
    """Each once, however many lines label it."""
    with running() as parts:
        (canary,) = _canaries(parts, tmp_path).all
        assert (QUERY, "and then?") == canary.queries


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (['{"request_id": "m", "answerable": true}'], r"gold\.jsonl:1: the target must be a query"),
        (["{}", "[", '{"query": "q"}'], r"gold\.jsonl:2: .*gold\.jsonl:3: no gold field"),
        ([], "holds no label"),
    ],
)
def test_a_gold_set_that_cannot_be_used_is_named(
    tmp_path: Path, lines: list[str], why: str
) -> None:
    """With its canary, and every line that is wrong."""
    with running() as parts, pytest.raises(ConfigError) as raised:
        _canaries(parts, tmp_path, gold=_gold(tmp_path, lines))
    told = " ".join(raised.value.faults)
    assert "canaries.gold: " in told
    assert re.search(why, told)


def test_a_line_of_the_file_ends_with_its_line_feed(tmp_path: Path) -> None:
    """A query may hold any other character that some call the end of a line."""
    line = json.dumps({"query": "one\u2028two", "answerable": True}, ensure_ascii=False)
    with running() as parts:
        (canary,) = _canaries(parts, tmp_path, gold=_gold(tmp_path, [line])).all
        assert canary.queries == ("one\u2028two",)


def test_headers_hold_variables_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not set is a fault, and no secret stands in the file."""
    headers = {"authorization": "Bearer ${SHOP_TOKEN}"}
    with running() as parts:
        with pytest.raises(ConfigError, match="SHOP_TOKEN is not set"):
            _canaries(parts, tmp_path, headers=headers)
        monkeypatch.setenv("SHOP_TOKEN", "s3")
        (canary,) = _canaries(parts, tmp_path, headers=headers).all
        assert canary.template.headers == {"authorization": "Bearer s3"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "ftp://x"},
        {"body": {"q": "the same"}},
        {"headers": {"a": "$"}},
        {"headers": {"Traceparent": "00"}},
        {"every_s": 0},
        {"sort": 1},
    ],
)
def test_a_wrong_canary_is_a_fault_of_the_configuration(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    """It is named before anything starts."""
    given = {**CANARY, "gold": _gold(tmp_path), **wrong}
    with pytest.raises(ConfigError, match=r"canaries\.gold"):
        load(None, {"canaries": {"gold": given}})
    with pytest.raises(ConfigError, match="canaries"):
        load(None, {"canaries": {"a name": {**CANARY, "gold": _gold(tmp_path)}}})


def test_a_gold_file_that_cannot_be_read_is_a_fault() -> None:
    """As of every other file."""
    config = load(None, {"canaries": {"gold": {**CANARY, "gold": "/nowhere"}}})
    assert ("canaries.gold.gold: /nowhere cannot be read",) == config.faults()
    with pytest.raises(ConfigError), assembled(config):
        pass
