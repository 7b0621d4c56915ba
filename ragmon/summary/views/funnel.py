"""The evidence funnel: how many documents of a request are left after each stage."""

from dataclasses import dataclass
from typing import Final

from ragmon.summary.report import Report
from ragmon.summary.views.words import finite

_STEPS: Final = (
    ("retrieved", "retrieval.retrieved_documents"),
    ("reranked", "reranking.reranked_documents"),
    ("packed", "augmentation.packed_documents"),
    ("used", "generation.used_documents"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """Mean distinct documents of a request after one stage; None where not measured.

    count: requests with a value. share: of the funnel's widest step, in [0, 1].
    """

    name: str
    key: str
    documents: float | None
    count: int
    share: float | None


def funnel(report: Report) -> tuple[Step, ...]:
    """Retrieved, reranked, packed, used; empty where none of them was measured."""
    found = [(name, key, report.metric(key)) for name, key in _STEPS]
    means = {key: finite(metric.value) if metric else None for _, key, metric in found}
    known = [mean for mean in means.values() if mean is not None]
    if not known:
        return ()
    widest = max(known)
    return tuple(
        Step(name, key, means[key], metric.count if metric else 0, _share(means[key], widest))
        for name, key, metric in found
    )


def _share(documents: float | None, widest: float) -> float | None:
    if documents is None:
        return None
    return documents / widest if widest else 0.0
