"""A canary over real HTTP."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from ragmon.model.canary import Ending
from ragmon.probe import Canary, Prober, RequestTemplate, Sent
from ragmon.probe.marker import TraceContext, new_context
from ragmon.probe.send import send
from ragmon.probe.template import HttpRequest


class Endpoint(ThreadingHTTPServer):
    """Answers as it is told, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.status = 200
        self.location: str | None = None
        self.drips = 1
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        self.go_on = threading.Event()
        self.go_on.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/ask"


class _Answering(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.path, headers, content))
        self.server.go_on.wait(10)
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("location", self.server.location)
        self.end_headers()
        for _ in range(self.server.drips):
            self.wfile.write(b"answer " * 1000)
            time.sleep(0.02)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _serving() -> Iterator[Endpoint]:
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.go_on.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint of a user."""
    with _serving() as server:
        yield server


def _ask(url: str, timeout_s: float = 5.0) -> tuple[Ending, TraceContext]:
    context = new_context()
    request = HttpRequest("POST", url, {"x-own": "1", "Traceparent": "other"}, b"{}")
    with httpx.Client(timeout=timeout_s) as client:
        return send(client, request, context, "gold", time.monotonic() + timeout_s), context


def test_the_trace_and_the_canary_travel_in_headers(endpoint: Endpoint) -> None:
    """As W3C has them, beside the headers of the configuration."""
    ending, context = _ask(endpoint.url)
    assert ending is Ending.OK
    ((path, headers, content),) = endpoint.asked
    assert (path, content, headers["x-own"]) == ("/ask", b"{}", "1")
    assert headers["traceparent"] == context.traceparent
    assert headers["baggage"] == "ragmon.canary=gold"


@pytest.mark.parametrize("status", [302, 400, 404, 500])
def test_what_is_not_2xx_is_refused_and_redirects_are_not_followed(
    endpoint: Endpoint, status: int
) -> None:
    """They may lead to another host."""
    with _serving() as other:
        endpoint.status, endpoint.location = status, other.url
        assert _ask(endpoint.url)[0] is Ending.REFUSED
        assert other.asked == []


def test_a_late_answer_is_a_timeout(endpoint: Endpoint) -> None:
    """It is waited for no longer than configured."""
    endpoint.go_on.clear()
    assert _ask(endpoint.url, 0.05)[0] is Ending.TIMEOUT


def test_an_answer_that_drips_on_is_a_timeout(endpoint: Endpoint) -> None:
    """The wait is for the whole answer, not for each part of it."""
    endpoint.drips = 200
    assert _ask(endpoint.url, 0.2)[0] is Ending.TIMEOUT


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://[", "http://no such host/"])
def test_nobody_there_is_unreachable(url: str) -> None:
    """A wrong address is no crash."""
    assert _ask(url)[0] is Ending.UNREACHABLE


class Recorded:
    """What a prober did, and an event once it did so much of it."""

    def __init__(self, count: int, fault: Exception | None = None) -> None:
        self.begun: list[str] = []
        self.ended: list[Ending] = []
        self.faults = 0
        self.fault = fault
        self.done = threading.Event()
        self._count = count

    @property
    def sent(self) -> Sent:
        return Sent(self._begin, self._end, self._failed)

    def _begin(self, canary: Canary, query: str, context: TraceContext) -> None:
        del canary, context
        if self.fault:
            raise self.fault
        self.begun.append(query)

    def _end(self, canary: Canary, ending: Ending) -> None:
        del canary
        self.ended.append(ending)
        if len(self.ended) >= self._count:
            self.done.set()

    def _failed(self) -> None:
        self.faults += 1
        if self.faults >= self._count:
            self.done.set()


def _canary(url: str) -> Canary:
    template = RequestTemplate("POST", url, {}, {"q": "{{query}}"})
    return Canary("gold", template, ("one", "two"), 0.1, 5.0)


def test_a_prober_sends_the_queries_in_turn_until_it_is_stopped(endpoint: Endpoint) -> None:
    """Each is begun before it is sent."""
    recorded = Recorded(12)
    with Prober([_canary(endpoint.url)], recorded.sent):
        assert recorded.done.wait(20)
    assert set(recorded.ended) == {Ending.OK}
    asked = [json.loads(content)["q"] for _, _, content in endpoint.asked]
    assert asked[:6] == ["one", "two"] * 3
    assert asked == recorded.begun[: len(asked)]


def test_an_outage_and_a_fault_end_no_prober(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """A request that cannot be marked is not sent; what fails again is logged once."""
    caplog.set_level("INFO")
    broken = Recorded(3, RuntimeError("secret"))
    down = Recorded(3)
    with (
        Prober([_canary(endpoint.url)], broken.sent),
        Prober([_canary("http://127.0.0.1:1/")], down.sent),
    ):
        assert broken.done.wait(20)
        assert down.done.wait(20)
    assert (endpoint.asked, broken.ended) == ([], [])
    assert set(down.ended) == {Ending.UNREACHABLE}
    assert caplog.text.count("not answered: unreachable") == 1
    assert caplog.text.count("is not sent (RuntimeError)") == 1
    assert "secret" not in caplog.text
