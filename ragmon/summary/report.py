"""Reports: what a set of records says about each stage, for files and live windows alike."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nlargest, nsmallest
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import Better, MetricSpec, Scope, Unit
from ragmon.model.measurement import Measured
from ragmon.model.record import Stage

if TYPE_CHECKING:
    from rich.table import Table

    from ragmon.summary.compare import Comparison
    from ragmon.summary.scorecard import Scorecard
    from ragmon.summary.views.shape import ReportFields

NO_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType({})
"""Weights of a scorecard in which every stage and every metric weighs 1."""

__all__ = ["NO_WEIGHTS", "MetricSummary", "Report", "Row", "StageReport"]


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

    @property
    def label(self) -> str:
        """The name within its stage, with its cut-off: `ndcg_at_k@5`."""
        return self.spec.name if self.k is None else f"{self.spec.name}@{self.k}"

    @property
    def ideal(self) -> float | None:
        """The best value there is; None where any value can be bettered or none is better."""
        if self.spec.better is Better.LOWER:
            return 0.0
        bounded = self.spec.unit in (Unit.RATIO, Unit.BINARY)
        return 1.0 if bounded and self.spec.better is Better.HIGHER else None


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

    def values(self, metric: MetricSummary) -> Iterator[tuple[str, float]]:
        """The name and value of each row that has one; an aggregate's are what it was made of."""
        at = self._place(metric)
        if at is None:
            return
        for row in self.rows:
            value = row.values[at]
            if isinstance(value, float):
                yield row.name, value

    def extreme(
        self, metric: MetricSummary, count: int = 5, *, lowest: bool
    ) -> list[tuple[str, float]]:
        """The rows with the lowest or the highest values, those first; ties in row order."""
        pick = nsmallest if lowest else nlargest
        return pick(count, self.values(metric), key=itemgetter(1))

    def worst(self, metric: MetricSummary, count: int = 5) -> list[tuple[str, float]]:
        """The rows with the worst values, those first; none that is ideal, or of no direction."""
        if metric.spec.better is Better.NONE:
            return []
        found = self.extreme(metric, count, lowest=metric.spec.better is Better.HIGHER)
        return [(name, value) for name, value in found if value != metric.ideal]

    def _place(self, metric: MetricSummary) -> int | None:
        spec = metric.spec
        name = spec.inputs[0] if spec.scope is Scope.WINDOW and spec.inputs else spec.name
        for at, one in enumerate(self.row_metrics):
            if one.spec.name == name and one.k == metric.k:
                return at
        return None


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

    @staticmethod
    def from_dict(content: Mapping[str, Any], registry: Registry | None = None) -> "Report":
        """The report that `to_dict` told of; metrics of one's own are found in `registry`.

        Raises:
            ValueError: it is no report, or one of a later ragmon; the message says where.
        """
        from ragmon.summary.views.from_dict import from_dict  # noqa: PLC0415 (views read reports)

        return from_dict(content, registry)

    def scorecard(self, weights: Mapping[str, float] = NO_WEIGHTS) -> "Scorecard":
        """The scores of the stages and over all, by weights of stages or of metrics.

        Raises:
            ValueError: a weight is for nothing that is scored, or is no weight.
        """
        from ragmon.summary.scorecard import scorecard  # noqa: PLC0415 (it reads reports)

        return scorecard(self, weights)

    def compare(self, other: "Report") -> "Comparison":
        """This report beside an earlier one: values, differences, intervals, verdicts.

        other: the report before; a greater value here is a difference above 0.
        """
        from ragmon.summary.compare import compare  # noqa: PLC0415 (it reads reports)

        return compare(other, self)

    def to_dict(
        self,
        weights: Mapping[str, float] = NO_WEIGHTS,
        comparison: "Comparison | None" = None,
    ) -> "ReportFields":
        """All of it, rows included, as plain values; what was not measured is None."""
        from ragmon.summary.views.as_dict import to_dict  # noqa: PLC0415 (views read reports)

        return to_dict(self, weights, comparison)

    def to_json(
        self,
        weights: Mapping[str, float] = NO_WEIGHTS,
        comparison: "Comparison | None" = None,
    ) -> str:
        """The dict as JSON; a later run reads it back by `from_dict`, to compare."""
        from ragmon.summary.views.as_dict import to_json  # noqa: PLC0415 (views read reports)

        return to_json(self, weights, comparison)

    def to_markdown(
        self,
        weights: Mapping[str, float] = NO_WEIGHTS,
        comparison: "Comparison | None" = None,
    ) -> str:
        """The report as GitHub-flavoured Markdown."""
        from ragmon.summary.views.markdown import to_markdown  # noqa: PLC0415 (views read reports)

        return to_markdown(self, weights, comparison)

    def to_html(
        self,
        weights: Mapping[str, float] = NO_WEIGHTS,
        comparison: "Comparison | None" = None,
    ) -> str:
        """The report as one self-contained HTML page."""
        from ragmon.summary.views.html import to_html  # noqa: PLC0415 (views read reports)

        return to_html(self, weights, comparison)

    def to_table(self) -> "Table":
        """The report as a rich table for the terminal."""
        from ragmon.summary.views.terminal import to_table  # noqa: PLC0415 (views read reports)

        return to_table(self)
