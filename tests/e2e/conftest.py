"""Fixtures of the end-to-end tests."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.harness import RunningProcessor, StartProcessor, free_ports


@pytest.fixture
def start_processor(tmp_path: Path) -> Iterator[StartProcessor]:
    """Start processors with some configuration over quick assembly; all are stopped at the end."""
    running: list[RunningProcessor] = []

    def start(**config: Any) -> RunningProcessor:
        folder = tmp_path / f"processor{len(running)}"
        folder.mkdir()
        quick = {"quiet_s": 0.2, "entry_quiet_s": 0.3, "idle_s": 0.5}
        names = ("otlp_grpc_port", "otlp_http_port", "views_port")
        ports = dict(zip(names, free_ports(3), strict=True))
        one = RunningProcessor(folder, {"assembly": quick, **config}, ports)
        running.append(one)
        one.start()
        return one

    yield start
    for one in running:
        one.stop(signal.SIGKILL)


@pytest.fixture
def trace_files() -> list[Path]:
    """Real export requests of many instrumentations."""
    folder = Path(__file__).parent.parent / "fixtures" / "traces"
    given = os.environ.get("RAGMON_TRACES")
    return sorted(Path(given or folder).glob("*.json"))
