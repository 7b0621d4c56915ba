"""Small results, spans and labels, and a store to put them into."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from ragmon.model.flow import Draft, Ends, Kept, Settled, SpanPart
from ragmon.model.gold import GoldField, GoldLabel, MatchKey, TargetKind
from ragmon.model.measurement import Kind, Layout, Measured, NotMeasured, Slot
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import Cause, Observation, Observed, RequestKey, Result, Winner
from ragmon.store.sqlite import SqliteStore

LAYOUT: Layout = (
    Slot("retrieval", "recall_at_k", 5, 1),
    Slot("generation", "context_grounding", None, 1),
)
MISSING = NotMeasured(Kind.MISSING, "gold_ids")
EVENT_NS = 1_800_000_000 * 10**9


def _make_result(
    span_id: str = "r1",
    *,
    trace_id: str = "t1",
    span_ids: Sequence[str] | None = None,
    values: Sequence[Measured] = (MISSING, 0.5),
    layout: Layout = LAYOUT,
    event_ns: int = EVENT_NS,
    pipeline: str = "p",
    durations: Mapping[Stage, float] | None = None,
    observations: Mapping[Observation, Observed] | None = None,
    winners: Sequence[Winner] = (),
    keys: Sequence[MatchKey] | None = None,
    weight: float | None = 1.0,
    wanted: Sequence[int] = (),
) -> Result:
    return Result(
        key=RequestKey(trace_id, span_id),
        span_ids=tuple(span_ids or (span_id,)),
        pipeline=pipeline,
        pipeline_version="v1",
        event_ns=event_ns,
        outcome=Outcome.ANSWERED,
        weight=weight,
        layout=layout,
        values=tuple(values),
        durations=durations or {},
        observations={Observation("outcome"): "answered"} if observations is None else observations,
        winners=tuple(winners),
        match_keys=(MatchKey(TargetKind.TRACE, trace_id),) if keys is None else tuple(keys),
        wanted=tuple(wanted),
    )


def _make_span(span_id: str = "r1", *, trace_id: str = "t1", content: str = "text") -> SpanPart:
    return SpanPart(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=None,
        ends=Ends.REQUEST,
        end_ns=EVENT_NS,
        arrival_ns=EVENT_NS + 1,
        context=b"resource",
        span=content.encode(),
    )


def _make_settled(
    kept: Kept,
    *results: Result,
    spans: Sequence[SpanPart] | None = None,
    labels: Sequence[GoldLabel] = (),
    cause: Cause = Cause.LATE_SPAN,
    expired: bool = False,
) -> Settled:
    given = (_make_span(trace_id=kept.trace_id),) if spans is None else tuple(spans)
    return Settled(Draft(kept, given, (), expired=expired), results, tuple(labels), cause)


def _make_label(
    key: MatchKey,
    *,
    field: GoldField = GoldField.RELEVANT_IDS,
    value: str = '{"a":1.0}',
    annotator: str = "ann",
    revision: int = 0,
    labelled_at_ns: int = EVENT_NS,
    pipeline: str | None = None,
) -> GoldLabel:
    content_hash = hashlib.sha256(value.encode()).hexdigest()
    return GoldLabel(
        key, pipeline, field, annotator, value, labelled_at_ns, revision, None, content_hash
    )


@pytest.fixture
def make_result() -> Callable[..., Result]:
    """A result of a request with two slots: recall not measured, grounding 0.5."""
    return _make_result


@pytest.fixture
def make_span() -> Callable[..., SpanPart]:
    """One span of a trace."""
    return _make_span


@pytest.fixture
def make_settled() -> Callable[..., Settled]:
    """Results of one trace with the facts they were made from."""
    return _make_settled


@pytest.fixture
def make_label() -> Callable[..., GoldLabel]:
    """One gold field of a target."""
    return _make_label


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store, once in a file and once in memory."""
    with SqliteStore(tmp_path / "state" if request.param == "file" else None) as opened:
        yield opened


@pytest.fixture
def put() -> Callable[..., None]:
    """Commit results of one trace as they would be settled now, without conflict."""

    def commit(
        store: SqliteStore,
        results: Iterable[Result],
        *,
        now_ns: int = EVENT_NS,
        silent: bool = False,
        labels: Sequence[GoldLabel] = (),
    ) -> None:
        made = tuple(results)
        trace_id = made[0].key.trace_id
        kept = store.load([trace_id])[trace_id]
        settled = _make_settled(kept, *made, labels=labels)
        _, conflicts = store.commit([settled], now_ns, silent=silent)
        assert conflicts == []

    return commit
