"""Declaring a metric: one decorator over one pure function.

    metric = stage("retrieval")

    @metric(unit=Unit.RATIO, better=Better.HIGHER)
    def precision_at_k(retrieved_ids, gold_ids, *, k): ...

The names of the parameters say what the metric needs; a keyword-only `k` makes it one per
cut-off. A wrong declaration fails when its module is imported.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import Parameter
from typing import Final, NamedTuple, ParamSpec, TypeVar

from ragmon.metrics.buckets import buckets_of
from ragmon.metrics.input import Input
from ragmon.metrics.inputs import INPUTS, needs_of
from ragmon.metrics.spec import Better, MetricSpec, Needs, Scope, Unit
from ragmon.model.record import Stage

P = ParamSpec("P")
R = TypeVar("R", bound=float | None)

_SCOPES: Final = {
    stage: {Stage.CHUNKING: Scope.DOCUMENT, Stage.EMBEDDING: Scope.INDEX}.get(stage, Scope.REQUEST)
    for stage in Stage
}
"""Each stage is measured per request, but for those that fill the index."""
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
        self,
        *,
        unit: Unit,
        better: Better,
        version: int = 1,
        buckets: tuple[float, ...] | None = None,
        on_hashes: bool = False,
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Declare the decorated function as a metric of this stage; it stays as it is.

        buckets: upper bounds of its histogram, where those of its unit do not suit it.
        on_hashes: of its texts it reads tokens and numbers only, and compares them only with
        each other, so that hashes of them give the same value.

        Raises:
            ValueError: if the name is taken, or a parameter is no known input.
        """
        bounds = buckets_of(unit, better) if buckets is None else buckets
        return self._declare(
            _Declared(self.stage, unit, better, version, bounds, _SCOPES[self.stage], on_hashes)
        )

    def window(
        self, *, unit: Unit, better: Better, version: int = 1
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Declare the decorated function as an aggregate over all requests of a window.

        Its one parameter is named as the metric of this stage whose values it is given.
        """
        return self._declare(_Declared(self.stage, unit, better, version, (), Scope.WINDOW))

    def _declare(self, declared: "_Declared") -> Callable[[Callable[P, R]], Callable[P, R]]:
        def declare(function: Callable[P, R]) -> Callable[P, R]:
            spec = _spec(function, declared)
            if spec.name in self._specs:
                raise ValueError(f"{spec.key} is declared twice")
            self._specs[spec.name] = spec
            return function

        return declare


def stage(name: str) -> StageMetrics:
    """The declaration decorator of one stage, called once per module."""
    return StageMetrics(Stage(name))


class _Declared(NamedTuple):
    """What a declaration says beside its function."""

    stage: Stage
    unit: Unit
    better: Better
    version: int
    buckets: tuple[float, ...]
    scope: Scope
    on_hashes: bool = False


def _spec(function: Callable[..., float | None], declared: _Declared) -> MetricSpec:
    name = function.__name__
    key = f"{declared.stage}.{name}"
    parameters = inspect.signature(function).parameters.values()
    known = INPUTS.get(declared.scope)
    named = [parameter for parameter in parameters if not _is_k(parameter)]
    inputs = tuple(_input(parameter, key, known) for parameter in named)
    doc = inspect.getdoc(function) or key  # python -OO leaves no docstring
    source = _SOURCE.search(doc)
    return MetricSpec(
        stage=declared.stage,
        name=name,
        unit=declared.unit,
        better=declared.better,
        needs=Needs.LABEL_FREE if known is None else needs_of(known, inputs),
        inputs=inputs,
        takes_k=any(map(_is_k, parameters)),
        version=declared.version,
        source=" ".join(source[1].split()) if source else "",
        summary=doc.partition("\n")[0],
        doc=doc,
        function=function,
        buckets=declared.buckets,
        scope=declared.scope,
        on_hashes=declared.on_hashes,
    )


def _is_k(parameter: Parameter) -> bool:
    return parameter.name == "k" and parameter.kind is Parameter.KEYWORD_ONLY


def _input(parameter: Parameter, key: str, known: Mapping[str, Input] | None) -> str:
    """The input that a parameter names; `known` is None where it names a metric.

    Raises:
        ValueError: if there is no such input, naming the nearest.
    """
    name = parameter.name
    if parameter.kind is not Parameter.POSITIONAL_OR_KEYWORD:
        raise ValueError(f"{name!r} in {key} cannot be an input; only k is keyword-only")
    if known is not None and name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise ValueError(f"unknown input {name!r} in {key}; {hint}")
    return name
