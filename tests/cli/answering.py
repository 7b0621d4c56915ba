"""A processor for commands to ask: it answers as it is told."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

Server = TypeVar("Server", bound=ThreadingHTTPServer)


class Processor(ThreadingHTTPServer):
    """Keeps what it is sent, and gives the answers in turn, the last one again and again."""

    def __init__(self, answer: object) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.answers: list[tuple[int, Any]] = [(200, answer)]
        self.seen: list[tuple[str, str | None, list[Any]]] = []
        self.retry_after = "0"
        self.missing_bytes = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answering(BaseHTTPRequestHandler):
    server: Processor

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", "0")))
        lines = [json.loads(line) for line in content.splitlines()]
        self.server.seen.append((self.path, self.headers["authorization"], lines))
        answers = self.server.answers
        status, answer = answers.pop(0) if len(answers) > 1 else answers[0]
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("retry-after", self.server.retry_after)
        self.send_header("content-length", str(len(content) + self.server.missing_bytes))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """The server, answering in a thread of its own until the block ends."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
