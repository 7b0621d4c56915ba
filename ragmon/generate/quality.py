"""The dashboard RAG / Quality: every metric of the registry, stage by stage, and its coverage.

A metric that is declared, a user's own included, is on it with no other change.
"""

from collections.abc import Sequence
from itertools import groupby
from string import ascii_uppercase
from typing import Final

from ragmon import telemetry
from ragmon.generate.board import Board, Row
from ragmon.generate.chosen import UNITS
from ragmon.generate.panels import Kind, Panel, Query
from ragmon.generate.promql import COUNTED, MEASURED, aggregate, rate_share, share
from ragmon.generate.selectors import NOW, STEP, selected
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import Better, MetricSpec, Unit
from ragmon.model.record import Stage

FUNNEL: Final = (
    "retrieval.retrieved_documents",
    "reranking.reranked_documents",
    "augmentation.packed_documents",
    "generation.used_documents",
)
"""What is left of the documents from step to step."""

_BY: Final = "metric, k"
_LEGEND: Final = "{{metric}} {{k}}"
_DELTA: Final = "ragmon_score_delta_{}_total"
_MOST_QUERIES: Final = len(ascii_uppercase)
"""A panel names its queries by letters."""


def quality(registry: Registry) -> Board:
    """Every metric by its stage: means by direction, other units, coverage.

    Raises:
        KeyError: the registry lacks a step of the evidence funnel.
    """
    stages = groupby(registry.metrics, key=lambda spec: spec.stage)
    return Board(
        uid="ragmon-quality",
        title="RAG / Quality",
        description="Every metric, stage by stage, with its coverage.",
        rows=(_funnel(registry), *(_stage(stage, tuple(specs)) for stage, specs in stages)),
    )


def _funnel(registry: Registry) -> Row:
    steps = [spec for key in FUNNEL if (spec := registry.find(key))]
    queries = tuple(Query(_mean(spec, NOW), spec.name.partition("_")[0]) for spec in steps)
    gains = _panels("reranker's gain", [spec for spec in registry.metrics if _is_gain(spec)])
    return Row(
        1,
        "Evidence",
        8,
        (
            Panel(
                Kind.BAR_GAUGE,
                "Evidence funnel",
                "Mean number of different documents per request that were retrieved, reranked,"
                " packed into the prompt, and used by the answer.",
                "short",
                queries,
                width=12,
                lowest=0,
            ),
            *gains,
        ),
    )


def _is_gain(spec: MetricSpec) -> bool:
    return spec.stage is Stage.RERANKING and spec.name.endswith("_gain")


def _stage(stage: Stage, specs: Sequence[MetricSpec]) -> Row:
    name = stage.replace("_", " ").capitalize()
    scores = [spec for spec in specs if spec.unit in (Unit.RATIO, Unit.BINARY)]
    panels = [
        panel
        for better, says in (
            (Better.HIGHER, "higher is better"),
            (Better.LOWER, "lower is better"),
            (Better.NONE, "neither is better"),
        )
        for panel in _scores(f"{name}, {says}", [one for one in scores if one.better is better])
    ]
    for unit in _KINDS:
        panels += _panels(f"{name}, {_KINDS[unit]}", [one for one in specs if one.unit is unit])
    return Row(10 + list(Stage).index(stage), name, 8, (*panels, _coverage(name, stage)))


_KINDS: Final = {
    Unit.SIGNED: "signed",
    Unit.TOKENS: "tokens",
    Unit.COUNT: "counts",
    Unit.AMOUNT: "amounts",
    Unit.MILLISECONDS: "durations",
    Unit.USD: "cost",
}


def _window(stage: Stage) -> str:
    """Requests never stop; documents are indexed now and then, so the whole range is looked at."""
    return "$__range" if stage in (Stage.CHUNKING, Stage.EMBEDDING) else STEP


def _scores(title: str, specs: Sequence[MetricSpec]) -> tuple[Panel, ...]:
    """One query for all scores of a stage and direction."""
    if not specs:
        return ()
    names = "|".join(spec.name for spec in specs)
    which = f'stage="{specs[0].stage}",metric=~"{names}"'
    sums, counts = (selected(f"ragmon_score_{part}", which) for part in ("sum", "count"))
    query = Query(rate_share(sums, counts, _window(specs[0].stage), _BY), _LEGEND)
    return (_graph(title, specs, "percentunit", (query,), highest=1),)


def _panels(title: str, specs: Sequence[MetricSpec]) -> tuple[Panel, ...]:
    """The means of metrics of one unit that have series of their own."""
    shown = [spec for spec in specs if spec.unit is Unit.SIGNED or telemetry.family_of(spec)]
    parts = (shown[at : at + _MOST_QUERIES] for at in range(0, len(shown), _MOST_QUERIES))
    return tuple(
        _graph(title, part, _unit(part[0]), tuple(_line(spec) for spec in part)) for part in parts
    )


def _unit(spec: MetricSpec) -> str:
    """Grafana's unit of the exposed series; milliseconds are exposed as seconds."""
    return "s" if spec.unit is Unit.MILLISECONDS else UNITS[spec.unit]


def _line(spec: MetricSpec) -> Query:
    legend = f"{spec.name} {{{{k}}}}" if spec.takes_k else spec.name
    return Query(_mean(spec, _window(spec.stage), "k" if spec.takes_k else ""), legend)


def _mean(spec: MetricSpec, window: str, by: str = "") -> str:
    """Mean of a metric of any unit but those that other families hold."""
    if spec.unit is Unit.SIGNED:
        return _signed_mean(spec, window, by)
    family = telemetry.family_of(spec)
    name = family.name if family else ""
    return rate_share(selected(f"{name}_sum"), selected(f"{name}_count"), window, by)


def _signed_mean(spec: MetricSpec, window: str, by: str) -> str:
    pinned = "" if by else ',k=""'
    which = f'stage="{spec.stage}",metric="{spec.name}"{pinned}'
    positive, negative, observations = (
        aggregate("sum", by, f"rate({selected(_DELTA.format(part), which)}[{window}])")
        for part in ("positive", "negative", "observations")
    )
    return share(f"({positive} - {negative})", observations)


def _graph(
    title: str,
    specs: Sequence[MetricSpec],
    unit: str,
    queries: tuple[Query, ...],
    highest: float | None = None,
) -> Panel:
    return Panel(
        Kind.TIME_SERIES,
        title,
        "\n".join(f"- {spec.name}: {spec.summary}" for spec in specs),
        unit,
        queries,
        width=8,
        lowest=None if specs[0].unit is Unit.SIGNED else 0,
        highest=highest,
    )


def _coverage(name: str, stage: Stage) -> Panel:
    part, whole = (
        selected("ragmon_evaluations_total", f'stage="{stage}",{results}')
        for results in (MEASURED, COUNTED)
    )
    return Panel(
        Kind.TIME_SERIES,
        f"{name}, coverage",
        "Share of the evaluations that gave a value; what is low lacks an input, or its labels"
        " have not come. Undefined cases do not count.",
        "percentunit",
        (Query(rate_share(part, whole, _window(stage), _BY), _LEGEND),),
        width=8,
        lowest=0,
    )
