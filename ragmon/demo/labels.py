"""Gold labels of the demo's questions, as the processor's `/v1/labels` takes them."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from ragmon.demo.gold import Gold

ANNOTATOR = "demo"
_ATTEMPTS = 3
_BETWEEN_ATTEMPTS_S = 1.0
_TIMEOUT_S = 10.0

Label = Mapping[str, Any]


def request_label(gold: Gold, request_id: str, pipeline: str) -> Label:
    """The label of one request, under the app's own id of it."""
    return {"request_id": request_id, "pipeline": pipeline, **_gold_fields(gold)}


def query_label(gold: Gold, pipeline: str) -> Label:
    """A standing label: it applies to every request with the question's words."""
    return {"query": gold.question.text, "pipeline": pipeline, **_gold_fields(gold)}


def _gold_fields(gold: Gold) -> Label:
    fields: dict[str, Any] = {"annotator": ANNOTATOR, "revision": 0}
    fields["answerable"] = gold.question.answerable
    if gold.question.answers:
        fields["reference_answers"] = list(gold.question.answers)
    if gold.relevant_ids and not gold.not_found:
        fields["relevant_ids"] = list(gold.relevant_ids)
        fields["expected_evidence"] = [
            {"document": topic, "text": text} for topic, text in gold.evidence
        ]
    return fields


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """What became of the labels so far."""

    accepted: int = 0
    refused: int = 0
    undelivered: int = 0


class LabelPoster:
    """Posts labels one by one; may be called from several threads at once."""

    def __init__(self, client: httpx.Client, sleep: Callable[[float], None]) -> None:
        self._client = client
        self._sleep = sleep
        self._lock = threading.Lock()
        self._counts = {"accepted": 0, "refused": 0, "undelivered": 0}

    @classmethod
    def to(cls, endpoint: str, sleep: Callable[[float], None]) -> "LabelPoster":
        """A poster to the processor's OTLP/HTTP address."""
        return cls(httpx.Client(base_url=endpoint, timeout=_TIMEOUT_S), sleep)

    @property
    def counts(self) -> LabelCounts:
        """What became of the labels so far."""
        with self._lock:
            return LabelCounts(**self._counts)

    def post(self, label: Label) -> None:
        """Post one label; busy or absent processors are tried again, then it is given up."""
        outcome = "undelivered"
        for attempt in range(_ATTEMPTS):
            outcome = self._try(label)
            if outcome != "undelivered":
                break
            if attempt + 1 < _ATTEMPTS:
                self._sleep(_BETWEEN_ATTEMPTS_S)
        with self._lock:
            self._counts[outcome] += 1

    def _try(self, label: Label) -> str:
        try:
            reply = self._client.post("/v1/labels", json=label)
        except httpx.TransportError:
            return "undelivered"
        if reply.is_success:
            return "accepted"
        return "undelivered" if reply.status_code in {429, 503} else "refused"
