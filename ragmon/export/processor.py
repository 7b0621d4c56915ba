"""What ragmon counts about itself."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from difflib import get_close_matches

from ragmon.export.families import Tables
from ragmon.export.tables import measurable
from ragmon.model.assessment import Sorting, Way
from ragmon.model.canary import Ending
from ragmon.model.flow import DropReason, LabelOutcome, Refusal, ReleaseReason, Unmatched
from ragmon.telemetry import FAMILIES, FamilyType, Room, SettledWhen, Transport

__all__ = ["ProcessorSeries"]

_log = logging.getLogger("ragmon.export")
_READABLE = tuple(
    family.name for family in FAMILIES if family.type is FamilyType.GAUGE and not family.labels
)


class ProcessorSeries:
    """Counters and gauges of the processor itself; any thread may call any method."""

    def __init__(self, tables: Tables, lock: AbstractContextManager[object]) -> None:
        self._tables = tables
        self._lock = lock
        self._readings: dict[str, Callable[[], float | None]] = {}
        for family in FAMILIES:
            if family.type is FamilyType.COUNTER and family.labels == tuple(family.closed):
                tables.start(family.name)

    def received(self, transport: Transport, spans: int) -> None:
        """Spans of an acknowledged body, refused ones included."""
        self._add("ragmon_processor_spans_received_total", spans, transport)

    def refused(self, reason: Refusal) -> None:
        """A body was refused as a whole."""
        self._add("ragmon_processor_bodies_refused_total", 1, reason)

    def replayed(self, spans: int) -> None:
        """Spans found in the inbox at the start."""
        self._add("ragmon_processor_spans_replayed_total", spans)

    def duplicate(self, spans: int) -> None:
        """Spans that were known already."""
        self._add("ragmon_processor_spans_duplicate_total", spans)

    def settled(self, when: SettledWhen, spans: int) -> None:
        """Spans of a committed trace."""
        self._add("ragmon_processor_spans_settled_total", spans, when)

    def dropped(self, reason: DropReason, spans: int) -> None:
        """Spans that will never be part of a result."""
        self._add("ragmon_processor_spans_dropped_total", spans, reason)

    def released(self, reason: ReleaseReason, lag_s: float) -> None:
        """A trace was released, so long after its last span came."""
        self._add("ragmon_processor_traces_released_total", 1, reason)
        self._observe("ragmon_processor_release_lag_seconds", lag_s)

    def without_request(self) -> None:
        """A trace was settled in which no request was found."""
        self._add("ragmon_processor_traces_without_request_total", 1)

    def known_canary(self, name: str) -> None:
        """A canary is configured: its series start at zero."""
        with self._lock:
            self._tables.start("ragmon_canary_requests_total", name)

    def canary(self, name: str, ending: Ending) -> None:
        """A canary request was sent, and this became of it."""
        self._add("ragmon_canary_requests_total", 1, name, ending)

    def gone_early(self, traces: int) -> None:
        """What was kept of traces, or their numbers, went to keep the store in its bound."""
        self._add("ragmon_processor_traces_early_total", traces)

    def settle_duration(self, seconds: float) -> None:
        """One batch of traces was settled and committed."""
        self._observe("ragmon_processor_settle_duration_seconds", seconds)

    def error(self, room: Room) -> None:
        """An unexpected error was caught."""
        self._add("ragmon_processor_errors_total", 1, room)

    def clock_fault(self, kind: str) -> None:
        """A span's clock was wrong: `future` or `negative`."""
        self._add("ragmon_processor_clock_faults_total", 1, kind)

    def label(self, outcome: LabelOutcome, labels: int = 1) -> None:
        """Gold labels came, and this became of them."""
        self._add("ragmon_labels_total", labels, outcome)

    def set_unmatched(self, unmatched: Unmatched, now_ns: int) -> None:
        """Labels that wait for their request; the age has a series only while one waits."""
        oldest_ns = unmatched.oldest_ns
        age_s: dict[tuple[str, ...], float] = (
            {} if oldest_ns is None else {(): max(0, now_ns - oldest_ns) / 1e9}
        )
        with self._lock:
            numbers = self._tables.numbers
            numbers["ragmon_labels_unmatched"].replace({(): float(unmatched.count)})
            numbers["ragmon_labels_unmatched_oldest_seconds"].replace(age_s)

    def assessed(self, way: Way, result: Sorting, assessments: int) -> None:
        """Evaluations of telemetry came, and this became of them."""
        self._add("ragmon_assessments_total", assessments, way, result)

    def feedback_received(self, outcome: LabelOutcome, feedback: int) -> None:
        """Feedback came, and this became of it."""
        self._add("ragmon_feedback_received_total", feedback, outcome)

    def set_feedback_unmatched(self, count: int) -> None:
        """Feedback that waits for its request."""
        with self._lock:
            self._tables.numbers["ragmon_feedback_unmatched"].replace({(): float(count)})

    def watch(self, name: str, read: Callable[[], float | None]) -> None:
        """Read a gauge by a callable at each scrape; None leaves it out.

        Raises:
            ValueError: no gauge without labels has that name.
        """
        if name not in _READABLE:
            near = get_close_matches(name, _READABLE, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"unknown gauge {name!r}{hint}")
        self._readings[name] = read

    def _read_gauges(self) -> None:
        """Read every watched gauge once; one that raises is counted and left out."""
        for name, read in tuple(self._readings.items()):
            value = self._value(name, read)
            with self._lock:
                self._tables.numbers[name].replace({} if value is None else {(): value})

    def _value(self, name: str, read: Callable[[], float | None]) -> float | None:
        try:
            value = read()
        except Exception:  # noqa: BLE001  whatever a reading raises, the others are exposed
            value = float("nan")
        if value is None or measurable(value):
            return value
        _log.warning("gauge %s could not be read", name)
        self.error(Room.EXPORT)
        return None

    def _add(self, name: str, amount: int, *labels: str) -> None:
        with self._lock:
            self._tables.numbers[name].cell(*labels).value += amount

    def _observe(self, name: str, seconds: float) -> None:
        if measurable(seconds):
            with self._lock:
                self._tables.histograms[name].cell().observe(seconds, "", 0)
        else:
            self.error(Room.EXPORT)
