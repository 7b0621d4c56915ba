"""Reports made by hand, and any report at all."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from ragmon.metrics.registry import Registry, build
from ragmon.metrics.spec import MetricSpec, Scope
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import Stage
from ragmon.summary.report import MetricSummary, Report, Row, StageReport

REGISTRY: Registry = build((1, 5))
HOSTILE = "<script>alert(1)</script>|`*_[x](http://x)\ud800\n\x1b[31m" + "x" * 10_000
MISSING = NotMeasured(Kind.MISSING, "gold_ids")


def spec(key: str) -> MetricSpec:
    found = REGISTRY.find(key)
    assert found is not None, key
    return found


def summary(
    key: str, value: float | None, k: int | None = None, *, count: int = 2, possible: int = 3
) -> MetricSummary:
    """A metric with P50 and P95 of its own, or one that was measured nowhere."""
    if value is None:
        return MetricSummary(
            spec(key), k, None, 0, possible, reasons={"missing:gold_ids": possible}
        )
    return MetricSummary(spec(key), k, value, count, possible, value / 2, value * 2)


def stage(
    metrics: Sequence[MetricSummary],
    rows: Mapping[str, Sequence[Measured]] | None = None,
    notes: Mapping[str, int] | None = None,
) -> StageReport:
    """A stage whose rows have values for all metrics but the aggregates."""
    of_rows = tuple(one for one in metrics if one.spec.scope is not Scope.WINDOW)
    return StageReport(
        metrics[0].spec.stage,
        tuple(metrics),
        of_rows,
        tuple(Row(name, tuple(values)) for name, values in (rows or {}).items()),
        notes or {},
    )


def example() -> Report:
    """Two stages: one with rows, a hostile name and a note, one of which nothing is known."""
    retrieval = stage(
        [
            summary("retrieval.ndcg_at_k", 0.6125, 1),
            summary("retrieval.ndcg_at_k", 0.7125, 5),
            summary("retrieval.duplicate_result_ratio", 0.25),
            summary("retrieval.retrieved_documents", 8.0),
            summary("retrieval.latency_ms", 200.0),
            MetricSummary(spec("retrieval.p95_latency_ms"), None, 290.0, 2, 2),
        ],
        {
            "q-1": (0.0, 0.5, 0.0, 10.0, 300.0),
            HOSTILE: (0.75, 0.925, 0.5, 6.0, 100.0),
            "q-3": (MISSING, MISSING, 0.25, 8.0, NotMeasured(Kind.UNDEFINED)),
        },
        {"gold_not_found": 2},
    )
    generation = stage(
        [summary("generation.exact_match", None), summary("generation.used_documents", 2.0)]
    )
    reranking = stage([summary("reranking.reranked_documents", None)])
    return Report("questions.jsonl", (retrieval, reranking, generation))


_NAMES = st.one_of(st.just(HOSTILE), st.text(st.characters(exclude_categories=()), max_size=30))
_NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
_COUNTS = st.integers(min_value=0, max_value=1 << 40)
_NOT_MEASURED = st.builds(NotMeasured, st.sampled_from(Kind), st.sampled_from(["", "gold_ids"]))
_MEASURED: st.SearchStrategy[Measured] = st.one_of(_NUMBERS, _NOT_MEASURED)


@st.composite
def stages(draw: st.DrawFn, of: Stage) -> StageReport:
    """One stage with any of its metrics, any values and any rows."""
    places = [
        (one, k)
        for one in (*REGISTRY.metrics, *REGISTRY.aggregates)
        if one.stage is of
        for k in ((1, 5) if one.takes_k else (None,))
    ]
    chosen = draw(st.lists(st.sampled_from(places), unique_by=id, max_size=5)) if places else []
    metrics = tuple(
        draw(
            st.builds(
                MetricSummary,
                st.just(one),
                st.just(k),
                st.none() | _NUMBERS,
                _COUNTS,
                _COUNTS,
                st.none() | _NUMBERS,
                st.none() | _NUMBERS,
                st.dictionaries(_NAMES, _COUNTS, max_size=2),
            )
        )
        for one, k in chosen
    )
    of_rows = tuple(one for one in metrics if one.spec.scope is not Scope.WINDOW)
    values = st.tuples(*(_MEASURED for _ in of_rows))
    rows = draw(st.lists(st.builds(Row, _NAMES, values), max_size=3))
    notes = draw(st.dictionaries(_NAMES, _COUNTS, max_size=2))
    return StageReport(of, metrics, of_rows, tuple(rows), notes)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Any report that can be: stages in their order, each at most once."""
    chosen = draw(st.sets(st.sampled_from(Stage)))
    return Report(draw(_NAMES), tuple(draw(stages(of)) for of in Stage if of in chosen))
