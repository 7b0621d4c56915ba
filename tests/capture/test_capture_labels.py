"""Labels from the application."""

import json
import logging
import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

import ragmon
from ragmon.capture import posting
from ragmon.capture.destination import find_labels, find_own
from ragmon.capture.labelling import GoldFields
from ragmon.labels import parse_label
from ragmon.model.gold import GoldField
from tests.capture.conftest import Spans


class Desk(ThreadingHTTPServer):
    """Takes labels, and answers with the statuses in turn, the last one again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.poster = posting.Poster()
        self.statuses = [200]
        self.answer = {"rejected": 0}
        self.bodies: list[list[Any]] = []
        self.headers: list[dict[str, str]] = []
        self.gate = threading.Event()
        self.gate.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def labels(self) -> list[Any]:
        return [one for body in self.bodies for one in body]


class _Answering(BaseHTTPRequestHandler):
    server: Desk

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        self.server.gate.wait(10)
        statuses = self.server.statuses
        status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
        if status == 200:
            self.server.bodies.append([json.loads(line) for line in content.splitlines()])
            named = {name.lower(): value for name, value in self.headers.items()}
            self.server.headers.append({**named, "path": self.path})
        body = json.dumps(self.server.answer).encode()
        self.send_response(status)
        self.send_header("retry-after", "0.01")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def desk(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with Desk() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        for name in ("labelling", "configure"):
            monkeypatch.setattr(f"ragmon.capture.{name}.poster", server.poster)
        server.poster.aim(f"{server.url}/v1/labels", {"Authorization": "Bearer t"})
        yield server
        server.gate.set()
        server.poster.drain(5)
        server.shutdown()
        thread.join()


def test_a_label_is_posted(desk: Desk) -> None:
    """As the processor takes it, with the headers that were configured."""
    ragmon.label(
        request_id="m-1",
        relevant_ids={"a", "b"},
        required_facts=("one", ["two", "2"]),
        annotator="anna",
        probability=0.5,
    )
    assert ragmon.flush()
    (label,) = desk.labels
    assert desk.headers[0]["authorization"] == "Bearer t"
    assert desk.headers[0]["path"] == "/v1/labels"
    assert abs(label.pop("labelled_at") - time.time_ns() / 1e9) < 60
    assert label == {
        "request_id": "m-1",
        "relevant_ids": ["a", "b"],
        "required_facts": ["one", ["two", "2"]],
        "annotator": "anna",
        "probability": 0.5,
    }


def test_the_current_trace_is_the_target(desk: Desk, spans: Spans) -> None:
    """Where none is given; a number of OpenTelemetry is taken as well."""
    answer = ragmon.request(lambda question: ragmon.label(task_success=True))
    answer("q")
    ragmon.label(trace_id=7, answerable=False)
    assert ragmon.flush()
    (span,) = spans.all()
    assert span.context is not None
    assert [label["trace_id"] for label in desk.labels] == [
        f"{span.context.trace_id:032x}",
        f"{7:032x}",
    ]


def test_every_gold_field_can_be_said(desk: Desk) -> None:
    """By the name that the processor knows, also in forms of other libraries."""
    assert set(map(str, GoldField)) == set(GoldFields.__annotations__)
    scores: Any = {"a": np.float32(0.5)}
    ids: Any = np.array(["a", "b"])
    ragmon.label(query="what", relevant_ids=scores, expected_citations=ids)
    assert ragmon.flush()
    assert len(parse_label(desk.labels[0], 0)) == 2


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"query": "q", "relevant": ["a"]}, "unknown gold field 'relevant'; did you mean"),
        ({"query": "q", "answerable": None}, "no gold field"),
        ({"answerable": True}, "no target"),
        ({"query": "q", "relevant_ids": object()}, "not iterable"),
    ],
)
def test_a_label_that_is_none_does_no_harm(
    desk: Desk, arguments: Any, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a fault of which strict mode tells."""
    with pytest.raises((TypeError, ValueError), match=fault):
        ragmon.label(**arguments)
    monkeypatch.delenv("RAGMON_STRICT")
    ragmon.label(**arguments)
    assert ragmon.flush()
    assert desk.labels == []


