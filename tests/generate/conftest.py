"""Dashboards and their queries, and promtool, for the tests of this room."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragmon.generate.dashboards import dashboards
from ragmon.metrics import registry as metrics_registry
from ragmon.metrics.registry import Registry

VARIABLES = {"$__rate_interval": "5m", "$__range": "1h", "$job": ".+", "$pipeline": ".+"}

Promtool = Callable[..., str]


@pytest.fixture(scope="session")
def registry() -> Registry:
    return metrics_registry.build()


@pytest.fixture(scope="session")
def documents(registry: Registry) -> dict[str, dict[str, Any]]:
    """Every dashboard by its file name."""
    return {name: json.loads(text) for name, text in dashboards(registry).items()}


@pytest.fixture(scope="session")
def substitute() -> Callable[[str], str]:
    """Puts values for the dashboard's variables."""

    def with_values(expr: str) -> str:
        return re.sub(r"\$\w+", lambda name: VARIABLES.get(name[0], name[0]), expr)

    return with_values


@pytest.fixture(scope="session")
def queries(
    documents: dict[str, dict[str, Any]], substitute: Callable[[str], str]
) -> dict[str, str]:
    """Every query of every dashboard with its variables replaced, by where it stands."""
    return {
        f"{board}: {place}": substitute(expr)
        for board, document in documents.items()
        for place, expr in _expressions(document)
    }


def _expressions(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for panel in document["panels"]:
        for target in panel.get("targets", []):
            yield f"{panel['title']} {target['refId']}", target["expr"]
    for annotation in document["annotations"]["list"]:
        yield f"annotation {annotation['name']}", annotation["expr"]


@pytest.fixture(scope="session")
def promtool() -> Promtool:
    """Runs promtool; a failure shows what it says."""

    def run(*arguments: str | Path) -> str:
        command = ["promtool", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
