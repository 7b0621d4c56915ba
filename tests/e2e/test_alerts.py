"""The whole loop: a fault in the demo app becomes an alert at a webhook, and resolves."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from ragmon.generate import files as generated_files
from ragmon.generate import rules_file
from ragmon.metrics.registry import build
from tests.e2e.harness import RunningProcessor, StartProcessor, until
from tests.e2e.monitoring import Prometheus, Webhook, alertmanager, prometheus

# An hour becomes six seconds.
TIME_SCALE = 1 / 600
PATIENCE_S = 90.0

# What has nothing to show while all is well.
EMPTY_WHEN_WELL = ("Stage errors",)
NOT_IN_THE_DEMO = ("Chunking, ", "Embedding, ", "Canaries ")
"""Panels of what the demo does once, at its start, or not at all."""


@contextmanager
def demo(processor: RunningProcessor, fault: str) -> Iterator[None]:
    """The demo app with a fault, sending eight requests a second until the block ends."""
    command = [
        *(sys.executable, "-m", "ragmon", "demo", "--fault", fault, "--rate", "8"),
        *("--endpoint", processor.otlp, "--views", processor.views, "--label-delay-s", "1"),
    ]
    quick = {**os.environ, "OTEL_BSP_SCHEDULE_DELAY": "200"}
    with (processor.folder / f"demo-{fault}.log").open("wb") as log:
        app = subprocess.Popen(command, env=quick, stdout=log, stderr=log)
        try:
            yield
            assert app.poll() is None, Path(log.name).read_text()
        finally:
            app.terminate()
            app.wait(20)


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    """A webhook on a free port."""
    one = Webhook()
    yield one
    one.close()


@pytest.fixture
def demo_config() -> dict[str, object]:
    """The objectives of the demo's own processor."""
    text = (files("ragmon.demo") / "processor.yaml").read_text(encoding="utf-8")
    loaded: dict[str, object] = yaml.safe_load(text)
    return loaded


@pytest.mark.engine("prometheus", "alertmanager")
def test_a_fault_pages_and_its_end_resolves(
    start_processor: StartProcessor,
    webhook: Webhook,
    demo_config: dict[str, object],
    tmp_path: Path,
) -> None:
    """Slow generation burns the latency budget; the alert arrives, then resolves."""
    processor = start_processor(**demo_config)
    rules = rules_file(time_scale=TIME_SCALE)
    target = processor.views.removeprefix("http://")
    fast = ("RagmonErrorBudgetBurnFast", {"slo": "latency", "pipeline": "python-reference"})
    with (
        alertmanager(tmp_path, webhook) as at,
        prometheus(tmp_path, target, rules, at) as server,
    ):
        with demo(processor, "slow-generation"):
            until(
                "the page arrived", lambda: webhook.heard(fast[0], "firing", **fast[1]), PATIENCE_S
            )
        with demo(processor, "none"):
            until(
                "the page resolved",
                lambda: webhook.heard(fast[0], "resolved", **fast[1]),
                PATIENCE_S,
            )
            every_panel_has_data(server)
            assert server.query('ALERTS{alertname="RagmonMonitorDown",alertstate="firing"}') == []


def every_panel_has_data(server: Prometheus) -> None:
    """Every query of the dashboard parses there and returns something."""
    waiting = {
        (title, expr)
        for title, expr in dashboard_queries()
        if title not in EMPTY_WHEN_WELL and not title.startswith(NOT_IN_THE_DEMO)
    }
    deadline = time.monotonic() + PATIENCE_S
    while waiting and time.monotonic() < deadline:
        waiting = {(title, expr) for title, expr in waiting if not server.query(expr)}
    assert waiting == set()


def dashboard_queries() -> Iterator[tuple[str, str]]:
    """(panel, query) of every generated dashboard, with its variables filled in."""
    values = {"job": "ragmon", "pipeline": ".+", "__rate_interval": "5s", "__range": "1m"}
    for path, text in generated_files(build()).items():
        if path.startswith("grafana/dashboards/"):
            for panel in json.loads(text)["panels"]:
                for target in panel.get("targets", ()):
                    yield panel["title"], _filled(target["expr"], values)


def _filled(expr: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        expr = expr.replace(f"${{{name}}}", value).replace(f"${name}", value)
    return expr
