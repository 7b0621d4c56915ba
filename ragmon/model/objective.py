"""Objectives: what an operator promised about a metric of a pipeline."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Objective:
    """A bound on one metric, and the share of requests that must keep it.

    metric is `stage.metric`; exactly one of at_least and at_most is given, in the
    metric's own unit. share is in (0, 1), None for a metric that needs gold labels, whose
    mean over `window` is compared with the bound instead of counting requests.
    """

    name: str
    pipeline: str
    metric: str
    k: int | None
    at_least: float | None
    at_most: float | None
    share: float | None
    window: str

    def kept_by(self, value: float) -> bool:
        """Whether one request's value keeps the objective."""
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is None or value <= self.at_most
