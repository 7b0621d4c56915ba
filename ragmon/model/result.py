"""Results: what `settle` makes of the facts of one request, and what counts of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from ragmon.model.gold import MatchKey
from ragmon.model.measurement import Layout, Measured, Slot
from ragmon.model.record import Outcome, Stage


class RequestKey(NamedTuple):
    """A request: its trace and its key within the trace."""

    trace_id: str
    span_id: str


class Observation(NamedTuple):
    """The name of one thing observed about a request beside its scores.

    family is one of `outcome`, `duration` (name: a stage; END_TO_END is the request),
    `first_token`, `stage_error` (name: stage, qualifier: error type), `tokens` (name:
    model, qualifier: input | output), `cost` (name: model), `retrieved_chunks`,
    `context_tokens`.
    """

    family: str
    name: str = ""
    qualifier: str = ""


Observed: TypeAlias = str | int | float


@dataclass(frozen=True, slots=True)
class Winner:
    """A label that won a field of a request: its field, content, target and time."""

    field: str
    content_hash: str
    key: MatchKey
    labelled_at_ns: int


@dataclass(frozen=True, slots=True)
class Result:
    """One request, settled. `values` stand in the order of the layout they were made with.

    `observations` holds every observable fact beside the scores, by its name. `wanted` are
    the digests of what the request reads of the corpus. No text of a user's stands in a
    result.
    """

    key: RequestKey
    span_ids: tuple[str, ...]
    pipeline: str
    pipeline_version: str | None
    event_ns: int
    outcome: Outcome
    weight: float | None
    layout: Layout
    values: tuple[Measured, ...]
    durations: Mapping[Stage, float] = field(default_factory=dict)
    observations: Mapping[Observation, Observed] = field(default_factory=dict)
    winners: tuple[Winner, ...] = ()
    match_keys: tuple[MatchKey, ...] = ()
    wanted: tuple[int, ...] = ()

    @property
    def labelled(self) -> bool:
        """Whether any gold label reached this request."""
        return bool(self.winners)


class Evaluation(StrEnum):
    """How one (request, metric, k) is counted in `ragmon_evaluations_total`."""

    MEASURED = "measured"
    MEASURED_LATE = "measured_late"
    UNDEFINED = "undefined"
    MISSING = "missing"
    NOT_KEPT = "not_kept"
    FAILED = "failed"


class Cause(StrEnum):
    """Why a stored value changed."""

    LATE_SPAN = "late_span"
    LABEL = "label"
    REVISION = "revision"
    CORPUS = "corpus"
    VERSION = "version"


@dataclass(frozen=True, slots=True)
class Fresh:
    """What one commit stored about one request for the first time: what counters may count.

    `evaluations`: one entry per slot that is to be counted now. `scores`: first values.
    `not_measured`: reasons at the first settle. `observations`: first values by name.
    `corrections`: number of stored values that changed, with their cause.
    `label_lags_s`: per label first used by this commit, seconds from the request's end to
    the label, never below 0. `first`: the request is new to the store.
    """

    key: RequestKey
    pipeline: str
    pipeline_version: str | None
    event_ns: int
    committed_ns: int
    weight: float | None
    first: bool
    evaluations: tuple[tuple[Slot, Evaluation], ...] = ()
    scores: tuple[tuple[Slot, float], ...] = ()
    not_measured: tuple[tuple[Slot, str], ...] = ()
    observations: tuple[tuple[Observation, Observed], ...] = ()
    corrections: int = 0
    cause: Cause = Cause.LATE_SPAN
    label_lags_s: tuple[float, ...] = ()
