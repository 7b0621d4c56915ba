"""The example configurations: valid for their programs, true to ragmon's own defaults."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragmon import generate
from ragmon.config import Listen
from ragmon.generate import deploy, grafana


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    generate.write(folder)
    return folder


def _read(text: str) -> Any:
    return yaml.safe_load(text)


@pytest.mark.engine("prometheus")
def test_promtool_accepts_the_prometheus_example(root: Path, promtool: Callable[..., str]) -> None:
    """The example is valid and finds the generated rules."""
    said = promtool("check", "config", root / "deploy/prometheus/prometheus.yml")
    assert "1 rule files found" in said


@pytest.mark.engine("alertmanager")
def test_amtool_accepts_the_alertmanager_example(root: Path) -> None:
    """The example is valid for Alertmanager."""
    path = root / "deploy/alertmanager/alertmanager.yml"
    done = subprocess.run(
        ["amtool", "check-config", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_scrapes_the_default_port_under_the_job_of_the_rules() -> None:
    """The example, the processor's default and the alert on the monitor agree."""
    texts = generate.files(job="rag-eu")
    [scrape] = _read(texts["deploy/prometheus/prometheus.yml"])["scrape_configs"]
    assert scrape["static_configs"] == [{"targets": [f"127.0.0.1:{Listen().views_port}"]}]
    assert scrape["job_name"] == "rag-eu"
    assert 'up{job="rag-eu"}' in texts["deploy/prometheus/rules/ragmon.yml"]


def test_every_severity_has_a_receiver() -> None:
    """A page goes to the pager; all else is a ticket."""
    config = _read(deploy.ALERTMANAGER)
    assert config["route"]["receiver"] == "ticket"
    assert config["route"]["routes"][0]["matchers"] == ['severity = "page"']
    assert {receiver["name"] for receiver in config["receivers"]} == {"page", "ticket"}


def test_the_collector_sends_every_span_to_ragmon_unsampled() -> None:
    """Both pipelines read the same receiver, and only components that exist are named."""
    config = _read(deploy.COLLECTOR)
    pipelines = config["service"]["pipelines"]
    for pipeline in pipelines.values():
        for kind in ("receivers", "processors", "exporters"):
            assert set(pipeline[kind]) <= set(config[kind])
    assert pipelines["traces/ragmon"]["processors"] == ["memory_limiter", "batch"]
    assert pipelines["traces/ragmon"]["receivers"] == pipelines["traces/backend"]["receivers"]
    endpoint = config["exporters"]["otlp/ragmon"]["endpoint"]
    assert endpoint == f"127.0.0.1:{Listen().otlp_grpc_port}"


def test_grafana_loads_dashboards_from_files_that_nobody_edits_there() -> None:
    """Provisioned dashboards are read-only: the repository is their source."""
    [provider] = _read(grafana.files()["provisioning/dashboards/ragmon.yml"])["providers"]
    assert provider["type"] == "file"
    assert provider["allowUiUpdates"] is False


def test_the_readme_says_what_was_not_checked() -> None:
    """Nobody is led to think that the dashboards were seen in Grafana."""
    assert "not been loaded into a running Grafana" in grafana.files()["README.md"]
