"""The shape of a report as a dict and as JSON; a change of it is a new version."""

from typing import Final

from typing_extensions import TypedDict

VERSION: Final = 1
"""Grows when a field is renamed or changes its meaning; new fields do not count."""


class SpecFields(TypedDict):
    """What was declared about a metric when the report was made."""

    name: str
    k: int | None
    summary: str
    unit: str
    better: str
    needs: str
    scope: str
    inputs: list[str]
    formula_version: int


class MetricFields(SpecFields):
    """One metric of a stage; `value`, `p50` and `p95` are null where there is none."""

    value: float | None
    count: int
    possible: int
    p50: float | None
    p95: float | None
    reasons: dict[str, int]


class RowFields(TypedDict):
    """One row: a value per label of `row_metrics`, null with its reason where there is none."""

    name: str
    values: dict[str, float | None]
    not_measured: dict[str, str]


class StageFields(TypedDict):
    """One stage; `row_metrics` holds labels, `name` or `name@k`, of its metrics."""

    stage: str
    metrics: list[MetricFields]
    row_metrics: list[str]
    rows: list[RowFields]
    notes: dict[str, int]


class ReportFields(TypedDict):
    """A whole report; `ragmon_report` is the version of this shape."""

    ragmon_report: int
    title: str
    stages: list[StageFields]
