"""Panels of classic Grafana dashboards, as plain dictionaries.

No SDK: the one for Python changes between builds, and `ragmon generate` is a command of
users, who would need it at run time for six kinds of panel. A test reads what is written
here back through that SDK, so that no key is one that Grafana does not know.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_uppercase
from typing import Final, TypeAlias

Json: TypeAlias = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

DATASOURCE: Final[Json] = {"type": "prometheus", "uid": "${datasource}"}
NOT_MEASURED: Final = "not measured"
_GREY: Final = "#5a5f69"

# A tile with a red base would paint what was not measured red.
_NOT_MEASURED_IS_GREY: Final[Json] = {
    "type": "special",
    "options": {
        "match": "null+nan",
        "result": {"color": _GREY, "index": 0, "text": NOT_MEASURED},
    },
}


class Kind(StrEnum):
    """The kinds of panel in use, by Grafana's name."""

    BAR_GAUGE = "bargauge"
    HEATMAP = "heatmap"
    STAT = "stat"
    STATE_TIMELINE = "state-timeline"
    TIME_SERIES = "timeseries"


# A tile asks for the value now: the last one of a range may be hours old.
_INSTANT: Final = (Kind.STAT, Kind.BAR_GAUGE)


@dataclass(frozen=True, slots=True)
class Query:
    """One PromQL expression of a panel; legend may name labels, as in `{{stage}}`."""

    expr: str
    legend: str = ""
    exemplars: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """From this value on, this colour."""

    value: float | None
    color: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel. width is of 24 columns; unit is Grafana's name; thresholds ascend.

    lowest and highest bound the axis or bar where the unit has ends.
    """

    kind: Kind
    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    width: int
    thresholds: tuple[Step, ...] = ()
    decimals: int | None = None
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A panel of text, in Markdown."""

    title: str
    description: str
    text: str
    width: int


def rising(red_below: float, green_from: float) -> tuple[Step, ...]:
    """Colours of a value that should be high."""
    return Step(None, "red"), Step(red_below, "yellow"), Step(green_from, "green")


def falling(yellow_from: float, red_from: float) -> tuple[Step, ...]:
    """Colours of a value that should be low."""
    return Step(None, "green"), Step(yellow_from, "yellow"), Step(red_from, "red")


def as_json(panel: Panel | Note, identity: int, place: Json) -> dict[str, Json]:
    """The panel in Grafana's form, at a place on the grid."""
    body = _note(panel) if isinstance(panel, Note) else _graph(panel)
    return body | {
        "id": identity,
        "gridPos": place,
        "title": panel.title,
        "description": panel.description,
    }


def heading(title: str, identity: int, place: Json) -> dict[str, Json]:
    """The heading of a row of panels, open."""
    return {
        "type": "row",
        "id": identity,
        "gridPos": place,
        "title": title,
        "collapsed": False,
        "panels": [],
    }


def _note(note: Note) -> dict[str, Json]:
    return {"type": "text", "options": {"mode": "markdown", "content": note.text}}


def _graph(panel: Panel) -> dict[str, Json]:
    return {
        "type": str(panel.kind),
        "datasource": DATASOURCE,
        "targets": [
            _target(query, ref_id, panel.kind)
            for query, ref_id in zip(panel.queries, ascii_uppercase, strict=False)
        ],
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": _OPTIONS[panel.kind] | _of_unit(panel),
    }


def _target(query: Query, ref_id: str, kind: Kind) -> Json:
    instant = kind in _INSTANT
    return {
        "datasource": DATASOURCE,
        "editorMode": "code",
        "expr": query.expr,
        "exemplar": query.exemplars,
        "format": "heatmap" if kind is Kind.HEATMAP else "time_series",
        "instant": instant,
        "range": not instant,
        "legendFormat": query.legend or "__auto",
        "refId": ref_id,
    }


def _defaults(panel: Panel) -> dict[str, Json]:
    bounds = {"min": panel.lowest, "max": panel.highest, "decimals": panel.decimals}
    given: dict[str, Json] = {name: bound for name, bound in bounds.items() if bound is not None}
    return given | {
        "unit": panel.unit,
        "noValue": NOT_MEASURED,
        "mappings": [_NOT_MEASURED_IS_GREY],
        "thresholds": {
            "mode": "absolute",
            "steps": [
                {"color": step.color, "value": step.value}
                for step in panel.thresholds or (Step(None, "text"),)
            ],
        },
        "color": {"mode": _COLOR_MODES.get(panel.kind, "thresholds")},
        "custom": _CUSTOM.get(panel.kind, {}),
    }


def _of_unit(panel: Panel) -> dict[str, Json]:
    """What a heatmap keeps beside the field: the unit of its axis."""
    if panel.kind is not Kind.HEATMAP:
        return {}
    return {"yAxis": {"axisPlacement": "left", "reverse": False, "unit": panel.unit}}


_COLOR_MODES: Final = {Kind.TIME_SERIES: "palette-classic"}

_LAST: Final[Json] = {"calcs": ["lastNotNull"], "fields": "", "values": False}
_LEGEND: Final[Json] = {
    "calcs": ["mean", "lastNotNull"],
    "displayMode": "table",
    "placement": "bottom",
    "showLegend": True,
}

_OPTIONS: Final[dict[Kind, dict[str, Json]]] = {
    Kind.STAT: {
        "colorMode": "background",
        "graphMode": "none",
        "justifyMode": "auto",
        "orientation": "auto",
        "percentChangeColorMode": "standard",
        "reduceOptions": _LAST,
        "showPercentChange": False,
        "textMode": "auto",
        "wideLayout": True,
    },
    Kind.BAR_GAUGE: {
        "displayMode": "basic",
        "legend": {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": False},
        "maxVizHeight": 300,
        "minVizHeight": 16,
        "minVizWidth": 8,
        "namePlacement": "auto",
        "orientation": "horizontal",
        "reduceOptions": _LAST,
        "showUnfilled": True,
        "sizing": "auto",
        "valueMode": "color",
    },
    Kind.TIME_SERIES: {
        "legend": _LEGEND,
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    Kind.STATE_TIMELINE: {
        "alignValue": "center",
        "legend": {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": True},
        "mergeValues": True,
        "rowHeight": 0.8,
        "showValue": "auto",
        "tooltip": {"mode": "single", "sort": "none"},
    },
    Kind.HEATMAP: {
        "calculate": False,
        "cellGap": 1,
        "cellValues": {"unit": "short"},
        "color": {
            "exponent": 0.5,
            "fill": "dark-orange",
            "mode": "scheme",
            "reverse": False,
            "scale": "exponential",
            "scheme": "Oranges",
            "steps": 64,
        },
        "exemplars": {"color": "rgba(255,0,255,0.7)"},
        "filterValues": {"le": 1e-9},
        "legend": {"show": True},
        "rowsFrame": {"layout": "auto"},
        "showValue": "never",
        "tooltip": {"mode": "single", "showColorScale": False, "yHistogram": True},
    },
}

_CUSTOM: Final[dict[Kind, Json]] = {
    Kind.TIME_SERIES: {
        "drawStyle": "line",
        "fillOpacity": 0,
        "lineInterpolation": "linear",
        "lineWidth": 2,
        "pointSize": 5,
        # A gap is a time in which nothing was measured; a line across it would lie.
        "showPoints": "auto",
        "spanNulls": False,
        "stacking": {"group": "A", "mode": "none"},
    },
    Kind.STATE_TIMELINE: {"fillOpacity": 80, "lineWidth": 0},
}