def test_a_call_never_waits(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound of the queue labels are dropped, counted, and said once."""
    desk.gate.clear()
    monkeypatch.setattr(posting, "_MOST_BYTES", 2_000)
    began = time.monotonic()
    for number in range(100):
        ragmon.label(request_id=f"m-{number}", task_success=True)
    assert time.monotonic() - began < 2
    assert ragmon.flush(timeout_s=0.05) is False
    desk.gate.set()
    assert ragmon.flush(timeout_s=30)
    assert 0 < len(desk.labels) < 100
    assert len(desk.labels) + desk.poster.dropped == 100


@pytest.mark.parametrize("statuses", [[503, 503, 200], [429, 200]])
def test_later_means_again(desk: Desk, statuses: list[int]) -> None:
    """A processor without room gets the labels once it has some."""
    desk.statuses = statuses
    ragmon.label(request_id="m-1", task_success=True)
    assert ragmon.flush(timeout_s=30)
    assert (len(desk.labels), desk.poster.dropped) == (1, 0)


def test_many_labels_go_together(desk: Desk) -> None:
    """In few posts, in their order."""
    desk.gate.clear()
    for number in range(500):
        ragmon.label(request_id=f"m-{number}", task_success=True)
    desk.gate.set()
    assert ragmon.flush(timeout_s=30)
    assert [label["request_id"] for label in desk.labels] == [f"m-{n}" for n in range(500)]
    assert len(desk.bodies) < 10


def test_refused_labels_are_counted(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """And said once, without their text."""
    desk.statuses, desk.answer = [401, 400], {"rejected": 1}
    for _ in range(3):
        ragmon.label(request_id="private", task_success=True)
        assert ragmon.flush(timeout_s=30)
    assert desk.poster.dropped == 3
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "private" not in caplog.text


def test_without_an_endpoint_labels_are_dropped(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    """And that is said, once."""
    desk.poster.aim(None, {})
    for _ in range(2):
        ragmon.label(request_id="m-1", task_success=True)
    assert (desk.poster.dropped, len(caplog.records)) == (2, 1)
    assert "no endpoint for labels" in caplog.text


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_a_thread_of_its_own(desk: Desk) -> None:
    """Servers fork after the application was loaded."""
    ragmon.label(request_id="parent", task_success=True)
    assert ragmon.flush(timeout_s=30)
    child = os.fork()
    if child == 0:
        ragmon.label(request_id="child", task_success=True)
        os._exit(0 if ragmon.flush(timeout_s=10) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert [label["request_id"] for label in desk.labels] == ["parent", "child"]


@pytest.mark.parametrize(
    ("endpoint", "labels_endpoint", "url"),
    [
        ("http://h:4318", None, "http://h:4318/v1/labels"),
        ("https://h/otlp/v1/traces/", None, "https://h/otlp/v1/labels"),
        ("h:4317", None, "http://h:4318/v1/labels"),
        ("http://[::1]:4317", None, "http://[::1]:4318/v1/labels"),
        ("http://h:4317", "http://p:1", "http://p:1/v1/labels"),
        (None, "p:1/v1/labels/", "http://p:1/v1/labels"),
        (None, None, None),
    ],
)
def test_where_labels_go(
    endpoint: str | None, labels_endpoint: str | None, url: str | None
) -> None:
    """Beside the spans, unless another place is given."""
    assert find_labels(labels_endpoint, find_own(endpoint, None, None)) == url


def test_an_unusual_grpc_port_tells_nothing() -> None:
    """Labels have no endpoint then, and a file is none."""
    assert find_labels(None, find_own("http://h:9000", "grpc", None)) is None
    with pytest.raises(ValueError, match="HTTP"):
        find_labels("file:///etc", None)


def test_configure_says_where(desk: Desk, spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    """By argument or variable, with the headers; after `shutdown` nothing is sent."""
    monkeypatch.setenv("RAGMON_LABELS_ENDPOINT", desk.url)
    ragmon.configure(tracer_provider=spans.provider, headers={"X-Token": "mine"})
    ragmon.label(request_id="m-1", task_success=True)
    assert ragmon.shutdown()
    ragmon.label(request_id="m-2", task_success=True)
    assert [label["request_id"] for label in desk.labels] == ["m-1"]
    assert desk.headers[0]["x-token"] == "mine"
