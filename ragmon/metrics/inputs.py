"""Every input that a metric can ask for, by the scope of the metric and its own name."""

from collections.abc import Mapping
from typing import Final

from ragmon.metrics.chunking_inputs import CHUNKING_INPUTS
from ragmon.metrics.embedding_inputs import EMBEDDING_INPUTS
from ragmon.metrics.input import Input
from ragmon.metrics.request_inputs import REQUEST_INPUTS
from ragmon.metrics.spec import MetricSpec, Needs, Scope

INPUTS: Final[Mapping[Scope, Mapping[str, Input]]] = {
    Scope.REQUEST: REQUEST_INPUTS,
    Scope.DOCUMENT: CHUNKING_INPUTS,
    Scope.INDEX: EMBEDDING_INPUTS,
}


def is_offline(spec: MetricSpec) -> bool:
    """Whether a metric is measured offline only, since one of its inputs is."""
    inputs = INPUTS.get(spec.scope, {})
    return any(inputs[name].offline for name in spec.inputs if name in inputs)


def needs_of(inputs: Mapping[str, Input], names: tuple[str, ...]) -> Needs:
    """What a metric with these inputs needs; gold, where one of several does."""
    needs = {inputs[name].needs for name in names}
    return next((need for need in (Needs.GOLD, Needs.VECTORS) if need in needs), Needs.LABEL_FREE)
