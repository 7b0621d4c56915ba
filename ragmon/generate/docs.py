"""docs/metrics.md: every metric of the registry and every Prometheus family."""

from collections.abc import Iterable, Iterator
from inspect import cleandoc
from itertools import groupby
from typing import Final, assert_never

from ragmon import telemetry
from ragmon.generate.origin import markdown_comment
from ragmon.metrics.inputs import is_offline
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import Better, MetricSpec, Needs, Unit

_INTRODUCTION: Final = """\
# Metrics

What ragmon measures for each request, stage by stage, and every Prometheus family it \
exposes. A metric whose inputs are missing has no value and is never shown as zero: it is \
counted in `ragmon_evaluations_total` with its result (`missing`, `undefined`, `not_kept` or \
`failed`) and in `ragmon_not_measured_total` with its reason.

*Label-free* metrics need nothing but the request itself; *gold* ones wait for a label, which \
may come long after. Every metric is also in the event-time gauges `ragmon_window_mean`, \
`ragmon_window_count` and `ragmon_window_coverage_ratio`, which a late label changes; \
histograms and counters hold the first value of each request.

Spans carry no metadata of chunks, no vectors of chunks or sentences beside an embedding run's, \
and no queries of an index: the metrics that read them are *offline only*, measured by \
`ragmon.evaluate`, and `missing` online."""

_FAMILIES: Final = """\
## Prometheus families

Durations are in seconds, ratios from 0 to 1. A label with a closed set of values names \
them; `k` is absent where a metric has no cut-off. A signed metric is in three counters: its \
mean is (positive - negative) / observations, each as a rate."""


def metrics_page(registry: Registry) -> str:
    """The page as Markdown."""
    parts = (_INTRODUCTION, *_stages(registry.metrics), _FAMILIES, _families(registry))
    return markdown_comment("\n\n".join(parts) + "\n")


def _stages(metrics: Iterable[MetricSpec]) -> Iterator[str]:
    for stage, members in groupby(metrics, key=lambda spec: spec.stage):
        specs = tuple(members)
        yield f"## {stage.replace('_', ' ').capitalize()}"
        yield _table(
            ("Metric", "What it is", "Unit", "Better", "Needs", "In Prometheus"),
            (_metric_row(spec) for spec in specs),
        )
        yield from map(_details, specs)


def _metric_row(spec: MetricSpec) -> tuple[str, ...]:
    return (
        f"[`{spec.key}`](#{_anchor(spec)})",
        spec.summary,
        str(spec.unit),
        _better(spec.better),
        _needs(spec.needs),
        "offline only" if is_offline(spec) else f"`{exposed_as(spec)}`",
    )


def _details(spec: MetricSpec) -> str:
    """The docstring with its formula, ranges and source; the example is for the tests."""
    text = cleandoc(spec.doc).partition("\n>>>")[0].strip()
    inputs = ", ".join(f"`{name}`" for name in spec.inputs)
    return (
        f"### {spec.key}\n\n```text\n{text}\n```\n\n"
        f"Inputs: {inputs}. Version {spec.version} of the formula."
    )


def exposed_as(spec: MetricSpec) -> str:
    """The Prometheus series that carries the metric's values as they are first measured."""
    match spec.unit:
        case Unit.RATIO | Unit.BINARY:
            return f"ragmon_score{{{_slot(spec)}}}"
        case Unit.SIGNED:
            return f"ragmon_score_delta_observations_total{{{_slot(spec)}}}"
        case Unit.COUNT | Unit.AMOUNT:
            return _own_family(spec)
        case Unit.MILLISECONDS:
            return _own_family(spec) or _duration(spec.stage)
        case Unit.USD:
            return _own_family(spec) or "ragmon_cost_usd_total"
        case Unit.TOKENS:
            return _own_family(spec) or "ragmon_tokens_total"
        case _:
            assert_never(spec.unit)


def _slot(spec: MetricSpec) -> str:
    k = ',k="…"' if spec.takes_k else ""
    return f'stage="{spec.stage}",metric="{spec.name}"{k}'


def _own_family(spec: MetricSpec) -> str:
    family = telemetry.family_of(spec)
    if family is None:
        return ""
    return f'{family.name}{{k="…"}}' if spec.takes_k else family.name


def _duration(stage: str) -> str:
    if stage == telemetry.REQUEST_STAGE:
        return "ragmon_request_duration_seconds"
    return f'ragmon_stage_duration_seconds{{stage="{stage}"}}'


def _better(better: Better) -> str:
    return {Better.HIGHER: "higher", Better.LOWER: "lower", Better.NONE: "neither"}[better]


def _needs(needs: Needs) -> str:
    return {Needs.LABEL_FREE: "label-free", Needs.GOLD: "gold", Needs.VECTORS: "vectors"}[needs]


def _anchor(spec: MetricSpec) -> str:
    """The address that Markdown viewers give to the heading of the metric."""
    return spec.key.replace(".", "").lower()


def _families(registry: Registry) -> str:
    return _table(
        ("Family", "Type", "Labels", "What it is"),
        (
            (f"`{family.name}`", str(family.type), _labels(family), family.help)
            for family in (*telemetry.FAMILIES, *telemetry.families_of(registry.metrics))
        ),
    )


def _labels(family: telemetry.Family) -> str:
    return ", ".join(
        f"`{label}` ({' / '.join(family.closed[label])})"
        if label in family.closed
        else f"`{label}`"
        for label in family.labels
    )


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (titles, ("---",) * len(titles), *rows)
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
