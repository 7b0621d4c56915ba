"""The exporter: fresh values and summaries in, `/metrics` out."""

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from prometheus_client import CollectorRegistry

from ragmon.errors import ConfigError
from ragmon.export.collector import Collector, GuardedCollector, TableCollector
from ragmon.export.exposition import Exposition, expose
from ragmon.export.families import Tables
from ragmon.export.guard import LabelGuard
from ragmon.export.objectives import aim, objective_faults
from ragmon.export.pipeline import PipelineSeries, Shared
from ragmon.export.processor import ProcessorSeries
from ragmon.export.slo import judges, promised
from ragmon.export.versions import PipelineVersions
from ragmon.export.windows import show_windows
from ragmon.metrics.registry import Registry
from ragmon.model.assessment import FeedbackGroup
from ragmon.model.objective import Objective
from ragmon.model.result import Evaluation, Fresh
from ragmon.summary.window import WindowSummary
from ragmon.telemetry import FAMILIES, OTHER, Room, families_of

__all__ = ["Exporter"]

_MODELS = 50
_ERROR_TYPES = 50
_REASONS = 100


class Exporter(ProcessorSeries):
    """Every family of the catalogue, from first values to the answer to a scrape.

    Any thread may call any method: one lock is held for each change and each family read.
    objectives: their pipelines have series of their own, and counters that start at zero.
    slo_max_age_s: a value stored later than that after the request's end is stale.
    max_pipelines: how many pipelines have series of their own; the rest is `other`.

    Raises:
        ConfigError: objectives that the registry cannot serve; it names every fault.
    """

    def __init__(
        self,
        registry: Registry,
        objectives: Sequence[Objective],
        slo_max_age_s: float,
        max_pipelines: int,
        version: str,
    ) -> None:
        faults = objective_faults(objectives, registry)
        if faults:
            raise ConfigError(faults)
        super().__init__(Tables((*families_of(registry.metrics), *FAMILIES)), Lock())
        self._aimed = aim(objectives, registry)
        self._shared = self._make_shared(registry, slo_max_age_s)
        declared = dict.fromkeys(one.pipeline for one in objectives)
        self._pipelines = self._guard("pipeline", max_pipelines, declared)
        self._versions = PipelineVersions(self._tables.numbers["ragmon_pipeline_info"])
        self._series = {name: self._make_series(name) for name in declared}
        for series in self._series.values():
            series.start(registry.slots)
        self._expose_constants(registry, version)
        self._collectors = CollectorRegistry()
        for table in self._tables.all():
            self.register(TableCollector(table, self._lock))

    def observe(self, fresh: Fresh) -> None:
        """Count what one commit stored first about one request."""
        with self._lock:
            pipeline = self._pipelines.value(fresh.pipeline)
            self._series_of(pipeline).observe(fresh)
            if fresh.pipeline_version and pipeline != OTHER:
                self._versions.seen(pipeline, fresh.pipeline_version, fresh.event_ns)
            failed = sum(result is Evaluation.FAILED for _, result in fresh.evaluations)
            self._tables.numbers["ragmon_processor_errors_total"].cell(Room.MEASURE).value += failed

    def set_windows(self, windows: Mapping[str, Iterable[WindowSummary]]) -> None:
        """Replace every window gauge by these summaries, by the window's name (`1h`)."""
        with self._lock:
            show_windows(self._tables, windows, self._pipelines.own)

    def feedback(self, counts: Mapping[FeedbackGroup, int]) -> None:
        """Count feedback whose request has come."""
        with self._lock:
            table = self._tables.numbers["ragmon_feedback_total"]
            for group, count in counts.items():
                pipeline = self._pipelines.value(group.pipeline)
                table.cell(pipeline, group.source, group.kind).value += count

    def register(self, collector: Collector) -> None:
        """Expose the families of another collector as well.

        Raises:
            ValueError: it describes a name that is taken.
        """
        self._collectors.register(GuardedCollector(collector, self._export_fault))

    def exposition(self, accept: str = "", accept_encoding: str = "") -> Exposition:
        """Answer one scrape, in the format and compression its headers ask for."""
        self._read_gauges()
        return expose(self._collectors, accept, accept_encoding)

    def _series_of(self, pipeline: str) -> PipelineSeries:
        series = self._series.get(pipeline)
        if series is None:
            series = self._series[pipeline] = self._make_series(pipeline)
        return series

    def _make_series(self, pipeline: str) -> PipelineSeries:
        own = [one for one in self._aimed if one.objective.pipeline == pipeline]
        return PipelineSeries(pipeline, self._shared, judges(own, self._tables))

    def _make_shared(self, registry: Registry, slo_max_age_s: float) -> Shared:
        errors = self._tables.numbers["ragmon_processor_errors_total"]

        def refused() -> None:  # under the lock already
            errors.cell(Room.EXPORT).value += 1.0

        return Shared(
            tables=self._tables,
            specs={slot: registry.spec(slot) for slot in registry.slots},
            slo_max_age_ns=round(slo_max_age_s * 1e9),
            models=self._guard("model", _MODELS),
            error_types=self._guard("error_type", _ERROR_TYPES),
            reasons=self._guard("reason", _REASONS),
            refused=refused,
        )

    def _guard(self, label: str, bound: int, declared: Iterable[str] = ()) -> LabelGuard:
        cell = self._tables.numbers["ragmon_processor_label_overflow_total"].cell(label)

        def overflow() -> None:  # under the lock already
            cell.value += 1.0

        return LabelGuard(label, bound, overflow, declared)

    def _expose_constants(self, registry: Registry, version: str) -> None:
        self._tables.numbers["ragmon_build_info"].cell(version).value = 1.0
        metrics = self._tables.numbers["ragmon_metric_info"]
        for spec in registry.metrics:
            labels = (spec.stage, spec.name, spec.better, spec.needs, spec.unit)
            metrics.cell(*labels).value = 1.0
        promised(self._aimed, self._tables)

    def _export_fault(self) -> None:
        self.error(Room.EXPORT)
