"""Every dashboard query against a real Prometheus that holds every family."""

import itertools
import math
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from ragmon import telemetry
from ragmon.metrics.registry import Registry
from ragmon.telemetry import Family, FamilyType

START_S = 1_735_689_600
END_S = START_S + 3600
STEP_S = 60

OPEN_LABELS = {
    "pipeline": ("shop", "help", "canary:shop"),
    "stage": ("retrieval", "generation"),
    "error_type": ("TimeoutError",),
    "model": ("small",),
    "version": ("1",),
    "reason": ("missing:gold_ids",),
    "slo": ("answers",),
    "canary": ("gold",),
    "window": ("1h", "24h"),
    "statistic": ("p50", "p95"),
    "direction": ("higher",),
}

Labels = Mapping[str, str]
Query = Callable[[str], list[float]]


def _label_sets(family: Family, registry: Registry) -> Iterator[Labels]:
    """Every combination of the family's labels; metrics as the registry has them."""
    slots: list[Labels] = [{}]
    if family.name == "ragmon_metric_info":
        yield from _metric_infos(registry)
        return
    if "metric" in family.labels:
        slots = [
            {"stage": slot.stage, "metric": slot.metric, "k": str(slot.k or "")}
            for slot in registry.slots
        ]
    names = [name for name in family.labels if name not in slots[0]]
    choices = [family.closed.get(name) or OPEN_LABELS[name] for name in names]
    for slot, values in itertools.product(slots, itertools.product(*choices)):
        yield {**slot, **dict(zip(names, values, strict=True))}


def _metric_infos(registry: Registry) -> Iterator[Labels]:
    for spec in registry.metrics:
        yield {
            "stage": spec.stage,
            "metric": spec.name,
            "direction": spec.better,
            "needs": spec.needs,
            "unit": spec.unit,
        }


def _samples(family: Family, labels: Labels, minute: int) -> Iterator[tuple[str, Labels, float]]:
    """What one series of the family exposes after so many minutes."""
    match family.type:
        case FamilyType.COUNTER:
            yield family.name, labels, 6 * minute
        case FamilyType.HISTOGRAM:
            bounds = family.buckets or (0.0, 0.5, 0.9)
            for rank, bound in enumerate((*map(str, bounds), "+Inf"), start=1):
                yield f"{family.name}_bucket", {**labels, "le": bound}, rank * minute
            yield f"{family.name}_count", labels, (len(bounds) + 1) * minute
            yield f"{family.name}_sum", labels, 0.5 * (len(bounds) + 1) * minute
        case FamilyType.GAUGE:
            yield family.name, labels, 0.5
        case FamilyType.INFO:
            yield family.name, labels, 1


def _exposition(registry: Registry) -> Iterator[str]:
    every_minute = list(enumerate(range(START_S, END_S + 1, STEP_S)))
    for family in (*telemetry.families_of(registry.metrics), *telemetry.FAMILIES):
        for labels in _label_sets(family, registry):
            for minute, at in every_minute:
                for name, names, value in _samples(family, labels, minute):
                    yield _line(name, names, value, at)
    # What the annotations look for: a version that is new, and an alert.
    new = {"pipeline": "shop", "version": "2"}
    alert = {"alertname": "RagmonNoTraffic", "alertstate": "firing", "pipeline": "shop"}
    yield _line("ragmon_pipeline_info", new, 1, END_S)
    yield _line("ALERTS", alert, 1, END_S)
    yield "# EOF"


def _line(name: str, labels: Labels, value: float, at: int) -> str:
    whole = {**labels, "job": "ragmon", "instance": "127.0.0.1:9464"}
    pairs = ",".join(f'{label}="{text}"' for label, text in whole.items() if text)
    return f"{name}{{{pairs}}} {value} {at}"


@pytest.fixture(scope="module")
def query(
    tmp_path_factory: pytest.TempPathFactory, registry: Registry, promtool: Callable[..., str]
) -> Iterator[Query]:
    """Asks a Prometheus that was filled with an hour of every family, at its end."""
    folder = tmp_path_factory.mktemp("prometheus")
    (folder / "families.om").write_text("\n".join(_exposition(registry)) + "\n", encoding="utf-8")
    promtool("tsdb", "create-blocks-from", "openmetrics", folder / "families.om", folder / "tsdb")
    (folder / "prometheus.yml").write_text("scrape_configs: []\n", encoding="utf-8")
    with _prometheus(folder) as address, httpx.Client(base_url=address, trust_env=False) as client:

        def values(expr: str) -> list[float]:
            answer = client.get("/api/v1/query", params={"query": expr, "time": END_S}).json()
            assert answer["status"] == "success", answer
            return [float(series["value"][1]) for series in answer["data"]["result"]]

        yield values


@contextmanager
def _prometheus(folder: Path) -> Iterator[str]:
    """A Prometheus on loopback over the blocks in the folder; its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [
        "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'tsdb'}",
        "--storage.tsdb.retention.time=100y",
        f"--web.listen-address={address}",
    ]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_until_ready(f"http://{address}", process)
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert process.poll() is None, "prometheus ended"
        try:
            if httpx.get(f"{address}/-/ready", trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise TimeoutError("prometheus is not ready after 30 s")


@pytest.mark.engine("prometheus")
def test_every_dashboard_query_returns_numbers(queries: dict[str, str], query: Query) -> None:
    """No panel is empty, and none shows NaN, where every family has data."""
    answers = {place: query(expr) for place, expr in queries.items()}
    bad = [place for place, found in answers.items() if not found or any(map(math.isnan, found))]
    assert bad == []


@pytest.mark.engine("prometheus")
def test_tiles_show_one_number(
    documents: dict[str, dict[str, Any]], queries: dict[str, str], query: Query
) -> None:
    """A tile is one number over all chosen pipelines, windows and instances."""
    tiles = [
        f"{board}: {panel['title']} A"
        for board, document in documents.items()
        for panel in document["panels"]
        if panel["type"] == "stat"
    ]
    assert {tile: len(query(queries[tile])) for tile in tiles} == dict.fromkeys(tiles, 1)


@pytest.mark.engine("prometheus")
def test_ratios_lie_between_zero_and_one(
    documents: dict[str, dict[str, Any]], queries: dict[str, str], query: Query
) -> None:
    """What is shown in per cent is a share of a whole."""
    for board, document in documents.items():
        for panel in document["panels"]:
            unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit")
            if unit == "percentunit" and panel["type"] in ("stat", "timeseries"):
                for target in panel["targets"]:
                    place = f"{board}: {panel['title']} {target['refId']}"
                    assert all(0 <= value <= 1 for value in query(queries[place])), place


@pytest.mark.engine("prometheus")
def test_a_metric_that_does_not_exist_gives_an_empty_panel(query: Query) -> None:
    """The check above can fail: a misspelt name is answered with nothing."""
    assert query("sum(rate(ragmon_requests_totl[5m]))") == []
