"""A real processor in a process of its own, and traces to send to it."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

PATIENCE_S = 30.0


def free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago, all different."""
    with ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def until(what: str, happened: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
    """Poll until something is true, and give it; fail with `what` after a while."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        found = happened()
        if found:
            return found
        time.sleep(0.05)
    return pytest.fail(f"{what} did not happen within {patience_s:g} s")


@dataclass
class RunningProcessor:
    """`ragmon serve` with its ports; it can be killed and started again."""

    folder: Path
    config: dict[str, Any]
    ports: dict[str, int] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def otlp(self) -> str:
        return f"http://127.0.0.1:{self.ports['otlp_http_port']}"

    @property
    def grpc(self) -> str:
        return f"127.0.0.1:{self.ports['otlp_grpc_port']}"

    @property
    def views(self) -> str:
        return f"http://127.0.0.1:{self.ports['views_port']}"

    def start(self) -> None:
        listen = {**self.config.get("listen", {}), **self.ports}
        store = {"path": str(self.folder / "state"), **self.config.get("store", {})}
        path = self.folder / "ragmon.yaml"
        path.write_text(yaml.safe_dump({**self.config, "listen": listen, "store": store}))
        command = [sys.executable, "-m", "ragmon", "serve", "--config", str(path)]
        with (self.folder / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until(f"readiness ({self.log()})", self.ready)

    def ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log()
        try:
            return httpx.get(f"{self.views}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(PATIENCE_S)

    def log(self) -> str:
        path = self.folder / "serve.log"
        return path.read_text() if path.exists() else ""

    def scrape(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        reply = httpx.get(f"{self.views}/metrics", headers={"Accept": "text/plain"})
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(reply.text)
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float | None:
        """The sum of a series over every label that is not given; None where there is none."""
        wanted = set(labels.items())
        found = [v for (n, given), v in self.scrape().items() if n == name and wanted <= given]
        return sum(found) if found else None

    def post(self, request: dict[str, Any]) -> httpx.Response:
        return httpx.post(f"{self.otlp}/v1/traces", json=request, timeout=PATIENCE_S)

    def label(self, *labels: dict[str, Any]) -> httpx.Response:
        return httpx.post(f"{self.otlp}/v1/labels", json=list(labels), timeout=PATIENCE_S)

    def law(self) -> tuple[float, float]:
        """Both sides of the law of spans."""
        seen: dict[str, float] = {}
        for (name, _), value in self.scrape().items():
            seen[name] = seen.get(name, 0.0) + value
        prefix = "ragmon_processor_"
        came = ("spans_received_total", "spans_replayed_total")
        went = (
            *("spans_duplicate_total", "spans_settled_total", "spans_dropped_total"),
            "open_spans",
        )
        left = sum(seen[prefix + name] for name in came)
        return left, sum(seen[prefix + name] for name in went)


StartProcessor = Callable[..., RunningProcessor]


def attribute(key: str, value: object) -> dict[str, Any]:
    """One OTLP JSON attribute of a text, a number or a list of texts."""
    if isinstance(value, list):
        return {"key": key, "value": {"arrayValue": {"values": [_any(one) for one in value]}}}
    return {"key": key, "value": _any(value)}


def _any(value: object) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def rag_request(
    number: int,
    end_ns: int,
    *,
    answer: str = "returns take 30 days",
    pipeline: str = "shop",
) -> dict[str, Any]:
    """One request of three spans in ragmon's own dialect, as an OTLP JSON export request."""
    trace_id = f"{number + 1:032x}"

    def span(span_id: int, parent: int | None, name: str, **attributes: object) -> dict[str, Any]:
        given = {key.replace("__", "."): value for key, value in attributes.items()}
        return {
            "traceId": trace_id,
            "spanId": f"{span_id:016x}",
            **({"parentSpanId": f"{parent:016x}"} if parent else {}),
            "name": name,
            "startTimeUnixNano": str(end_ns - 2_000_000_000 + span_id),
            "endTimeUnixNano": str(end_ns - (3 - span_id) * 1_000_000 if parent else end_ns),
            "attributes": [attribute(key, value) for key, value in given.items()],
        }

    spans = [
        span(
            2,
            1,
            "search",
            ragmon__stage="retrieval",
            ragmon__documents__id=["a", "b", "c"],
            ragmon__documents__text=["returns take 30 days", "shipping is free", "blenders mix"],
        ),
        span(3, 1, "complete", ragmon__stage="generation", ragmon__answer=answer),
        span(
            1,
            None,
            "answer",
            ragmon__stage="request",
            ragmon__query="How long do returns take?",
            ragmon__answer=answer,
            ragmon__request_id=f"m-{number}",
        ),
    ]
    resource = {"attributes": [attribute("service.name", pipeline)]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}


def load(path: Path) -> dict[str, Any]:
    """One trace file."""
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
