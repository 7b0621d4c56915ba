"""From accumulators to what prometheus_client encodes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Exemplar as ClientExemplar
from prometheus_client.samples import Sample
from prometheus_client.utils import floatToGoString

from ragmon.export.families import AnyTable
from ragmon.export.tables import Exemplar, Histogram, Table
from ragmon.telemetry import Family, FamilyType

__all__ = ["Collector", "GuardedCollector", "TableCollector"]

_SUFFIX = {FamilyType.COUNTER: "_total", FamilyType.INFO: "_info"}
_EXEMPLAR_CHARACTERS = 128


class Collector(Protocol):
    """What the exposition asks for families."""

    def describe(self) -> Iterable[Metric]:
        """Families without samples, so that a name taken twice is found at the start."""

    def collect(self) -> Iterable[Metric]:
        """Families with their samples."""


class GuardedCollector:
    """Keeps a collector that raises from taking the whole exposition with it."""

    def __init__(self, inner: Collector, fault: Callable[[], None]) -> None:
        self._inner = inner
        self._fault = fault

    def describe(self) -> Iterable[Metric]:
        """What the inner one describes."""
        return self._inner.describe()

    def collect(self) -> Iterable[Metric]:
        """What the inner one collects, or nothing where it raises."""
        try:
            return list(self._inner.collect())
        except Exception:  # noqa: BLE001  any fault costs its own families only
            self._fault()
            return []


class TableCollector:
    """One family, read under the lock and written out beyond it."""

    def __init__(self, table: AnyTable, lock: AbstractContextManager[object]) -> None:
        self._table = table
        self._lock = lock

    def describe(self) -> Iterable[Metric]:
        """The family without samples."""
        return [_metric(self._table.family)]

    def collect(self) -> Iterable[Metric]:
        """The family, where it has any series."""
        metric = _metric(self._table.family)
        metric.samples = self._samples()
        return [metric] if metric.samples else []

    def _samples(self) -> list[Sample]:
        name = self._table.family.name
        if isinstance(self._table, Table):
            with self._lock:
                numbers = self._table.snapshot()
            return [Sample(name, labels, value) for labels, value in numbers]
        with self._lock:
            histograms = self._table.snapshot()
        exemplars = self._table.family.exemplars
        return [sample for one in histograms for sample in _buckets(name, one, exemplars=exemplars)]


def _metric(family: Family) -> Metric:
    name = family.name.removesuffix(_SUFFIX.get(family.type, ""))
    return Metric(name, family.help, family.type)


def _buckets(name: str, histogram: Histogram, *, exemplars: bool) -> Iterator[Sample]:
    count = 0
    bounds = (*map(floatToGoString, histogram.bounds), "+Inf")
    for bound, own, exemplar in zip(bounds, histogram.counts, histogram.exemplars, strict=True):
        count += own
        labels = {**histogram.labels, "le": bound}
        shown = _exemplar(exemplar) if exemplars and exemplar else None
        yield Sample(f"{name}_bucket", labels, count, exemplar=shown)
    yield Sample(f"{name}_count", histogram.labels, count)
    yield Sample(f"{name}_sum", histogram.labels, histogram.total)


def _exemplar(exemplar: Exemplar) -> ClientExemplar | None:
    """At the time it was counted, since Prometheus takes exemplars of a series in order only."""
    value, trace_id, time_ns = exemplar
    if len("trace_id") + len(trace_id) > _EXEMPLAR_CHARACTERS:
        return None
    return ClientExemplar({"trace_id": trace_id}, value, time_ns / 1e9)
