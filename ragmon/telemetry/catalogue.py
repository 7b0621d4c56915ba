"""The catalogue: every family, in the order in which they are exposed."""

from collections.abc import Iterable, Mapping
from typing import Final

from ragmon.metrics.buckets import COUNT, LATENCY_SECONDS
from ragmon.metrics.spec import Better, Needs, Unit
from ragmon.model.assessment import AnnotatorKind, FeedbackKind, Sorting, Way
from ragmon.model.canary import Ending
from ragmon.model.flow import DropReason, LabelOutcome, Refusal, ReleaseReason
from ragmon.model.record import Outcome
from ragmon.model.result import Cause, Evaluation
from ragmon.telemetry.closed import ClockFault, Room, SettledWhen, SloResult, Transport
from ragmon.telemetry.family import Family, FamilyType

_SETTLE_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_RELEASE_SECONDS: Final = (1.0, 2.5, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_LAG_SECONDS: Final = (
    *(1.0, 10.0, 60.0, 300.0, 900.0, 3600.0),
    *(21_600.0, 86_400.0, 259_200.0, 604_800.0, 2_592_000.0),
)
_TOKENS: Final = (0.0, *(float(1 << power) for power in range(6, 18)))


def _counter(name: str, text: str, labels: str = "", **closed: Iterable[str]) -> Family:
    return _labelled(name, FamilyType.COUNTER, text, labels, closed)


def _info(name: str, text: str, labels: str = "", **closed: Iterable[str]) -> Family:
    return _labelled(name, FamilyType.INFO, text, labels, closed)


def _labelled(
    name: str, kind: FamilyType, text: str, labels: str, closed: Mapping[str, Iterable[str]]
) -> Family:
    values = {label: tuple(str(value) for value in named) for label, named in closed.items()}
    return Family(name, kind, text, (*labels.split(), *values), values)


def _gauge(name: str, text: str, labels: str = "") -> Family:
    return Family(name, FamilyType.GAUGE, text, tuple(labels.split()))


def _histogram(
    name: str,
    text: str,
    labels: str = "",
    *,
    buckets: tuple[float, ...] = (),
    exemplars: bool = False,
) -> Family:
    named = tuple(labels.split())
    return Family(name, FamilyType.HISTOGRAM, text, named, buckets=buckets, exemplars=exemplars)


_SLOT: Final = "pipeline stage metric k"

_REQUESTS: Final = (
    _counter("ragmon_requests_total", "Requests by outcome.", "pipeline", outcome=Outcome),
    _counter(
        "ragmon_requests_estimated_total",
        "Requests before sampling, as the weights say where they are known.",
        "pipeline",
    ),
    _histogram(
        "ragmon_request_duration_seconds",
        "Duration of a request.",
        "pipeline",
        buckets=LATENCY_SECONDS,
        exemplars=True,
    ),
    _histogram(
        "ragmon_stage_duration_seconds",
        "Duration of a stage of a request, or of an indexing run.",
        "pipeline stage",
        buckets=LATENCY_SECONDS,
        exemplars=True,
    ),
    _histogram(
        "ragmon_time_to_first_token_seconds",
        "Time from the model call to its first token.",
        "pipeline",
        buckets=LATENCY_SECONDS,
        exemplars=True,
    ),
    _counter("ragmon_stage_errors_total", "Failed stages.", "pipeline stage error_type"),
    _histogram(
        "ragmon_retrieved_chunks", "Chunks retrieved per request.", "pipeline", buckets=COUNT
    ),
    _counter("ragmon_empty_retrievals_total", "Requests that retrieved no chunk.", "pipeline"),
    _histogram(
        "ragmon_context_tokens", "Word tokens of context per request.", "pipeline", buckets=_TOKENS
    ),
    _counter(
        "ragmon_tokens_total",
        "Tokens sent to and received from models.",
        "pipeline model",
        direction=("input", "output"),
    ),
    _counter("ragmon_cost_usd_total", "Cost of model calls in US dollars.", "pipeline model"),
    _info("ragmon_pipeline_info", "The two newest versions of a pipeline.", "pipeline version"),
)

_SCORES: Final = (
    _histogram(
        "ragmon_score",
        "Scores from 0 to 1 of single requests and indexing runs, at their first value.",
        _SLOT,
        exemplars=True,
    ),
    _counter(
        "ragmon_score_delta_positive_total",
        "Sum of the values above 0 of signed metrics, at their first value.",
        _SLOT,
    ),
    _counter(
        "ragmon_score_delta_negative_total",
        "Sum of the values below 0 of signed metrics, without their sign.",
        _SLOT,
    ),
    _counter(
        "ragmon_score_delta_observations_total",
        "Requests and indexing runs with a value of a signed metric.",
        _SLOT,
    ),
    _counter(
        "ragmon_evaluations_total",
        "Evaluations of single requests and indexing runs by their result.",
        _SLOT,
        result=Evaluation,
    ),
    _counter(
        "ragmon_not_measured_total",
        "Evaluations without a value, by reason.",
        "pipeline stage reason",
    ),
    _counter(
        "ragmon_corrections_total",
        "Stored values that changed after they were counted, by cause.",
        "pipeline",
        cause=Cause,
    ),
    _info(
        "ragmon_metric_info",
        "A metric: which direction is better, what it needs, its unit.",
        "stage metric",
        direction=Better,
        needs=Needs,
        unit=Unit,
    ),
    _gauge(
        "ragmon_score_objective",
        "The bound that an objective sets to a metric, in its unit.",
        f"{_SLOT} direction",
    ),
    _counter(
        "ragmon_slo_requests_total",
        "Requests judged by an objective.",
        "pipeline slo",
        result=SloResult,
    ),
    _gauge(
        "ragmon_slo_objective_ratio",
        "Share of requests that has to keep the objective.",
        "pipeline slo",
    ),
)

_WINDOWS: Final = (
    _gauge(
        "ragmon_window_mean",
        "Mean of a metric over the requests of the window, in its unit.",
        f"{_SLOT} window",
    ),
    _gauge("ragmon_window_count", "Requests of the window with a value.", f"{_SLOT} window"),
    _gauge(
        "ragmon_window_coverage_ratio",
        "Measured share of the requests of the window that could be measured.",
        f"{_SLOT} window",
    ),
    _gauge(
        "ragmon_window_latency_seconds",
        "Quantile of the durations in the window, exact up to a million.",
        "pipeline stage statistic window",
    ),
    _gauge(
        "ragmon_label_coverage_ratio",
        "Share of the requests of the window that a gold label reached.",
        "pipeline window",
    ),
)

_LABELS: Final = (
    _counter("ragmon_labels_total", "Gold labels by what became of them.", outcome=LabelOutcome),
    _gauge("ragmon_labels_unmatched", "Gold labels that wait for their request."),
    _gauge("ragmon_labels_unmatched_oldest_seconds", "Age of the oldest label that waits."),
    _histogram(
        "ragmon_label_lag_seconds",
        "Time from a request to the label that reached it.",
        "pipeline",
        buckets=_LAG_SECONDS,
    ),
    _counter(
        "ragmon_assessments_total",
        "Evaluations on log events and spans, and other log records, by what became of them.",
        way=Way,
        result=Sorting,
    ),
    _counter(
        "ragmon_feedback_total",
        "Thumbs, ratings and verdicts on requests that came; never part of a score.",
        "pipeline",
        source=AnnotatorKind,
        kind=FeedbackKind,
    ),
    _counter(
        "ragmon_feedback_received_total",
        "Feedback by what became of it.",
        outcome=LabelOutcome,
    ),
    _gauge("ragmon_feedback_unmatched", "Feedback that waits for its request."),
)

_PROCESSOR: Final = (
    _counter(
        "ragmon_processor_spans_received_total",
        "Spans of acknowledged bodies, refused ones included.",
        transport=Transport,
    ),
    _counter(
        "ragmon_processor_bodies_refused_total",
        "Bodies of spans, labels or documents that were read and refused, by reason.",
        reason=Refusal,
    ),
    _counter("ragmon_processor_spans_replayed_total", "Spans found in the inbox at the start."),
    _counter("ragmon_processor_spans_duplicate_total", "Spans that were known already."),
    _counter(
        "ragmon_processor_spans_settled_total",
        "Spans of committed traces, by whether the trace was new to the store.",
        when=SettledWhen,
    ),
    _counter(
        "ragmon_processor_spans_dropped_total",
        "Spans that will never be part of a result.",
        reason=DropReason,
    ),
    _counter(
        "ragmon_processor_traces_released_total",
        "Traces handed on to be settled.",
        reason=ReleaseReason,
    ),
    _counter(
        "ragmon_processor_traces_without_request_total",
        "Traces in which no request was found: indexing runs, or spans of an unknown dialect.",
    ),
    _gauge("ragmon_processor_open_spans", "Spans acknowledged and not yet committed."),
    _gauge("ragmon_processor_open_traces", "Traces that wait for more spans."),
    _gauge("ragmon_processor_open_bytes", "Bytes of the traces that wait."),
    _gauge("ragmon_processor_open_bytes_limit", "Bound of the bytes of the traces that wait."),
    _gauge("ragmon_processor_inbox_bytes", "Bytes that wait in the inbox."),
    _gauge("ragmon_processor_store_bytes", "Bytes of what the store holds."),
    _counter("ragmon_canary_requests_total", "Canaries by their end.", "canary", result=Ending),
    _counter("ragmon_processor_traces_early_total", "Traces that store.max_bytes made go early."),
    _gauge("ragmon_processor_inbox_bytes_limit", "Bound of the bytes in the inbox."),
    _histogram(
        "ragmon_processor_release_lag_seconds",
        "Time from the arrival of a trace's last span to the commit of its result.",
        buckets=_RELEASE_SECONDS,
    ),
    _histogram(
        "ragmon_processor_settle_duration_seconds",
        "Time that settling and committing one batch of traces took.",
        buckets=_SETTLE_SECONDS,
    ),
    _counter("ragmon_processor_clock_faults_total", "Spans with a wrong clock.", kind=ClockFault),
    _counter(
        "ragmon_processor_label_overflow_total",
        "Observations counted as `other` since a Prometheus label was at its bound.",
        label=("pipeline", "model", "error_type", "reason"),
    ),
    _info("ragmon_build_info", "The version of ragmon that answers.", "version"),
    # Collected last, so that a fault of one scrape already shows in that scrape.
    _counter("ragmon_processor_errors_total", "Unexpected errors by room.", stage=Room),
)

FAMILIES: Final = (*_REQUESTS, *_SCORES, *_WINDOWS, *_LABELS, *_PROCESSOR)
"""All families, in the order in which they are exposed."""

_BY_NAME: Final = {family.name: family for family in FAMILIES}


def find(name: str) -> Family:
    """The family of that name, a counter's with `_total`.

    Raises:
        KeyError: no family has that name.
    """
    return _BY_NAME[name]
