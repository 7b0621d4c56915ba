"""Single queries of an embedding run, all measured in one pass over its vectors."""

from collections.abc import Mapping
from typing import Final

from ragmon.metrics.embedding_inputs import unmatched
from ragmon.metrics.embedding_matches import gold_matches, index_matches
from ragmon.metrics.input import EmbeddingFacts
from ragmon.metrics.measure import measure_one
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import MetricSpec, Scope
from ragmon.model.indexing import Embedding
from ragmon.model.measurement import Layout, Measured, NotMeasured

_PER_QUERY: Final = frozenset({"gold_matches", "index_matches"})


def query_layout(registry: Registry) -> Layout:
    """The places of one query's values: of the metrics of an index that read its queries only."""
    places = zip(registry.layouts[Scope.INDEX], registry.places[Scope.INDEX], strict=True)
    return tuple(slot for slot, (_, spec) in places if _reads_queries(spec))


def measure_queries(run: Embedding, registry: Registry) -> tuple[tuple[Measured, ...], ...]:
    """Measure each query by itself: one value per place of `query_layout`, in its order.

    Raises:
        ValueError: if there are not as many ids as vectors.
    """
    places = [place for place in registry.places[Scope.INDEX] if _reads_queries(place[1])]
    return tuple(
        tuple([measure_one(spec, k, inputs) for k, spec in places]) for inputs in _inputs(run)
    )


def _reads_queries(spec: MetricSpec) -> bool:
    return _PER_QUERY.issuperset(spec.inputs)


def _inputs(run: Embedding) -> list[Mapping[str, object]]:
    """Per query its own match of each kind, or why there is none."""
    missing = unmatched(EmbeddingFacts(run))
    if missing is not None:
        return [dict.fromkeys(_PER_QUERY, missing) for _ in run.queries or ()]
    return [
        {"gold_matches": _alone(gold), "index_matches": _alone(index)}
        for gold, index in zip(gold_matches(run), index_matches(run), strict=True)
    ]


def _alone(match: object) -> object:
    return match if isinstance(match, NotMeasured) else (match,)
