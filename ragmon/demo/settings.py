"""What can be chosen about a run of the demo."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from ragmon.demo.faults import SLOW_S, Fault
from ragmon.demo.timeline import Labelling, Schedule

PIPELINE = "python-reference"


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """One run of the demo.

    endpoint: the processor's OTLP/HTTP address, which also takes labels.
    views: where its /metrics is. rate: requests a second.
    count, seconds: when to stop; both None is until interrupted.
    seed: decides order, waiting times and which requests are labelled.
    fault: what is wrong with the app. slow_s: how much slower under slow-generation.
    standing_labels: share of the questions with a label of their own.
    labels_at_once, late_labels: shares of the other requests that are labelled at once,
    and after label_delay_s.
    llm_endpoint, llm_model: an OpenAI-compatible endpoint (with its /v1) and its model;
    both or none. llm_api_key: its key.
    startup_s: how long to wait for the processor.
    """

    endpoint: str = "http://127.0.0.1:4318"
    views: str = "http://127.0.0.1:9464"
    rate: float = 2.0
    count: int | None = None
    seconds: float | None = None
    seed: int = 0
    fault: Fault = Fault.NONE
    slow_s: float = SLOW_S
    standing_labels: float = 0.2
    labels_at_once: float = 0.4
    late_labels: float = 0.4
    label_delay_s: float = 45.0
    llm_endpoint: str | None = None
    llm_model: str | None = None
    llm_api_key: str | None = None
    startup_s: float = 20.0

    @property
    def schedule(self) -> Schedule:
        """When to send what."""
        labelling = Labelling(
            self.standing_labels, self.labels_at_once, self.late_labels, self.label_delay_s
        )
        return Schedule(self.rate, self.count, self.seconds, self.seed, labelling)

    def problems(self) -> tuple[str, ...]:
        """What cannot be done, one sentence each; empty if all can."""
        checks = {
            "rate must be above 0": self.rate > 0,
            "count must be at least 1": self.count is None or self.count >= 1,
            "seconds must be above 0": self.seconds is None or self.seconds > 0,
            "label_delay_s and slow_s must not be negative": min(self.label_delay_s, self.slow_s)
            >= 0,
            "standing_labels must be between 0 and 1": 0 <= self.standing_labels <= 1,
            "labels_at_once and late_labels must be at least 0 and together at most 1": (
                min(self.labels_at_once, self.late_labels) >= 0
                and self.labels_at_once + self.late_labels <= 1
            ),
            "endpoint and views must be URLs with a port, such as http://127.0.0.1:4318": (
                _has_port(self.endpoint) and _has_port(self.views)
            ),
            "llm_endpoint and llm_model go together; give both or none": (
                (self.llm_endpoint is None) == (self.llm_model is None)
            ),
        }
        return tuple(problem for problem, holds in checks.items() if not holds)


def _has_port(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname and parts.port)
    except ValueError:
        return False
