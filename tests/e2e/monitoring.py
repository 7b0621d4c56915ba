"""A real Prometheus and a real Alertmanager, and a webhook that hears what they say."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.e2e.harness import free_ports, until


class Webhook:
    """Collects the alerts that Alertmanager sends, in order of arrival."""

    def __init__(self) -> None:
        self.alerts: list[tuple[str, str, dict[str, str]]] = []
        webhook = self

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                for alert in json.loads(self.rfile.read(length))["alerts"]:
                    labels = alert["labels"]
                    webhook.alerts.append((labels["alertname"], alert["status"], labels))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Receiver)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    def heard(self, name: str, status: str, **labels: str) -> bool:
        wanted = labels.items()
        return any(
            (name, status) == alert[:2] and wanted <= alert[2].items() for alert in self.alerts
        )

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Prometheus:
    """A running Prometheus."""

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expr: str) -> list[dict[str, Any]]:
        """The result of an instant query; an error of Prometheus fails the test."""
        reply = httpx.get(f"{self.url}/api/v1/query", params={"query": expr}).json()
        assert reply["status"] == "success", (expr, reply)
        found: list[dict[str, Any]] = reply["data"]["result"]
        return found


@contextmanager
def running(command: list[str], log: Path) -> Iterator[None]:
    """A program that runs until the block ends."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
        try:
            yield
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def alertmanager(folder: Path, webhook: Webhook) -> Iterator[str]:
    """An Alertmanager that sends everything to the webhook at once; gives its address."""
    route = {
        "receiver": "hook",
        "group_wait": "100ms",
        "group_interval": "500ms",
        "group_by": ["alertname", "pipeline", "slo"],
    }
    receivers = [{"name": "hook", "webhook_configs": [{"url": webhook.url}]}]
    config = folder / "alertmanager.yml"
    config.write_text(yaml.safe_dump({"route": route, "receivers": receivers}))
    (port,) = free_ports(1)
    command = [
        "prometheus-alertmanager",
        f"--config.file={config}",
        f"--storage.path={folder / 'alertmanager'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    with running(command, folder / "alertmanager.log"):
        yield f"127.0.0.1:{port}"


@contextmanager
def prometheus(folder: Path, target: str, rules: str, alertmanager_at: str) -> Iterator[Prometheus]:
    """A Prometheus that scrapes one processor five times a second."""
    (folder / "rules.yml").write_text(rules)
    config = {
        "global": {"scrape_interval": "200ms", "evaluation_interval": "200ms"},
        "rule_files": [str(folder / "rules.yml")],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager_at]}]}]},
        "scrape_configs": [{"job_name": "ragmon", "static_configs": [{"targets": [target]}]}],
    }
    path = folder / "prometheus.yml"
    path.write_text(yaml.safe_dump(config))
    (port,) = free_ports(1)
    command = [
        "prometheus",
        f"--config.file={path}",
        f"--storage.tsdb.path={folder / 'prometheus'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--enable-feature=exemplar-storage",
    ]
    with running(command, folder / "prometheus.log"):
        one = Prometheus(f"http://127.0.0.1:{port}")
        until("Prometheus is ready", lambda: _answers(f"{one.url}/-/ready"))
        until("the processor is scraped", lambda: one.query('up{job="ragmon"} == 1'))
        yield one


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).status_code == 200
    except httpx.TransportError:
        return False
