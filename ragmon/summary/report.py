"""Reports: what a set of records says about each stage, for files and live windows alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragmon.metrics.spec import MetricSpec
from ragmon.model.measurement import Measured
from ragmon.model.record import Stage

__all__ = ["MetricSummary", "Report", "Row", "StageReport"]


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over all records of a report.

    k: the cut-off, None where it has none. value: the mean over the records that have one, or
    what an aggregate made of them; None where nothing was measured. count: records with a
    value. possible: records that could have had one (all but the undefined ones). p50, p95:
    quantiles of the values by linear interpolation, None where there are no values per
    record. reasons: why others have none, such as `missing:gold_ids`, with their number.
    """

    spec: MetricSpec
    k: int | None
    value: float | None
    count: int
    possible: int
    p50: float | None = None
    p95: float | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """`stage.name`; K is never part of it."""
        return self.spec.key


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a stage: a query or a document by its name, its values in metric order.

    values are those of the stage's metrics that have a value per record (no aggregates).
    """

    name: str
    values: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class StageReport:
    """One stage: its metrics in declared order, its records, and what was found wrong.

    row_metrics: the metrics of each row's values, a part of `metrics`, in order. notes:
    counts of what was left out or doubtful, such as `gold_not_found`, `unlocated`,
    `ambiguous`, `offset_mismatch`, `invalid_vectors`, `negative_durations`.
    """

    stage: Stage
    metrics: tuple[MetricSummary, ...]
    row_metrics: tuple[MetricSummary, ...] = ()
    rows: tuple[Row, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """Stage reports in the order of the stages, at most one a stage. title: what was read."""

    title: str
    stages: tuple[StageReport, ...]

    def metric(self, key: str, k: int | None = None) -> MetricSummary | None:
        """The summary of `stage.name` at a cut-off (None: the only or smallest one)."""
        found = [
            one
            for stage in self.stages
            for one in stage.metrics
            if one.key == key and k in (None, one.k)
        ]
        return min(found, key=lambda one: one.k or 0, default=None)
