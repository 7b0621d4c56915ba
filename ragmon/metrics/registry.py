"""The registry: every declared metric, and the places of their values."""

from collections.abc import Iterable

from ragmon.metrics import augmentation, correctness, end_to_end, generation, reranking, retrieval
from ragmon.metrics.spec import MetricSpec
from ragmon.model.measurement import Layout, Slot

_STAGES = (
    retrieval.metric,
    reranking.metric,
    augmentation.metric,
    generation.metric,
    correctness.metric,
    end_to_end.metric,
)


class Registry:
    """The metrics that are measured, at the cut-offs that are measured. Never changes.

    metrics: in the order of stages, then of declaration. layout: the place of every value,
    a ranked metric once per cut-off. specs: the metric of each place.

    Raises:
        ValueError: if two metrics have one key.
    """

    def __init__(self, metrics: Iterable[MetricSpec], k: tuple[int, ...]) -> None:
        self.metrics = tuple(metrics)
        places = [(_slot(spec, cut), spec) for spec in self.metrics for cut in _cuts(spec, k)]
        self.layout: Layout = tuple(slot for slot, _ in places)
        self.specs = tuple(spec for _, spec in places)
        self._by_key = {spec.key: spec for spec in self.metrics}
        if len(self._by_key) < len(self.metrics):
            raise ValueError("two metrics have one key")

    def spec(self, slot: Slot) -> MetricSpec:
        """The metric that a slot holds.

        Raises:
            KeyError: if it is not declared (any more).
        """
        return self._by_key[slot.key]

    def find(self, key: str) -> MetricSpec | None:
        """The metric of the key `stage.name`, None if there is none."""
        return self._by_key.get(key)


def build(k: tuple[int, ...] = (5,)) -> Registry:
    """The registry of every declared metric.

    Raises:
        ValueError: if `k` is empty or holds anything below 1.
    """
    if not k or min(k) < 1:
        raise ValueError(f"k={k} must hold one or more cut-offs, each 1 or more")
    metrics = [spec for declared in _STAGES for spec in declared.specs]
    return Registry(metrics, tuple(sorted(set(k))))


def _cuts(spec: MetricSpec, k: tuple[int, ...]) -> tuple[int | None, ...]:
    return k if spec.takes_k else (None,)


def _slot(spec: MetricSpec, k: int | None) -> Slot:
    return Slot(spec.stage.value, spec.name, k, spec.version)
