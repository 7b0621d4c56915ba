"""A linter of PromQL against the catalogue of families, over dashboards and rules."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser as promql
import pytest

from ragmon import telemetry
from ragmon.generate.alert import Recording
from ragmon.generate.alerts import GROUPS
from ragmon.metrics.registry import build
from ragmon.telemetry import FamilyType

SLOT = ("stage", "metric", "k")
SCORES = ("ragmon_score", "ragmon_window_mean", "ragmon_window_count", "ragmon_window_coverage")
RATES = ("rate", "increase")


@dataclass(frozen=True)
class Series:
    """What the linter knows of one series name."""

    labels: frozenset[str]
    counts: bool


def _catalogue() -> dict[str, Series]:
    known = {
        "up": Series(frozenset({"job", "instance"}), counts=False),
        "ALERTS": Series(frozenset({"alertname", "alertstate", "pipeline"}), counts=False),
    }
    for family in (*telemetry.FAMILIES, *telemetry.families_of(build().metrics)):
        counts = family.type in (FamilyType.COUNTER, FamilyType.HISTOGRAM)
        for name in family.series:
            le = {"le"} if name.endswith("_bucket") else set()
            known[name] = Series(frozenset({"job", "instance", *family.labels, *le}), counts=counts)
    return known


def _recorded() -> dict[str, Series]:
    levels = {"pipeline_slo": ("pipeline", "slo"), "pipeline_stage_metric_k": ("pipeline", *SLOT)}
    names = [rule.name for group in GROUPS for rule in group.rules if isinstance(rule, Recording)]
    return {name: Series(frozenset(levels[name.split(":")[0]]), counts=False) for name in names}


KNOWN = {**_catalogue(), **_recorded()}


def lint(expr: str) -> list[str]:
    """Faults of one expression whose variables have values."""
    if unknown := re.findall(r"\$\w+", expr):
        return [f"unknown variable {name}" for name in unknown]
    try:
        return [*_faults(promql.parse(expr), (), None)]
    except ValueError as error:
        return [f"does not parse: {error}"]


def _faults(node: Any, kept: tuple[frozenset[str], ...], function: str | None) -> Iterator[str]:
    """Faults below a node; kept: labels that each aggregation above keeps."""
    match node:
        case promql.VectorSelector():
            yield from _selector_faults(node, kept, function)
        case promql.MatrixSelector():
            yield from _selector_faults(node.vector_selector, kept, function)
        case promql.AggregateExpr():
            by = frozenset(node.modifier.labels) if node.modifier else frozenset()
            yield from _unknown_labels(by, node.expr)
            yield from _faults(node.expr, (*kept, by), function)
        case promql.Call():
            for argument in node.args:
                yield from _faults(argument, kept, node.func.name)
        case promql.BinaryExpr():
            matching = node.modifier.matching if node.modifier else None
            yield from _unknown_labels(frozenset(matching.labels if matching else ()), node)
            yield from _faults(node.lhs, kept, function)
            yield from _faults(node.rhs, kept, function)
        case promql.ParenExpr() | promql.UnaryExpr():
            yield from _faults(node.expr, kept, function)
        case promql.NumberLiteral():
            return
        case _:
            raise AssertionError(f"the linter does not know {type(node).__name__}")


def _selector_faults(
    selector: Any, kept: tuple[frozenset[str], ...], function: str | None
) -> Iterator[str]:
    name = selector.name
    series = KNOWN.get(name)
    if series is None:
        yield f"unknown metric {name}"
        return
    matchers = selector.matchers.matchers
    yield from (f"{name}: unknown label {m.name}" for m in matchers if m.name not in series.labels)
    if series.counts != (function in RATES):
        yield f"{name}: {'a counter without a rate' if series.counts else 'the rate of a gauge'}"
    pinned = {m.name for m in matchers if m.op == promql.MatchOp.Equal}
    if name.startswith(SCORES):
        for label in SLOT:
            if label not in pinned and any(label not in by for by in kept):
                yield f"{name}: {label} is neither kept nor pinned"


def _unknown_labels(labels: frozenset[str], node: Any) -> Iterator[str]:
    known = {label for name in _names(node) if name in KNOWN for label in KNOWN[name].labels}
    yield from (f"unknown label {label}" for label in sorted(labels - known))


def _names(node: Any) -> list[str]:
    return re.findall(r"(?<![\w:])[A-Za-z_][\w:]*(?=[{\[\s)]|$)", node.prettify())


def test_every_dashboard_query_is_clean(queries: dict[str, str]) -> None:
    """Queries name known metrics and labels, rate counters only, and mix no two scores."""
    faults = {place: lint(expr) for place, expr in queries.items()}
    assert {place: found for place, found in faults.items() if found} == {}
    assert len(queries) > 20


def test_every_rule_is_clean() -> None:
    """The expressions of rules obey the same linter."""
    rules = [rule for group in GROUPS for rule in group.rules]
    faults = {rule.name: lint(rule.expr.replace("$job", '"ragmon"')) for rule in rules}
    assert {name: found for name, found in faults.items() if found} == {}


def test_a_letter_dropped_from_any_metric_name_is_caught(queries: dict[str, str]) -> None:
    """A mutation of a metric's name never passes the linter."""
    for place, expr in queries.items():
        for name in set(re.findall(r"ragmon_\w+(?=[{\[)])", expr)):
            for position in range(len(name)):
                mutant = expr.replace(name, name[:position] + name[position + 1 :])
                assert lint(mutant), (place, mutant)


@pytest.mark.parametrize(
    ("expr", "fault"),
    [
        ("sum(rate(ragmon_requests_total[5m])", "does not parse"),
        ("rate(ragmon_requests_total[$interval])", "unknown variable $interval"),
        ('rate(ragmon_requests_total{pipelin="a"}[5m])', "unknown label pipelin"),
        ("sum by (outcom) (rate(ragmon_requests_total[5m]))", "unknown label outcom"),
        ("up / on (pipeline) up", "unknown label pipeline"),
        ("sum(ragmon_requests_total)", "a counter without a rate"),
        ("rate(ragmon_window_count[5m])", "the rate of a gauge"),
        ("sum by (stage, metric) (ragmon_window_mean)", "k is neither kept nor pinned"),
        (
            'sum by (stage, k) (rate(ragmon_score_sum{metric=~"recall.*"}[5m]))',
            "metric is neither kept nor pinned",
        ),
        (
            "max by (stage, metric) (max by (stage, metric, k) (ragmon_window_mean))",
            "k is neither kept nor pinned",
        ),
    ],
)
def test_the_linter_finds_what_it_is_for(expr: str, fault: str) -> None:
    """Each kind of fault is found in an expression that has it."""
    assert any(fault in found for found in lint(expr))


def test_a_query_whose_variables_have_no_value_is_a_fault(
    substitute: Callable[[str], str],
) -> None:
    """Only the variables that a dashboard has are replaced."""
    assert lint(substitute('up{job=~"$job",instance="$instance"}')) == [
        "unknown variable $instance"
    ]
