"""Feedback into the store and out as counts; it never becomes gold, nor enters a score."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any

from ragmon.app.labels import Posted
from ragmon.export.exporter import Exporter
from ragmon.labels import LabelError
from ragmon.labels.feedback import parse_feedback
from ragmon.model.assessment import Feedback, FeedbackCount
from ragmon.model.flow import LabelOutcome
from ragmon.store.protocol import FeedbackStore

_AT_ONCE = 2_000


class FeedbackDesk:
    """Takes feedback. Any thread may call it, but `count_new` one at a time."""

    def __init__(self, store: FeedbackStore, exporter: Exporter) -> None:
        self._store = store
        self._exporter = exporter
        self._outcomes: Counter[LabelOutcome] = Counter(dict.fromkeys(LabelOutcome, 0))
        self._counting = Lock()
        self._looked_at = 0

    @property
    def outcomes(self) -> Mapping[str, int]:
        """What became of feedback since the start."""
        with self._counting:
            return {str(outcome): count for outcome, count in self._outcomes.items()}

    def post(self, posted: Iterable[object], received_ns: int) -> Posted:
        """Keep all usable feedback of a post; the rest are faults with their position.

        Raises:
            StoreUnavailableError: nothing was kept; post it again.
        """
        feedback: list[Feedback] = []
        faults: list[str] = []
        refused = 0
        for position, one in enumerate(posted):
            try:
                feedback.append(parse_feedback(one, received_ns))
            except LabelError as error:
                faults.extend(f"feedback {position}: {fault}" for fault in error.faults)
                refused += 1
        outcomes, waiting = self.keep(feedback, received_ns)
        self._count(LabelOutcome.REJECTED, refused)
        kept = {str(outcome): count for outcome, count in outcomes.items()}
        return Posted(kept, waiting, refused, tuple(faults))

    def keep(
        self, feedback: Sequence[Feedback], now_ns: int
    ) -> tuple[Mapping[LabelOutcome, int], int]:
        """Keep all of it or none, and count what became of it: (outcomes, unmatched).

        Raises:
            StoreUnavailableError: nothing was kept.
        """
        receipt = self._store.put(feedback, now_ns)
        outcomes = Counter(receipt.outcomes)
        for outcome, count in outcomes.items():
            self._count(outcome, count)
        return outcomes, receipt.unmatched

    def count_new(self) -> None:
        """Count feedback whose request has come since, some of what waits at a time.

        Raises:
            StoreUnavailableError: the store cannot commit now.
        """
        counts, self._looked_at = self._store.count_new(self._looked_at, _AT_ONCE)
        self._exporter.feedback(counts)
        self._exporter.set_feedback_unmatched(self._store.unmatched())

    def status(self) -> dict[str, Any]:
        """What became of feedback since the start, and how much waits for its request."""
        return {"since_start": dict(self.outcomes), "unmatched": self._store.unmatched()}

    def _count(self, outcome: LabelOutcome, feedback: int) -> None:
        self._exporter.feedback_received(outcome, feedback)
        with self._counting:
            self._outcomes[outcome] += feedback


def told(count: FeedbackCount) -> dict[str, Any]:
    """One count as a summary tells it."""
    return {
        "name": count.name,
        "source": str(count.source),
        "thumbs_up": count.thumbs_up,
        "thumbs_down": count.thumbs_down,
        "ratings": count.ratings,
        "rating_mean": count.rating_mean,
        "verdicts": count.verdicts,
    }
