"""Exporters over the real registry, and what they expose read back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ragmon.export.exporter import Exporter
from ragmon.metrics.registry import Registry, build
from ragmon.model.measurement import Slot
from ragmon.model.objective import Objective
from ragmon.model.result import Fresh, RequestKey

END_NS = 1_700_000_000_000_000_000
TRACE = "0af7651916cd43dd8448eb211c80319c"


@dataclass(frozen=True)
class Bench:
    """What a test of the exporter works with."""

    registry: Registry
    exporter: Exporter

    def slot(self, key: str) -> Slot:
        """The first slot of `stage.metric`."""
        return next(slot for slot in self.registry.layout if slot.key == key)

    def read(self, name: str) -> dict[frozenset[tuple[str, str]], float]:
        """Every series of that name in the plain format, by its labels."""
        text = self.exporter.exposition().body.decode()
        return {
            frozenset(sample.labels.items()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name
        }

    def value(self, name: str, **labels: str) -> float | None:
        """One series, None where it is not exposed."""
        return self.read(name).get(frozenset(labels.items()))


MakeBench = Callable[..., Bench]


@pytest.fixture
def bench() -> MakeBench:
    """An exporter with these objectives."""

    def make(*objectives: Objective, max_pipelines: int = 50) -> Bench:
        registry = build((5,))
        exporter = Exporter(registry, objectives, 900.0, max_pipelines, "1.2.3")
        return Bench(registry, exporter)

    return make


@pytest.fixture
def fresh() -> Callable[..., Fresh]:
    """A commit's first values; what is not given is empty."""

    def make(pipeline: str = "demo", age_s: float = 8.0, **facts: object) -> Fresh:
        plain: Mapping[str, object] = {
            "key": RequestKey(TRACE, "b7ad6b7169203331"),
            "pipeline": pipeline,
            "pipeline_version": None,
            "event_ns": END_NS,
            "committed_ns": END_NS + round(age_s * 1e9),
            "weight": None,
            "first": True,
        }
        return Fresh(**{**plain, **facts})  # type: ignore[arg-type]

    return make


@pytest.fixture
def promise() -> Callable[..., Objective]:
    """An objective on the grounding of the demo pipeline, but for what is given."""

    def make(**given: object) -> Objective:
        plain: Mapping[str, object] = {
            "name": "grounded",
            "pipeline": "demo",
            "metric": "generation.context_grounding",
            "k": None,
            "at_least": 0.7,
            "at_most": None,
            "share": 0.9,
            "window": "30d",
        }
        return Objective(**{**plain, **given})  # type: ignore[arg-type]

    return make
