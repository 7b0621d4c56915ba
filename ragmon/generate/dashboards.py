"""Dashboards in classic JSON: the variables, annotations and links around the panels."""

import json
from typing import Final

from ragmon.generate.board import Board, placed
from ragmon.generate.origin import ORIGIN
from ragmon.generate.overview import overview
from ragmon.generate.panels import DATASOURCE, Json
from ragmon.generate.quality import quality
from ragmon.metrics.registry import Registry

# Grafana 10.4 and 11.0. Grafana migrates a lower version up and never a higher one down;
# the newer form (v2) is refused by its file provisioning.
SCHEMA_VERSION: Final = 39


def dashboards(registry: Registry) -> dict[str, str]:
    """File name to JSON of every dashboard: sorted keys, no clock, stable panel ids."""
    return {f"{board.uid}.json": _text(board) for board in (overview(registry), quality(registry))}


def _text(board: Board) -> str:
    return json.dumps(_document(board), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _document(board: Board) -> dict[str, Json]:
    return {
        "annotations": {"list": [_NEW_VERSION, _FIRING]},
        "description": f"{board.description} {ORIGIN}",
        "editable": False,
        "graphTooltip": 1,
        "links": [_SISTERS],
        "panels": placed(board.rows),
        "refresh": "30s",
        "schemaVersion": SCHEMA_VERSION,
        "tags": ["ragmon"],
        "templating": {"list": [_DATASOURCE, _JOB, _PIPELINE]},
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "title": board.title,
        "uid": board.uid,
    }


def _annotation(name: str, color: str, expr: str, title: str) -> Json:
    return {
        "datasource": DATASOURCE,
        "enable": True,
        "expr": expr,
        "iconColor": color,
        "name": name,
        "step": "60s",
        "titleFormat": title,
    }


_VERSIONS: Final = (
    'count by (pipeline, version) (ragmon_pipeline_info{job=~"$job",pipeline=~"$pipeline"}'
)
_NEW_VERSION: Final = _annotation(
    "version",
    "blue",
    f"{_VERSIONS}) unless {_VERSIONS} offset 5m)",
    "{{pipeline}} is now {{version}}",
)
_FIRING: Final = _annotation(
    "alerts",
    "red",
    'ALERTS{alertname=~"Ragmon.*",alertstate="firing"}',
    "{{alertname}} {{pipeline}}",
)

_SISTERS: Final[Json] = {
    "asDropdown": False,
    "icon": "external link",
    "includeVars": True,
    "keepTime": True,
    "tags": ["ragmon"],
    "targetBlank": False,
    "title": "RAG dashboards",
    "tooltip": "",
    "type": "dashboards",
    "url": "",
}

_DATASOURCE: Final[Json] = {
    "hide": 0,
    "includeAll": False,
    "label": "Data source",
    "multi": False,
    "name": "datasource",
    "query": "prometheus",
    "refresh": 1,
    "regex": "",
    "type": "datasource",
}


def _of_labels(name: str, title: str, series: str, chosen: str = "") -> Json:
    """A choice of many among the values that a label has within the time range.

    chosen: a regular expression of those that are offered; All means these, and no others.
    """
    query = f"label_values({series}, {name})"
    return {
        **({} if chosen else {"allValue": ".+"}),
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
        "datasource": DATASOURCE,
        "definition": query,
        "hide": 0,
        "includeAll": True,
        "label": title,
        "multi": True,
        "name": name,
        "query": {"query": query, "refId": "variable"},
        "refresh": 2,
        "regex": chosen,
        "sort": 1,
        "type": "query",
    }


_JOB: Final = _of_labels("job", "Job", "ragmon_build_info")
_OF_USERS: Final = "/^(?!canary:).*/"
_PIPELINE: Final = _of_labels(
    "pipeline", "Pipeline", 'ragmon_requests_total{job=~"$job"}', _OF_USERS
)
