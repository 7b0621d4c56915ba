import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import httpx
import pytest

from ragmon.demo.generate import ChatModel, Draft

REPLY = {
    "model": "small-1",
    "choices": [{"message": {"role": "assistant", "content": "Forty-two."}}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3},
}


@contextmanager
def chat_server(status: int, reply: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An endpoint on a free port, and the requests it got."""
    seen: list[dict[str, Any]] = []

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"path": self.path, "key": self.headers["Authorization"], **body})
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(reply).encode())

        def log_message(self, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Chat) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", seen
        finally:
            server.shutdown()
            thread.join()


def test_a_chat_model_answers_with_its_own_counts() -> None:
    """Model, tokens and answer are the endpoint's; the cost is unknown."""
    with chat_server(200, REPLY) as (endpoint, seen), ChatModel(endpoint, "small", "k") as model:
        draft = model.write("How many?", "The prompt", ())
    assert Draft("Forty-two.", "small-1", 12, 3, None) == draft
    assert ("/v1/chat/completions", "Bearer k") == (seen[0]["path"], seen[0]["key"])
    assert [{"role": "user", "content": "The prompt"}] == seen[0]["messages"]


def test_without_a_key_none_is_sent() -> None:
    """A local endpoint needs no key; usage it does not count is unknown."""
    reply = {"choices": REPLY["choices"]}
    with chat_server(200, reply) as (endpoint, seen), ChatModel(endpoint, "small", None) as model:
        draft = model.write("How many?", "The prompt", ())
    assert Draft("Forty-two.", "small", None, None, None) == draft
    assert seen[0]["key"] is None


def test_a_failing_endpoint_fails_the_request() -> None:
    """An error of the endpoint is the app's error, for the monitor to see."""
    with (
        chat_server(500, {}) as (endpoint, _),
        ChatModel(endpoint, "small", None) as model,
        pytest.raises(httpx.HTTPStatusError),
    ):
        model.write("How many?", "The prompt", ())
