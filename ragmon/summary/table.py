"""Requests as rows of one table, whatever they were measured with."""

from datetime import UTC, datetime
from typing import Final

from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured, Slot
from ragmon.model.record import Stage
from ragmon.model.result import Result
from ragmon.summary.roll_up import LARGEST, known_weight

__all__ = ["FACTS", "REASONS", "RequestTable", "utc"]

FACTS: Final = (
    *("trace_id", "span_id", "pipeline", "pipeline_version"),
    *("time", "outcome", "labelled", "weight"),
)
"""The columns that say which request it is; then come durations, metrics and `reasons`."""
REASONS: Final = "reasons"
_SECOND_NS: Final = 1_000_000_000
_NOT_KEPT: Final = NotMeasured(Kind.NOT_KEPT)
_FAILED: Final = NotMeasured(Kind.FAILED)


class RequestTable:
    """The columns of a table of requests, and the row of each.

    slots: the metrics to show, in their newest version; versions never mix.
    """

    def __init__(self, slots: Layout) -> None:
        self._slots = slots
        self._names = tuple(map(_name, slots))
        self._places: dict[Layout, tuple[int | None, ...]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """`FACTS`, seconds a stage, `stage.metric@k`, and why a metric has no value."""
        durations = (f"{stage}.duration_s" for stage in Stage)
        return (*FACTS, *durations, *self._names, REASONS)

    def row(self, result: Result) -> list[object]:
        """A value per column; None where there is none. Holds no text of a user's.

        The last one maps each metric without a value to its reason; a value of another
        version of the formula is `not_kept`, and one that would spoil every sum `failed`.
        """
        values = [_usable(value) for value in self._values(result)]
        reasons = {
            name: value.reason
            for name, value in zip(self._names, values, strict=True)
            if isinstance(value, NotMeasured)
        }
        return [
            *_facts(result),
            *(result.durations.get(stage) for stage in Stage),
            *(None if isinstance(value, NotMeasured) else value for value in values),
            reasons,
        ]

    def _values(self, result: Result) -> list[Measured]:
        places = self._places.get(result.layout)
        if places is None:
            where = {slot: place for place, slot in enumerate(result.layout)}
            places = self._places[result.layout] = tuple(where.get(slot) for slot in self._slots)
        return [_NOT_KEPT if place is None else result.values[place] for place in places]


def utc(event_ns: int) -> str:
    """Nanoseconds since 1970 as ISO 8601, of which none is lost.

    >>> utc(1_796_100_000_000_000_001)
    '2026-12-01T04:40:00.000000001Z'
    """
    second, rest_ns = divmod(event_ns, _SECOND_NS)
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}.{rest_ns:09d}Z"


def _name(slot: Slot) -> str:
    return slot.key if slot.k is None else f"{slot.key}@{slot.k}"


def _usable(value: Measured) -> Measured:
    """The value as a mean would count it."""
    return value if isinstance(value, NotMeasured) or abs(value) <= LARGEST else _FAILED


def _facts(result: Result) -> tuple[object, ...]:
    return (
        *result.key,
        result.pipeline,
        result.pipeline_version,
        utc(result.event_ns),
        str(result.outcome),
        result.labelled,
        known_weight(result.weight),
    )
