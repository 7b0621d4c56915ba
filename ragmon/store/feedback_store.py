"""Feedback in the store's file."""

from collections.abc import Mapping, Sequence

from ragmon.model.assessment import Feedback, FeedbackCount, FeedbackGroup
from ragmon.model.flow import LabelReceipt
from ragmon.store import feedback as table
from ragmon.store.database import Database


class SqliteFeedback:
    """A `FeedbackStore` beside the facts and results. Any thread may call it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, feedback: Sequence[Feedback], now_ns: int) -> LabelReceipt:
        """Keep feedback, the newest version of each voice; what became of it, and what waits."""
        with self._database.write() as connection:
            return table.put(connection, feedback, now_ns)

    def count_new(self, behind: int, limit: int) -> tuple[Mapping[FeedbackGroup, int], int]:
        """Feedback whose request has come, counted once, of the next `limit` behind an id."""
        with self._database.write() as connection:
            return table.count_new(connection, behind, limit)

    def unmatched(self) -> int:
        """How much feedback waits for its request."""
        with self._database.read() as connection:
            return table.unmatched(connection)

    def within(
        self, start_ns: int, end_ns: int, pipeline: str | None = None
    ) -> tuple[FeedbackCount, ...]:
        """Feedback on requests with start_ns <= event_ns < end_ns."""
        with self._database.read() as connection:
            return table.within(connection, start_ns, end_ns, pipeline)

    def remove(self, before_ns: int) -> int:
        """Delete feedback that came, or was replaced, before a time; returns how much."""
        with self._database.write() as connection:
            return table.remove(connection, before_ns)
