"""A canary against a service with real decorators, measured by a real processor."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.harness import RunningProcessor, StartProcessor, free_ports, until

SERVICE = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from opentelemetry import context, propagate

import ragmon

ragmon.configure(service="shop", endpoint=sys.argv[2])


@ragmon.retrieval
def search(query):
    return [{"id": "faq-7", "text": "Within 30 days."}, {"id": "faq-2", "text": "No."}]


@ragmon.request
def answer(query):
    return search(query)[0]["text"]


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        token = context.attach(propagate.extract(headers))
        told = answer(asked["question"])
        context.detach(token)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(told.encode())


HTTPServer(("127.0.0.1", int(sys.argv[1])), Service).serve_forever()
"""
GOLD = {
    "query": "How do I return it?",
    "relevant_ids": ["faq-7", "faq-9"],
    "reference_answers": ["within 30 days"],
}


@contextmanager
def _service(port: int, processor: RunningProcessor) -> Iterator[None]:
    command = [sys.executable, "-c", SERVICE, str(port), processor.otlp]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as service:
        yield
        service.kill()


def test_a_service_is_asked_and_measured_apart(
    start_processor: StartProcessor, tmp_path: Path
) -> None:
    """Its spans join the canary's trace, the gold set labels it, and users' series stay empty."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(GOLD))
    (port,) = free_ports(1)
    canary = {
        "url": f"http://127.0.0.1:{port}/ask",
        "body": {"question": "{{query}}"},
        "gold": str(gold),
        "every_s": 0.5,
    }
    processor = start_processor(canaries={"returns": canary})
    named = {"pipeline": "canary:shop", "window": "1h"}

    def mean(metric: str) -> float | None:
        return processor.value("ragmon_window_mean", metric=metric, **named)

    with _service(port, processor):
        until("recall is measured", lambda: mean("recall_at_k") == 0.5)
        until("the answer is measured", lambda: mean("exact_match"))
    assert processor.value("ragmon_canary_requests_total", canary="returns", result="ok")
    assert processor.value("ragmon_requests_total", pipeline="shop") is None
    assert "How do I" not in processor.log()
