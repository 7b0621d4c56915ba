"""The shape of a report as a dict and as JSON; a change of it is a new version."""

from typing import Final, NotRequired

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


class ScoredFields(TypedDict):
    """One scored metric; `value` and `score` are null where it was not measured."""

    metric: str
    k: int | None
    value: float | None
    score: float | None
    weight: float


class StageScoreFields(TypedDict):
    """The score of one stage, from `measured` of `possible` metrics."""

    stage: str
    score: float | None
    weight: float
    measured: int
    possible: int
    metrics: list[ScoredFields]


class ScorecardFields(TypedDict):
    """The score over all stages, and those of the stages."""

    score: float | None
    measured: int
    possible: int
    stages: list[StageScoreFields]


class ComparedFields(TypedDict):
    """One metric in two reports; `interval` is null where there were too few pairs."""

    metric: str
    k: int | None
    before: float | None
    after: float | None
    difference: float | None
    pairs: int
    interval: list[float] | None
    verdict: str


class ComparisonFields(TypedDict):
    """Two reports side by side, by their titles."""

    before: str
    after: str
    metrics: list[ComparedFields]


class ReportFields(TypedDict):
    """A whole report; `ragmon_report` is the version of this shape.

    Scorecard and comparison follow from the rest, and are not read back.
    """

    ragmon_report: int
    title: str
    scorecard: NotRequired[ScorecardFields]
    comparison: NotRequired[ComparisonFields]
    stages: list[StageFields]
