import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

# A shell that starts tests in the background has them ignore Ctrl-C.
RUN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from ragmon.demo.run import run
from ragmon.demo.settings import DemoSettings
sys.exit(run(DemoSettings(endpoint=sys.argv[1], views=sys.argv[1], **eval(sys.argv[2]))))
"""


@dataclass
class Processor:
    """Takes whatever the demo sends, and says that it settled a thousand requests a body."""

    url: str = ""
    bodies: int = 0
    labels: list[dict[str, Any]] = field(default_factory=list)

    def exposition(self) -> str:
        requests = 1000 * self.bodies
        return f"""\
# TYPE ragmon_requests_total counter
ragmon_requests_total{{pipeline="python-reference",outcome="answered"}} {requests}
# TYPE ragmon_window_count gauge
ragmon_window_count{{pipeline="python-reference",stage="end_to_end",metric="latency_ms",window="1h"}} {requests}
"""  # noqa: E501 -- an exposition has long lines


@contextmanager
def processor() -> Iterator[Processor]:
    seen = Processor()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(seen.exposition().encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/labels":
                seen.labels.append(json.loads(body))
            else:
                seen.bodies += 1
            self._answer(b"")

        def _answer(self, content: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        seen.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield seen
        finally:
            server.shutdown()
            thread.join()


def start(seen: Processor, **settings: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, seen.url, repr(settings)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_run_ends_by_itself_and_delivers_everything() -> None:
    """After the count, late labels are posted, spans are flushed, and the exit code is 0."""
    with processor() as seen:
        run = start(seen, rate=20.0, count=6, late_labels=0.6, label_delay_s=0.2)
        out, err = run.communicate(timeout=60)
    assert (0, "") == (run.returncode, err)
    standing = sum("query" in label for label in seen.labels)
    assert seen.bodies >= 1
    assert 15 == standing
    assert len(seen.labels) > standing
    assert out.startswith("Python reference: ")
    assert "sent 6 requests (0 failed)" in out.splitlines()[-1]
    assert "0 refused, 0 not delivered" in out.splitlines()[-1]


def test_an_interrupt_ends_a_run_without_end() -> None:
    """Ctrl-C stops the traffic, flushes, and is no error."""
    with processor() as seen, start(seen, rate=5.0) as run:
        assert run.stdout is not None
        first = [run.stdout.readline() for _ in range(2)]
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
    assert (0, "") == (run.returncode, err)
    assert first[1].startswith("last minute: ")
