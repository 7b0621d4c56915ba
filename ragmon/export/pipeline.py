"""What is counted about the requests and indexing runs of one pipeline."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ragmon.export.families import Tables
from ragmon.export.guard import LabelGuard
from ragmon.export.scores import DELTAS, Accumulator, accumulator, countable, slot_labels
from ragmon.export.slo import Judge
from ragmon.export.tables import Cell, Histogram, LazyCells, measurable
from ragmon.metrics.spec import MetricSpec, Unit
from ragmon.model.measurement import Slot
from ragmon.model.result import Cause, Evaluation, Fresh, Observation, Observed
from ragmon.telemetry import REQUEST_STAGE

__all__ = ["PipelineSeries", "Shared"]

_CLOSED = (
    "ragmon_requests_total",
    "ragmon_requests_estimated_total",
    "ragmon_empty_retrievals_total",
    "ragmon_corrections_total",
)
"""Counters of a pipeline of which every label value is known beforehand."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the series of all pipelines share.

    specs: the metric of each slot. refused: called for each value that may not
    reach an accumulator. The guards bound the labels that senders' values reach.
    """

    tables: Tables
    specs: Mapping[Slot, MetricSpec]
    slo_max_age_ns: int
    models: LabelGuard
    error_types: LabelGuard
    reasons: LabelGuard
    refused: Callable[[], None]


class PipelineSeries:
    """The series of one pipeline, looked up once and kept. One caller at a time."""

    def __init__(
        self, pipeline: str, shared: Shared, judges: Mapping[Slot, tuple[Judge, ...]]
    ) -> None:
        self._pipeline = pipeline
        self._shared = shared
        self._judges = judges
        self._evaluations = LazyCells(self._evaluation_cell)
        self._not_measured = LazyCells(self._reason_cell)
        self._scores = LazyCells(self._accumulator)
        self._durations = LazyCells(self._duration_histogram)
        self._marks: Mapping[str, Callable[[Observation, Observed, Fresh], None]] = {
            "outcome": self._outcome,
            "stage_error": self._stage_error,
        }
        self._amounts: Mapping[str, Callable[[Observation, float, Fresh], None]] = {
            "duration": self._duration,
            "first_token": self._first_token,
            "tokens": self._tokens,
            "cost": self._cost,
            "retrieved_chunks": self._retrieved_chunks,
            "context_tokens": self._context_tokens,
        }

    def start(self, slots: tuple[Slot, ...]) -> None:
        """Put counters with closed label sets at zero, so that no first increment is lost."""
        tables = self._shared.tables
        for name in _CLOSED:
            tables.start(name, self._pipeline)
        for slot in slots:
            tables.start("ragmon_evaluations_total", self._pipeline, *slot_labels(slot))
            if self._shared.specs[slot].unit is Unit.SIGNED:
                for name in DELTAS:
                    tables.start(name, self._pipeline, *slot_labels(slot))

    def observe(self, fresh: Fresh) -> None:
        """Count what one commit stored first."""
        for evaluated in fresh.evaluations:
            self._evaluations[evaluated].value += 1.0
        for unmeasured in fresh.not_measured:
            self._not_measured[unmeasured].value += 1.0
        stale = fresh.committed_ns - fresh.event_ns > self._shared.slo_max_age_ns
        for slot, value in fresh.scores:
            self._score(slot, value, fresh, stale=stale)
        for name, observed in fresh.observations:
            self._observation(name, observed, fresh)
        if fresh.corrections:
            self._correct(fresh.cause, fresh.corrections)
        for lag_s in fresh.label_lags_s:
            self._label_lag(lag_s, fresh)

    def _score(self, slot: Slot, value: float, fresh: Fresh, *, stale: bool) -> None:
        if not countable(value, self._shared.specs.get(slot)):
            self._shared.refused()
            return
        scores = self._scores[slot]
        if scores is not None:
            scores.observe(value, fresh.key.trace_id, fresh.committed_ns)
        for judge in self._judges.get(slot, ()):
            judge.count(value, stale=stale)

    def _observation(self, name: Observation, observed: Observed, fresh: Fresh) -> None:
        mark = self._marks.get(name.family)
        if mark is not None:
            mark(name, observed, fresh)
        elif measurable(observed):
            self._amounts[name.family](name, observed, fresh)
        else:
            self._shared.refused()

    def _outcome(self, _: Observation, outcome: Observed, fresh: Fresh) -> None:
        self._cell("ragmon_requests_total", str(outcome)).value += 1.0
        if measurable(fresh.weight):
            self._cell("ragmon_requests_estimated_total").value += fresh.weight

    def _stage_error(self, name: Observation, _: Observed, __: Fresh) -> None:
        error_type = self._shared.error_types.value(name.qualifier)
        self._cell("ragmon_stage_errors_total", name.name, error_type).value += 1.0

    def _duration(self, name: Observation, seconds: float, fresh: Fresh) -> None:
        self._durations[name.name].observe(seconds, fresh.key.trace_id, fresh.committed_ns)

    def _first_token(self, _: Observation, seconds: float, fresh: Fresh) -> None:
        self._observe("ragmon_time_to_first_token_seconds", seconds, fresh)

    def _tokens(self, name: Observation, tokens: float, _: Fresh) -> None:
        model = self._shared.models.value(name.name)
        self._cell("ragmon_tokens_total", model, name.qualifier).value += tokens

    def _cost(self, name: Observation, dollars: float, _: Fresh) -> None:
        model = self._shared.models.value(name.name)
        self._cell("ragmon_cost_usd_total", model).value += dollars

    def _retrieved_chunks(self, _: Observation, chunks: float, fresh: Fresh) -> None:
        self._observe("ragmon_retrieved_chunks", chunks, fresh)
        if chunks == 0:
            self._cell("ragmon_empty_retrievals_total").value += 1.0

    def _context_tokens(self, _: Observation, tokens: float, fresh: Fresh) -> None:
        self._observe("ragmon_context_tokens", tokens, fresh)

    def _correct(self, cause: Cause, corrections: int) -> None:
        self._cell("ragmon_corrections_total", cause).value += corrections

    def _label_lag(self, lag_s: float, fresh: Fresh) -> None:
        if measurable(lag_s):
            self._observe("ragmon_label_lag_seconds", lag_s, fresh)
        else:
            self._shared.refused()

    def _observe(self, family: str, value: float, fresh: Fresh) -> None:
        """Observe into a histogram that has no label but the pipeline."""
        histogram = self._shared.tables.histograms[family].cell(self._pipeline)
        histogram.observe(value, fresh.key.trace_id, fresh.committed_ns)

    def _cell(self, family: str, *values: str) -> Cell:
        return self._shared.tables.numbers[family].cell(self._pipeline, *values)

    def _evaluation_cell(self, evaluated: tuple[Slot, Evaluation]) -> Cell:
        slot, result = evaluated
        return self._cell("ragmon_evaluations_total", *slot_labels(slot), result)

    def _reason_cell(self, unmeasured: tuple[Slot, str]) -> Cell:
        slot, reason = unmeasured
        label = self._shared.reasons.value(reason)
        return self._cell("ragmon_not_measured_total", slot.stage, label)

    def _accumulator(self, slot: Slot) -> Accumulator | None:
        shared = self._shared
        return accumulator(shared.tables, self._pipeline, slot, shared.specs.get(slot))

    def _duration_histogram(self, stage: str) -> Histogram:
        histograms = self._shared.tables.histograms
        if stage == REQUEST_STAGE:
            return histograms["ragmon_request_duration_seconds"].cell(self._pipeline)
        return histograms["ragmon_stage_duration_seconds"].cell(self._pipeline, stage)
