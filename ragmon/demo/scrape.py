"""Reads the processor's `/metrics` for the live view."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

WINDOW = "1h"
GROUNDING = ("generation", "context_grounding")
RECALL = ("retrieval", "recall_at_k")
LATENCY = ("end_to_end", "latency_ms")

Metric = tuple[str, str]
_K = TypeVar("_K")


@dataclass(slots=True)
class Snapshot:
    """The numbers of one pipeline in one scrape; None, or an absent key, is not measured yet.

    outcomes: requests by outcome. buckets: request durations, upper bound in seconds -> how
    many were no longer. sums and counts: scores by (stage, metric), over all k. measured and
    possible: evaluations that had a value, and those that could have had one, by needs
    (`label_free`, `gold`). needs: of each metric.
    The rest is of the last hour, in event time: means, counts and shares measured by (stage,
    metric), latency in seconds by statistic (`p50`, `p95`).
    """

    outcomes: dict[str, float] = field(default_factory=dict)
    buckets: dict[float, float] = field(default_factory=dict)
    sums: dict[Metric, float] = field(default_factory=dict)
    counts: dict[Metric, float] = field(default_factory=dict)
    measured: dict[str, float] = field(default_factory=dict)
    possible: dict[str, float] = field(default_factory=dict)
    needs: Mapping[Metric, str] = field(default_factory=dict)
    window_mean: dict[Metric, float] = field(default_factory=dict)
    window_count: dict[Metric, float] = field(default_factory=dict)
    window_coverage: dict[Metric, float] = field(default_factory=dict)
    window_latency_s: dict[str, float] = field(default_factory=dict)

    @property
    def requests(self) -> float:
        """Requests that the processor has settled."""
        return sum(self.outcomes.values())


def read_snapshot(exposition: str, pipeline: str) -> Snapshot:
    """Read a text exposition; series of other pipelines are passed over.

    Raises:
        ValueError: The text is no Prometheus exposition.
    """
    samples = list(_samples(exposition))
    needs = {
        (s.labels["stage"], s.labels["metric"]): s.labels["needs"]
        for s in samples
        if s.name == "ragmon_metric_info"
    }
    snapshot = Snapshot(needs=needs)
    for sample in samples:
        if sample.labels.get("pipeline") == pipeline:
            _take(snapshot, sample)
    return snapshot


def _samples(exposition: str) -> Iterator[Sample]:
    for family in text_string_to_metric_families(exposition):
        yield from family.samples


def _take(snapshot: Snapshot, sample: Sample) -> None:
    labels, value = sample.labels, sample.value
    metric = (labels.get("stage", ""), labels.get("metric", ""))
    match sample.name:
        case "ragmon_requests_total":
            _add(snapshot.outcomes, labels["outcome"], value)
        case "ragmon_request_duration_seconds_bucket":
            _add(snapshot.buckets, float(labels["le"]), value)
        case "ragmon_score_sum":
            _add(snapshot.sums, metric, value)
        case "ragmon_score_count":
            _add(snapshot.counts, metric, value)
        case "ragmon_evaluations_total":
            _count_evaluation(snapshot, labels["result"], snapshot.needs.get(metric, ""), value)
        case "ragmon_window_mean" if labels["window"] == WINDOW:
            snapshot.window_mean[metric] = value
        case "ragmon_window_count" if labels["window"] == WINDOW:
            snapshot.window_count[metric] = value
        case "ragmon_window_coverage_ratio" if labels["window"] == WINDOW:
            snapshot.window_coverage[metric] = value
        case "ragmon_window_latency_seconds" if _is_request_latency(labels):
            snapshot.window_latency_s[labels["statistic"]] = value


def _is_request_latency(labels: Mapping[str, str]) -> bool:
    return labels["stage"] == "end_to_end" and labels["window"] == WINDOW


def _count_evaluation(snapshot: Snapshot, result: str, needs: str, value: float) -> None:
    if result in {"measured", "measured_late"}:
        _add(snapshot.measured, needs, value)
    if result in {"measured", "missing", "failed"}:
        _add(snapshot.possible, needs, value)


def _add(totals: dict[_K, float], key: _K, value: float) -> None:
    totals[key] = totals.get(key, 0.0) + value
