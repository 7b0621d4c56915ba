"""Gates: bounds that the metrics of a report must keep, as CI asks for them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Final

from ragmon.errors import ConfigError
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import Better
from ragmon.summary.report import MetricSummary, Report
from ragmon.summary.views.words import finite, reasons, shown

_TOLERANCE: Final = 1e-12
"""A mean of values that all equal the bound keeps it, however it was summed."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound on one metric; k: its cut-off, None for the only or the smallest one."""

    key: str
    k: int | None
    bound: float
    floor: bool

    @property
    def label(self) -> str:
        """The metric as the command line names it: `retrieval.ndcg_at_k@5`."""
        return self.key if self.k is None else f"{self.key}@{self.k}"

    @property
    def demand(self) -> str:
        """What the metric must be."""
        return f"must be at {'least' if self.floor else 'most'} {self.bound!r}"

    def keeps(self, value: float) -> bool:
        """Whether a value lies on the right side of the bound, or on it."""
        over = value - self.bound
        return (over if self.floor else -over) >= -_TOLERANCE


def read_gates(under: Iterable[str], over: Iterable[str], registry: Registry) -> tuple[Gate, ...]:
    """The gates of `--fail-under` and `--fail-over`, each `stage.metric[@k]=bound`.

    Raises:
        ConfigError: with a line for each that is no gate, names no metric, or would hold a
            metric on its good side.
    """
    faults: list[str] = []
    gates: list[Gate] = []
    for option, texts in (("--fail-under", under), ("--fail-over", over)):
        for text in texts:
            try:
                gates.append(_gate(option, text, registry))
            except ValueError as fault:
                faults.append(f"{option} {shown(text)}: {fault}")
    if faults:
        raise ConfigError(tuple(faults))
    return tuple(gates)


def broken(gates: Iterable[Gate], report: Report) -> Iterator[str]:
    """A line for each gate that does not hold: value, bound, and which rows fell."""
    for gate in gates:
        metric = report.metric(gate.key, gate.k)
        value = finite(metric.value) if metric else None
        if metric is None:
            yield f"{gate.label} is not measured, and {gate.demand}: {_nowhere(gate, report)}"
        elif value is None:
            why = reasons(metric) or "there was nothing to measure it on"
            yield f"{gate.label} is not measured, and {gate.demand}: {why}"
        elif not gate.keeps(value):
            fell = _fallen(gate, metric, report)
            yield f"{gate.label} is {_told(value, gate.bound)}, and {gate.demand}{fell}"


def read_number(text: str) -> float:
    """The number of a bound or a weight.

    Raises:
        ValueError: it is none, or not finite.
    """
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"{text.strip()!r} is no number")
    return number


def _gate(option: str, text: str, registry: Registry) -> Gate:
    name, equals, number = text.rpartition("=")
    if not equals:
        raise ValueError("has no bound; write stage.metric=0.7")
    bound = read_number(number)
    key, at, cut = name.strip().partition("@")
    if at and not (cut.isascii() and cut.isdigit() and int(cut)):
        raise ValueError(f"the cut-off {cut!r} is no whole number from 1")
    _check(option, key, registry)
    return Gate(key, int(cut) if at else None, bound, floor=option == "--fail-under")


def _check(option: str, key: str, registry: Registry) -> None:
    """Refuse a metric that does not exist, or a bound on the side that is good."""
    spec = registry.find(key)
    if spec is None:
        keys = [one.key for one in (*registry.metrics, *registry.aggregates)]
        near = get_close_matches(key, keys, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`ragmon metrics` lists them"
        raise ValueError(f"there is no metric {shown(key)!r}; {hint}")
    wrong = Better.LOWER if option == "--fail-under" else Better.HIGHER
    if spec.better is wrong:
        other = "--fail-over" if option == "--fail-under" else "--fail-under"
        raise ValueError(f"of {key} {spec.better} is better; use {other}")


def _nowhere(gate: Gate, report: Report) -> str:
    """Why a metric is not in the report."""
    name = gate.key.partition(".")[0]
    stages = [one for one in report.stages if one.stage == name]
    if not stages:
        return f"the stage {name} was not evaluated"
    cuts = {one.k for stage in stages for one in stage.metrics if one.key == gate.key}
    known = sorted(k for k in cuts if k is not None)
    if known:
        return f"it was evaluated at k={', '.join(map(str, known))} only"
    return "it has no cut-off" if cuts else "it is not among the metrics of the report"


def _fallen(gate: Gate, metric: MetricSummary, report: Report) -> str:
    """Up to five rows beyond the bound, the worst first."""
    for stage in report.stages:
        if stage.stage == metric.spec.stage:
            rows = stage.extreme(metric, lowest=gate.floor)
            names = [
                f"{shown(name)} ({_told(value, gate.bound)})"
                for name, value in rows
                if not gate.keeps(value)
            ]
            return f"; worst: {', '.join(names)}" if names else ""
    return ""


def _told(value: float, bound: float) -> str:
    """A value with six digits, or all where six would make it look like the bound."""
    short = f"{value:.6g}"
    return repr(value) if float(short) == bound else short
