"""Reports that an earlier run wrote."""

from typing import Any

import pytest

from ragmon.metrics.registry import build
from ragmon.summary.report import Report
from tests.summary.reports import example


def written() -> dict[str, Any]:
    return dict(example().to_dict())


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("ragmon_report", None, "ragmon_report is None, and only version 1 is read"),
        ("ragmon_report", 2, "ragmon_report is 2"),
        ("title", 5, "title: Input should be a valid string"),
        ("stages", [{}], "stages.0.stage: Field required"),
    ],
)
def test_what_is_no_report_is_refused(field: str, value: object, message: str) -> None:
    """The first field at fault is named."""
    with pytest.raises(ValueError, match=message):
        Report.from_dict({**written(), field: value})


def test_a_row_of_an_unknown_metric_is_refused() -> None:
    """Rows speak of metrics of their stage only."""
    content = written()
    content["stages"][0]["row_metrics"] = ["recall"]
    with pytest.raises(ValueError, match="row_metrics of retrieval names 'recall'"):
        Report.from_dict(content)


def test_a_metric_that_is_gone_is_known_by_what_was_told() -> None:
    """A report outlives its metrics: they are shown, and cannot be computed."""
    content = written()
    told = content["stages"][0]["metrics"][0]
    told["name"], told["formula_version"] = "politeness", 7
    content["stages"][0]["row_metrics"][0] = "politeness@1"
    for row in content["stages"][0]["rows"]:
        row["values"], row["not_measured"] = {}, {}
    report = Report.from_dict(content)
    metric = report.metric("retrieval.politeness")
    assert metric is not None
    assert (0.6125, "higher", 7) == (metric.value, metric.spec.better, metric.spec.version)
    assert report.to_dict()["stages"][0]["metrics"][0] == told
    with pytest.raises(LookupError):
        metric.spec.function()


def test_metrics_are_those_of_the_registry() -> None:
    """A metric that is still declared is the declared one, with its function."""
    registry = build((1, 5))
    metric = Report.from_dict(written(), registry).metric("retrieval.ndcg_at_k", 5)
    assert metric is not None
    assert metric.spec == registry.find("retrieval.ndcg_at_k")
