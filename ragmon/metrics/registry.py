"""The registry: every declared metric, and the places of their values."""

from collections.abc import Iterable, Mapping

from ragmon.metrics import (
    augmentation,
    augmentation_positions,
    chunking,
    chunking_metadata,
    chunking_structure,
    chunking_vectors,
    chunking_words,
    correctness,
    embedding,
    end_to_end,
    end_to_end_window,
    generation,
    generation_window,
    reranking,
    retrieval,
    retrieval_tokens,
    retrieval_window,
)
from ragmon.metrics.spec import MetricSpec, Scope
from ragmon.model.measurement import Layout, Slot
from ragmon.model.record import Stage

_MODULES = (
    chunking,
    chunking_structure,
    chunking_vectors,
    chunking_metadata,
    chunking_words,
    embedding,
    retrieval,
    retrieval_tokens,
    retrieval_window,
    reranking,
    augmentation,
    augmentation_positions,
    generation,
    correctness,
    generation_window,
    end_to_end,
    end_to_end_window,
)
_RECORDS = (Scope.REQUEST, Scope.DOCUMENT, Scope.INDEX)
_STAGES = tuple(Stage)


class Registry:
    """The metrics that are measured, at the cut-offs that are measured. Never changes.

    metrics: every metric of a record, in the order of stages, then of declaration.
    aggregates: those of a window, in the same order. layouts: per scope the place of every
    value, a ranked metric once per cut-off. places: per scope (k, metric) of each place.

    Raises:
        ValueError: if two metrics have one key.
    """

    def __init__(self, declared: Iterable[MetricSpec], k: tuple[int, ...]) -> None:
        ordered = sorted(declared, key=lambda spec: _STAGES.index(spec.stage))
        self.metrics = tuple(spec for spec in ordered if spec.scope is not Scope.WINDOW)
        self.aggregates = tuple(spec for spec in ordered if spec.scope is Scope.WINDOW)
        self.places: Mapping[Scope, tuple[tuple[int | None, MetricSpec], ...]] = {
            scope: _places(self.metrics, scope, k) for scope in _RECORDS
        }
        self.layouts: Mapping[Scope, Layout] = {
            scope: tuple(_slot(spec, cut) for cut, spec in places)
            for scope, places in self.places.items()
        }
        self._by_key = {spec.key: spec for spec in ordered}
        if len(self._by_key) < len(ordered):
            raise ValueError("two metrics have one key")

    @property
    def layout(self) -> Layout:
        """The places of a request's values."""
        return self.layouts[Scope.REQUEST]

    @property
    def slots(self) -> Layout:
        """Every place of every scope: requests first, then documents, then indexes."""
        return tuple(slot for scope in _RECORDS for slot in self.layouts[scope])

    def spec(self, slot: Slot) -> MetricSpec:
        """The metric that a slot holds.

        Raises:
            KeyError: if it is not declared (any more).
        """
        return self._by_key[slot.key]

    def find(self, key: str) -> MetricSpec | None:
        """The metric of the key `stage.name`, None if there is none."""
        return self._by_key.get(key)


def build(k: tuple[int, ...] = (5,), own: Iterable[MetricSpec] = ()) -> Registry:
    """The registry of every declared metric, and of a user's own.

    Raises:
        ValueError: if `k` is empty or holds anything below 1, or two metrics have one key.
    """
    if not k or min(k) < 1:
        raise ValueError(f"k={k} must hold one or more cut-offs, each 1 or more")
    declared = [spec for module in _MODULES for spec in module.metric.specs]
    return Registry([*declared, *own], tuple(sorted(set(k))))


def _places(
    metrics: Iterable[MetricSpec], scope: Scope, k: tuple[int, ...]
) -> tuple[tuple[int | None, MetricSpec], ...]:
    return tuple(
        (cut, spec)
        for spec in metrics
        if spec.scope is scope
        for cut in (k if spec.takes_k else (None,))
    )


def _slot(spec: MetricSpec, k: int | None) -> Slot:
    return Slot(spec.stage.value, spec.name, k, spec.version)
