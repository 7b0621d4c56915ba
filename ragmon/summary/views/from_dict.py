"""Reading a report back from the dict or JSON that an earlier run wrote."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragmon.metrics.registry import Registry, build
from ragmon.metrics.spec import Better, MetricSpec, Needs, Scope, Unit
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import Stage
from ragmon.summary.report import MetricSummary, Report, Row, StageReport
from ragmon.summary.views.shape import (
    VERSION,
    MetricFields,
    ReportFields,
    RowFields,
    StageFields,
)

_SHAPE = TypeAdapter(ReportFields)


def from_dict(content: Mapping[str, Any], registry: Registry | None = None) -> Report:
    """The report that `to_dict` told of.

    registry: where its metrics are looked up, ragmon's own without one; a metric that is not
    there in that version of its formula is known by what the report says of it.

    Raises:
        ValueError: it is no report, naming the first field at fault, or one of a later ragmon.
    """
    version = content.get("ragmon_report")
    if version != VERSION:
        raise ValueError(f"ragmon_report is {version!r}, and only version {VERSION} is read")
    try:
        fields = _SHAPE.validate_python(content)
    except ValidationError as error:
        raise ValueError(_fault(error)) from None
    known = registry or build()
    return Report(fields["title"], tuple(_stage(stage, known) for stage in fields["stages"]))


def _fault(error: ValidationError) -> str:
    """The first fault: where it stands and what is wrong, without the value."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _stage(fields: StageFields, registry: Registry) -> StageReport:
    stage = Stage(fields["stage"])
    metrics = tuple(_metric(metric, stage, registry) for metric in fields["metrics"])
    by_label = {metric.label: metric for metric in metrics}
    unknown = [label for label in fields["row_metrics"] if label not in by_label]
    if unknown:
        raise ValueError(f"row_metrics of {stage} names {unknown[0]!r}, which metrics lacks")
    return StageReport(
        stage=stage,
        metrics=metrics,
        row_metrics=tuple(by_label[label] for label in fields["row_metrics"]),
        rows=tuple(_row(row, fields["row_metrics"]) for row in fields["rows"]),
        notes=fields["notes"],
    )


def _metric(fields: MetricFields, stage: Stage, registry: Registry) -> MetricSummary:
    spec = registry.find(f"{stage}.{fields['name']}")
    if spec is None or spec.version != fields["formula_version"]:
        spec = _as_told(fields, stage)
    return MetricSummary(
        spec=spec,
        k=fields["k"],
        value=fields["value"],
        count=fields["count"],
        possible=fields["possible"],
        p50=fields["p50"],
        p95=fields["p95"],
        reasons=fields["reasons"],
    )


def _as_told(fields: MetricFields, stage: Stage) -> MetricSpec:
    """A metric as the report declares it; it can be shown and compared, not computed."""
    return MetricSpec(
        stage=stage,
        name=fields["name"],
        unit=Unit(fields["unit"]),
        better=Better(fields["better"]),
        needs=Needs(fields["needs"]),
        inputs=tuple(fields["inputs"]),
        takes_k=fields["k"] is not None,
        version=fields["formula_version"],
        source="",
        summary=fields["summary"],
        doc=fields["summary"],
        function=_not_at_hand,
        buckets=(),
        scope=Scope(fields["scope"]),
    )


def _not_at_hand(*_: object, **__: object) -> float | None:
    raise LookupError("a metric that was read from a report cannot be computed")


def _row(fields: RowFields, labels: list[str]) -> Row:
    return Row(fields["name"], tuple(_measured(fields, label) for label in labels))


def _measured(fields: RowFields, label: str) -> Measured:
    value = fields["values"].get(label)
    if value is not None:
        return value
    reason = fields["not_measured"].get(label)
    return NotMeasured(Kind.NOT_KEPT) if reason is None else NotMeasured.parse(reason)
