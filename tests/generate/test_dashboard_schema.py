"""Dashboards against Grafana's own classes: no key that Grafana does not know."""

import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest

Document = dict[str, Any]


@pytest.fixture(scope="session")
def reread() -> Callable[[Document], Any]:
    """Reads a dashboard with Grafana's SDK and writes it again."""
    with warnings.catch_warnings():
        # It says to prefer the newer form, which file provisioning refuses.
        warnings.simplefilter("ignore", DeprecationWarning)
        from grafana_foundation_sdk.models import dashboard as sdk
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins

    register_default_plugins()
    return lambda document: json.loads(JSONEncoder().encode(sdk.Dashboard.from_json(document)))


def test_grafana_knows_every_key(
    documents: dict[str, Document], reread: Callable[[Document], Any]
) -> None:
    """Grafana's classes read a dashboard and write it without a key lost or changed."""
    for document in documents.values():
        assert _differences(document, reread(document)) == []


def test_a_key_that_grafana_does_not_know_is_found(
    documents: dict[str, Document], reread: Callable[[Document], Any]
) -> None:
    """The check above is no formality: it sees a misspelt option."""
    document = json.loads(json.dumps(documents["ragmon-overview.json"]))
    position = next(i for i, panel in enumerate(document["panels"]) if panel["type"] == "stat")
    options = document["panels"][position]["options"]
    options["grafMode"] = options.pop("graphMode")
    assert _differences(document, reread(document)) == [f"panels/{position}/options/grafMode"]


def _differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """Paths of ours that the other lacks or holds otherwise; defaults it adds do not matter."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        pairs = [(key, value, theirs.get(key, KeyError)) for key, value in ours.items()]
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = [(str(i), *pair) for i, pair in enumerate(zip(ours, theirs, strict=True))]
    else:
        return [] if ours == theirs else [path]
    return [
        found for key, a, b in pairs for found in _differences(a, b, f"{path}/{key}".lstrip("/"))
    ]
