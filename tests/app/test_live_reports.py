"""Live traffic by event time, as it is asked for."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any, cast

import pytest

from ragmon.app.event_window import read_window
from ragmon.app.live import LiveReports
from ragmon.app.wiring import Parts
from ragmon.errors import MalformedError
from ragmon.ingest.split import JSON, split
from ragmon.metrics.registry import build
from ragmon.model.flow import Body
from ragmon.model.result import Result
from ragmon.model.window import Dirty, RollUp
from ragmon.store.protocol import Store
from ragmon.summary.report import Report
from tests.app.running import START_NS, S, body, request, retrieval, running, send, trace_id

NOW_NS = START_NS + 10 * S
RECALL = "retrieval.recall_at_k@5"
TRACE = Path(__file__).parent.parent / "fixtures" / "traces" / "openinference_llamaindex.json"


def measured(parts: Parts, *traces: int) -> None:
    """Settle one request of each trace, which found `a` and `b`."""
    for trace in traces:
        send(parts, body(request(trace), retrieval(trace, "a", "b"), pipeline=_pipeline(trace)))
    parts.processor.step(NOW_NS)


def _pipeline(trace: int) -> str:
    return "shop" if trace < 100 else "bank"


def labelled(parts: Parts, trace: int, *relevant: str, revision: int = 0) -> None:
    parts.labels.post(
        [{"trace_id": trace_id(trace), "relevant_ids": list(relevant), "revision": revision}],
        NOW_NS,
    )
    parts.processor.step(NOW_NS)


def summary(parts: Parts, now_ns: int = NOW_NS, **chosen: str) -> dict[str, dict[str, Any]]:
    """What is told of each pipeline."""
    told = json.loads(parts.live.summary(chosen, now_ns))
    assert told["unread_minutes"] == 0
    return {one["pipeline"]: one for one in told["pipelines"]}


def recall(told: Mapping[str, Any]) -> float | None:
    found = Report.from_dict(told["report"]).metric("retrieval.recall_at_k")
    return None if found is None else found.value


def exported(parts: Parts, now_ns: int = NOW_NS, **chosen: str) -> list[dict[str, Any]]:
    """The rows of an export, by column."""
    lines = b"".join(parts.live.lines(chosen, now_ns)).splitlines()
    columns, *rows = map(json.loads, lines)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def test_a_summary_tells_counts_scores_and_the_report_of_each_pipeline() -> None:
    """In whole minutes, of which the running one is the last."""
    with running() as parts:
        measured(parts, 1, 2, 101)
        labelled(parts, 1, "a", "z")
        told = summary(parts)
        assert list(told) == ["bank", "shop"]
        shop = told["shop"]
        assert (shop["requests"], shop["labelled"], shop["label_coverage"]) == (2, 1, 0.5)
        assert (shop["start"], shop["end"]) == ("2026-12-01T03:41Z", "2026-12-01T04:41Z")
        assert recall(shop) == 0.5
        scored = {one["stage"]: one["score"] for one in shop["scorecard"]["stages"]}
        assert scored["retrieval"] is not None
        assert recall(told["bank"]) is None


def test_a_label_counts_before_its_minute_was_made_anew() -> None:
    """Minutes that are out of date are read from their rows, in every order of upkeep."""
    with running() as parts:
        measured(parts, 1)
        parts.upkeep.refresh(NOW_NS)
        assert recall(summary(parts)["shop"]) is None
        labelled(parts, 1, "a", "z")
        assert recall(summary(parts)["shop"]) == 0.5
        parts.upkeep.refresh(NOW_NS)
        assert recall(summary(parts)["shop"]) == 0.5
        labelled(parts, 1, "a", revision=1)
        assert recall(summary(parts)["shop"]) == 1.0


def test_asking_changes_nothing() -> None:
    """What is out of date stays so until upkeep comes."""
    with running() as parts:
        measured(parts, 1)
        minute = START_NS // (60 * S)
        before = parts.store.dirty_within(0, minute + 1)
        summary(parts)
        assert before == parts.store.dirty_within(0, minute + 1) != []


def test_a_window_ends_where_it_is_told() -> None:
    """Requests are in it by their own time, from the start up to the end."""
    with running() as parts:
        measured(parts, 1)
        at = "2026-12-01T04:40:00Z"
        assert summary(parts, end=at) == {}
        assert list(summary(parts, end="2026-12-01T04:41Z", window="1m")) == ["shop"]
        assert list(summary(parts, NOW_NS + 3600 * S, window="2h")) == ["shop"]
        assert summary(parts, NOW_NS + 3600 * S, window="1h") == {}
        assert summary(parts, window="366d", pipeline="shop").keys() == {"shop"}


@pytest.mark.parametrize(
    ("chosen", "fault"),
    [
        ({"windw": "1h"}, "unknown parameter 'windw'; did you mean 'window'?"),
        ({"window": "59s"}, "window must be 1m to 366d, such as 24h, not '59s'"),
        ({"window": "367d"}, "window must be 1m to 366d, such as 24h, not '367d'"),
        ({"window": ""}, "window must be 1m to 366d, such as 24h, not ''"),
        ({"end": "noon"}, "end must be a time in ISO 8601 or seconds, .* not 'noon'"),
        ({"pipeline": "shpo"}, "unknown pipeline 'shpo'; did you mean 'shop'?"),
    ],
)
def test_a_wrong_question_is_named(chosen: dict[str, str], fault: str) -> None:
    """With the parameter and the value."""
    with running() as parts:
        measured(parts, 1)
        with pytest.raises(MalformedError, match=fault.replace("?", r"\?")):
            parts.live.summary(chosen, NOW_NS)


@pytest.mark.parametrize(
    ("chosen", "fault"),
    [
        ({"sinse": "1h"}, "unknown parameter 'sinse'; did you mean 'since'"),
        ({"window": "1h", "since": "1h"}, "give one of them"),
        ({"since": "soon"}, "since must be how long ago, .* not 'soon'"),
        ({"since": "2027-01-01"}, "since must be before the end, not '2027-01-01'"),
        ({"since": "1d", "pipeline": "x"}, "unknown pipeline 'x'"),
    ],
)
def test_a_wrong_export_is_named_at_once(chosen: dict[str, str], fault: str) -> None:
    """Before anything is sent."""
    with running() as parts:
        measured(parts, 1)
        with pytest.raises(MalformedError, match=fault):
            parts.live.lines(chosen, NOW_NS)


def test_since_and_window_are_the_same_minutes() -> None:
    """So that a summary and an export of one length say the same."""
    for length in ("1m", "90s", "1h", "30d"):
        asked = read_window({"window": length}, NOW_NS)
        assert asked == read_window({"since": length}, NOW_NS)
    since = read_window({"since": "2026-12-01T04:39:59Z", "end": "2026-12-01T04:41"}, NOW_NS)
    assert (since.end_minute - since.first_minute, since.end_ns) == (2, START_NS + 60 * S)


def test_an_export_has_a_row_per_request() -> None:
    """Its keys, facts, durations, values, and a reason for each metric without one."""
    with running() as parts:
        measured(parts, 1, 101)
        labelled(parts, 1, "a", "z")
        bank, shop = exported(parts)
        assert (bank["pipeline"], shop["pipeline"]) == ("bank", "shop")
        assert (shop["trace_id"], shop["span_id"]) == (trace_id(1), "0000000000000001")
        assert shop["time"] == "2026-12-01T04:40:00.000000000Z"
        assert (shop["outcome"], shop["labelled"], shop[RECALL]) == ("unknown", True, 0.5)
        assert (shop["end_to_end.duration_s"], bank["labelled"]) == (1.0, False)
        assert (bank[RECALL], bank["reasons"][RECALL][:8]) == (None, "missing:")
        metrics = [name for name in shop if name.count(".") and "duration_s" not in name]
        assert {name for name in metrics if shop[name] is None} == set(shop["reasons"])
        assert len(metrics) == len(build((5,)).layout)
        assert exported(parts, pipeline="bank") == [bank]


def test_an_export_holds_no_text() -> None:
    """Neither the question nor an id of a document."""
    with running() as parts:
        send(parts, body(request(1, "where is my bicycle"), retrieval(1, "private-7")))
        parts.processor.step(NOW_NS)
        content = b"".join(parts.live.lines({}, NOW_NS)) + parts.live.summary({}, NOW_NS)
        assert b"bicycle" not in content
        assert b"private" not in content


def test_the_mean_of_a_summary_is_the_mean_of_the_exported_rows() -> None:
    """For every metric, and as many rows as the summary counts requests."""
    with running() as parts:
        measured(parts, *range(1, 8))
        for trace in range(1, 8, 2):
            labelled(parts, trace, *("a", "z", "y")[: 1 + trace % 3])
        rows = exported(parts, since="1h")
        told = summary(parts)["shop"]
        assert told["requests"] == len(rows)
        compared = 0
        for stage in told["report"]["stages"]:
            for metric in stage["metrics"]:
                cut = "" if metric["k"] is None else f"@{metric['k']}"
                name = f"{stage['stage']}.{metric['name']}{cut}"
                if name not in rows[0]:
                    continue
                values = [row[name] for row in rows if row[name] is not None]
                assert metric["count"] == len(values)
                if values:
                    assert metric["value"] == pytest.approx(fsum(values) / len(values), abs=1e-12)
                    compared += 1
        assert compared > 5


def test_indexing_runs_are_no_requests() -> None:
    """One request beside two embedding runs is one row, and counts as one."""
    with running() as parts:
        content = TRACE.read_bytes()
        send(parts, Body(START_NS, JSON, "", content, split(content, JSON, 0).span_count))
        parts.processor.step(START_NS + 60 * S)
        assert len(list(parts.store.rows(0, 1 << 62))) == 3
        rows = exported(parts, since="0")
        (told,) = summary(parts, window="366d").values()
        assert (len(rows), told["requests"]) == (1, 1)
        stages = [stage["stage"] for stage in told["report"]["stages"]]
        assert "embedding" in stages


@dataclass
class Disturbed:
    """A store whose rows were settled again while they were read."""

    kept: list[Result]
    unreadable: int = 0

    def pipelines(self) -> tuple[str, ...]:
        return ("shop",)

    def rows(self, *_: object) -> Iterator[Result]:
        if self.unreadable:
            raise KeyError("secret")
        return iter([*self.kept, *self.kept])

    def dirty_within(self, *_: object) -> list[Dirty]:
        return [Dirty(START_NS // (60 * S), "shop", 1)]

    def roll_ups(self, *_: object) -> Iterator[RollUp]:
        return iter(())


def disturbed(parts: Parts) -> tuple[Disturbed, LiveReports]:
    measured(parts, 1, 2)
    store = Disturbed(list(parts.store.rows(0, 1 << 62)))
    return store, LiveReports(cast("Store", store), parts.store.feedback, build((5,)))


def test_a_request_that_is_settled_again_meanwhile_counts_once() -> None:
    """Both in an export and in a summary."""
    with running() as parts:
        _, live = disturbed(parts)
        assert len(b"".join(live.lines({}, NOW_NS)).splitlines()) == 1 + 2
        assert json.loads(live.summary({}, NOW_NS))["pipelines"][0]["requests"] == 2


def test_rows_that_cannot_be_read_cost_their_minute(caplog: pytest.LogCaptureFixture) -> None:
    """It is counted, and logged without the text of the error."""
    with running() as parts:
        store, live = disturbed(parts)
        store.unreadable = 1
        told = json.loads(live.summary({}, NOW_NS))
        assert (told["pipelines"], told["unread_minutes"]) == ([], 1)
        assert "KeyError" in caplog.text
        assert "secret" not in caplog.text
