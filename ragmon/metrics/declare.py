"""Declaring a metric: one decorator over one pure function.

    metric = stage("retrieval")

    @metric(unit=Unit.RATIO, better=Better.HIGHER)
    def precision_at_k(retrieved_ids, gold_ids, *, k): ...

The names of the parameters say what the metric needs; a keyword-only `k` makes it one per
cut-off. A wrong declaration fails when its module is imported.
"""

import inspect
import re
from collections.abc import Callable
from difflib import get_close_matches
from inspect import Parameter
from typing import ParamSpec, TypeVar

from ragmon.metrics.buckets import buckets_of
from ragmon.metrics.inputs import INPUTS
from ragmon.metrics.spec import Better, MetricSpec, Needs, Unit
from ragmon.model.record import Stage

P = ParamSpec("P")
R = TypeVar("R", bound=float | None)

_SOURCE = re.compile(r"^Source:\s*(.+(?:\n .+)*)", re.MULTILINE)


class StageMetrics:
    """The metrics declared for one stage, in the order of their declaration."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._specs: dict[str, MetricSpec] = {}

    @property
    def specs(self) -> tuple[MetricSpec, ...]:
        """What was declared so far."""
        return tuple(self._specs.values())

    def __call__(
        self, *, unit: Unit, better: Better, version: int = 1
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Declare the decorated function as a metric of this stage; it stays as it is.

        Raises:
            ValueError: if the name is taken, or a parameter is no known input.
        """

        def declare(function: Callable[P, R]) -> Callable[P, R]:
            spec = _spec(function, self.stage, unit, better, version)
            if spec.name in self._specs:
                raise ValueError(f"{spec.key} is declared twice")
            self._specs[spec.name] = spec
            return function

        return declare


def stage(name: str) -> StageMetrics:
    """The declaration decorator of one stage, called once per module."""
    return StageMetrics(Stage(name))


def _spec(
    function: Callable[..., float | None], of: Stage, unit: Unit, better: Better, version: int
) -> MetricSpec:
    name = function.__name__
    key = f"{of}.{name}"
    parameters = inspect.signature(function).parameters.values()
    inputs = tuple(_input(parameter, key) for parameter in parameters if not _is_k(parameter))
    doc = inspect.getdoc(function) or key  # python -OO leaves no docstring
    source = _SOURCE.search(doc)
    return MetricSpec(
        stage=of,
        name=name,
        unit=unit,
        better=better,
        needs=Needs.GOLD if any(INPUTS[name].gold for name in inputs) else Needs.LABEL_FREE,
        inputs=inputs,
        takes_k=any(map(_is_k, parameters)),
        version=version,
        source=" ".join(source[1].split()) if source else "",
        summary=doc.partition("\n")[0],
        doc=doc,
        function=function,
        buckets=buckets_of(unit, better),
    )


def _is_k(parameter: Parameter) -> bool:
    return parameter.name == "k" and parameter.kind is Parameter.KEYWORD_ONLY


def _input(parameter: Parameter, key: str) -> str:
    """The input that a parameter names.

    Raises:
        ValueError: if there is no such input, naming the nearest.
    """
    name = parameter.name
    if parameter.kind is not Parameter.POSITIONAL_OR_KEYWORD:
        raise ValueError(f"{name!r} in {key} cannot be an input; only k is keyword-only")
    if name not in INPUTS:
        near = get_close_matches(name, INPUTS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(INPUTS)}"
        raise ValueError(f"unknown input {name!r} in {key}; {hint}")
    return name
