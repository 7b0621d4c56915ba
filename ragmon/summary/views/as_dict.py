"""A report as a dict of plain values, and as JSON."""

import json
from collections.abc import Mapping

from ragmon.model.measurement import Measured, NotMeasured
from ragmon.summary.compare import Comparison
from ragmon.summary.report import NO_WEIGHTS, MetricSummary, Report, Row, StageReport
from ragmon.summary.scorecard import scorecard
from ragmon.summary.views.judged import comparison_fields, scorecard_fields
from ragmon.summary.views.shape import (
    VERSION,
    MetricFields,
    ReportFields,
    RowFields,
    StageFields,
)
from ragmon.summary.views.words import finite


def to_dict(
    report: Report,
    weights: Mapping[str, float] = NO_WEIGHTS,
    comparison: Comparison | None = None,
) -> ReportFields:
    """The whole report, rows included, in a fixed order; what was not measured is None.

    weights: of the scorecard, as `scorecard` reads them. comparison: with another report.
    """
    fields: ReportFields = {
        "ragmon_report": VERSION,
        "title": report.title,
        "scorecard": scorecard_fields(scorecard(report, weights)),
        "stages": [_stage(stage) for stage in report.stages],
    }
    if comparison is not None:
        fields["comparison"] = comparison_fields(comparison)
    return fields


def to_json(
    report: Report,
    weights: Mapping[str, float] = NO_WEIGHTS,
    comparison: Comparison | None = None,
) -> str:
    """The dict as indented ASCII JSON, so that any text survives any encoding; no NaN."""
    fields = to_dict(report, weights, comparison)
    return json.dumps(fields, indent=1, allow_nan=False) + "\n"


def _stage(stage: StageReport) -> StageFields:
    labels = [metric.label for metric in stage.row_metrics]
    return {
        "stage": stage.stage.value,
        "metrics": [_metric(metric) for metric in stage.metrics],
        "row_metrics": labels,
        "rows": [_row(row, labels) for row in stage.rows],
        "notes": dict(stage.notes),
    }


def _metric(metric: MetricSummary) -> MetricFields:
    spec = metric.spec
    return {
        "name": spec.name,
        "k": metric.k,
        "summary": spec.summary,
        "unit": spec.unit.value,
        "better": spec.better.value,
        "needs": spec.needs.value,
        "scope": spec.scope.value,
        "inputs": list(spec.inputs),
        "formula_version": spec.version,
        "value": finite(metric.value),
        "count": metric.count,
        "possible": metric.possible,
        "p50": finite(metric.p50),
        "p95": finite(metric.p95),
        "reasons": dict(metric.reasons),
    }


def _row(row: Row, labels: list[str]) -> RowFields:
    measured = dict(zip(labels, row.values, strict=True))
    return {
        "name": row.name,
        "values": {label: _value(value) for label, value in measured.items()},
        "not_measured": {
            label: value.reason
            for label, value in measured.items()
            if isinstance(value, NotMeasured)
        },
    }


def _value(value: Measured) -> float | None:
    return None if isinstance(value, NotMeasured) else finite(value)
