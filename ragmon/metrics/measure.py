"""Measuring: every metric's number, or the reason why there is none."""

import math
from collections.abc import Mapping

from ragmon.errors import NotKeptError
from ragmon.metrics.input import (
    ChunkingFacts,
    EmbeddingFacts,
    Facts,
    Input,
    RequestFacts,
    WordRule,
    read_input,
)
from ragmon.metrics.inputs import INPUTS
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import MetricSpec, Scope
from ragmon.model.corpus import NO_SOURCES, Sources
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunking, Embedding
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import RequestRecord
from ragmon.text.tokens import word_tokens


class Inputs(dict[str, object]):
    """The inputs of one record, each read when a metric first asks for it."""

    def __init__(self, inputs: Mapping[str, Input], facts: Facts) -> None:
        super().__init__()
        self._inputs = inputs
        self._facts = facts

    def __missing__(self, name: str) -> object:
        value = self[name] = read_input(name, self._inputs[name], self._facts)
        return value


def measure(
    record: RequestRecord,
    gold: Gold,
    registry: Registry,
    sources: Sources = NO_SOURCES,
    words: WordRule = word_tokens,
) -> tuple[Measured, ...]:
    """Measure a request: one value per place of the registry's layout, in its order.

    words: the rule by which the documents of `sources` were made tokens. A metric that fails
    has the name of its exception as its reason, and costs no other one.
    """
    return _measure(Scope.REQUEST, RequestFacts(record, gold, sources, words), registry)


def measure_run(run: Chunking | Embedding, gold: Gold, registry: Registry) -> tuple[Measured, ...]:
    """Measure split documents or vectors: one value per place of their scope's layout."""
    if isinstance(run, Chunking):
        return _measure(Scope.DOCUMENT, ChunkingFacts(run, gold), registry)
    return _measure(Scope.INDEX, EmbeddingFacts(run), registry)


def _measure(scope: Scope, facts: Facts, registry: Registry) -> tuple[Measured, ...]:
    inputs = Inputs(INPUTS[scope], facts)
    return tuple([measure_one(spec, k, inputs) for k, spec in registry.places[scope]])


def measure_one(spec: MetricSpec, k: int | None, inputs: Mapping[str, object]) -> Measured:
    """Measure one metric on inputs that were read, each a value or a NotMeasured.

    k: its cut-off, None where it takes none. Raises nothing: what fails is not measured.
    """
    try:
        values = [inputs[name] for name in spec.inputs]
        for value in values:
            if isinstance(value, NotMeasured):
                return value
        result = spec.function(*values) if k is None else spec.function(*values, k=k)
        return _checked(result)
    except NotKeptError:
        return NotMeasured(Kind.NOT_KEPT)
    except Exception as error:  # noqa: BLE001 - whatever a metric raises is its own loss
        return NotMeasured(Kind.FAILED, type(error).__name__)


def _checked(result: float | None) -> Measured:
    if result is None:
        return NotMeasured(Kind.UNDEFINED)
    value = float(result)
    return value if math.isfinite(value) else NotMeasured(Kind.FAILED, "not_finite")
