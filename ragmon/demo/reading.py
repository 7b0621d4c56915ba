"""Two scrapes to the numbers of the live view."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragmon.demo.scrape import GROUNDING, LATENCY, RECALL, Metric, Snapshot


@dataclass(frozen=True, slots=True)
class Reading:
    """What a span of time looked like; None is not measured.

    latency in seconds; grounding, recall and the shares of what was measured in [0, 1]:
    `measured` over the label-free metrics, `labelled` over those that need gold.
    """

    requests: float | None
    p50_s: float | None
    p95_s: float | None
    grounding: float | None
    recall: float | None
    measured: float | None
    labelled: float | None


def between(earlier: Snapshot, later: Snapshot) -> Reading:
    """What was settled between two scrapes of one processor's life."""
    gained = _gain(earlier.buckets, later.buckets)
    return Reading(
        requests=later.requests - earlier.requests,
        p50_s=_quantile(0.5, gained),
        p95_s=_quantile(0.95, gained),
        grounding=_mean(GROUNDING, earlier, later),
        recall=_mean(RECALL, earlier, later),
        measured=_share("label_free", earlier, later),
        labelled=_share("gold", earlier, later),
    )


def last_hour(snapshot: Snapshot) -> Reading:
    """What the processor's store says of the last hour, in event time."""
    return Reading(
        requests=snapshot.window_count.get(LATENCY),
        p50_s=snapshot.window_latency_s.get("p50"),
        p95_s=snapshot.window_latency_s.get("p95"),
        grounding=snapshot.window_mean.get(GROUNDING),
        recall=snapshot.window_mean.get(RECALL),
        measured=_coverage("label_free", snapshot),
        labelled=_coverage("gold", snapshot),
    )


def _gain(earlier: Mapping[float, float], later: Mapping[float, float]) -> dict[float, float]:
    return {bound: count - earlier.get(bound, 0.0) for bound, count in sorted(later.items())}


def _quantile(share: float, cumulative: Mapping[float, float]) -> float | None:
    """Linear within a bucket, as Prometheus does it; the last finite bound at most."""
    total = max(cumulative.values(), default=0.0)
    if total <= 0:
        return None
    wanted, low, below = share * total, 0.0, 0.0
    for bound, count in cumulative.items():
        if count >= wanted and bound < float("inf"):
            return low + (bound - low) * (wanted - below) / (count - below)
        if bound < float("inf"):
            low, below = bound, count
    return low


def _mean(metric: Metric, earlier: Snapshot, later: Snapshot) -> float | None:
    count = later.counts.get(metric, 0.0) - earlier.counts.get(metric, 0.0)
    total = later.sums.get(metric, 0.0) - earlier.sums.get(metric, 0.0)
    return total / count if count > 0 else None


def _share(needs: str, earlier: Snapshot, later: Snapshot) -> float | None:
    possible = later.possible.get(needs, 0.0) - earlier.possible.get(needs, 0.0)
    measured = later.measured.get(needs, 0.0) - earlier.measured.get(needs, 0.0)
    return measured / possible if possible > 0 else None


def _coverage(needs: str, snapshot: Snapshot) -> float | None:
    shares = [
        share
        for metric, share in snapshot.window_coverage.items()
        if snapshot.needs.get(metric) == needs
    ]
    return sum(shares) / len(shares) if shares else None
