"""Scorecard: what is scored, how, and that nothing else is."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.metrics.spec import Better, Scope
from ragmon.model.record import Stage
from ragmon.summary.report import MetricSummary, Report, StageReport
from ragmon.summary.scorecard import SCORED, Scorecard, scorecard
from tests.summary.reports import REGISTRY, reports, spec

KEYS = [f"{stage}.{name}" for stage, scored in SCORED.items() for name in scored]
few = settings(max_examples=60)


def _summary(key: str, value: float | None, k: int | None = None) -> MetricSummary:
    """A metric by its key; one that is not declared has the declaration of another."""
    stage, _, name = key.partition(".")
    other = replace(spec("generation.exact_match"), stage=Stage(stage), name=name)
    return MetricSummary(REGISTRY.find(key) or other, k, value, 1, 1)


def _report(*metrics: MetricSummary) -> Report:
    stages = {stage: tuple(one for one in metrics if one.spec.stage is stage) for stage in Stage}
    return Report("tests", tuple(StageReport(stage, found) for stage, found in stages.items()))


def _of(card: Scorecard, stage: Stage) -> tuple[float | None, int, int]:
    (found,) = (one for one in card.stages if one.stage is stage)
    return found.score, found.measured, found.possible


@pytest.mark.parametrize("key", KEYS)
def test_every_scored_metric_is_declared(key: str) -> None:
    """No key of the table is a slip, and each is a value of quality, not of amount."""
    found = REGISTRY.find(key)
    assert found is not None
    best_in_between = key == "chunking.evidence_fragmentation"
    assert (found.better is Better.NONE) == best_in_between
    assert (found.scope is Scope.WINDOW) == (key == "end_to_end.task_success_rate")


def test_every_stage_is_scored_by_the_list() -> None:
    """All seven stages have a score, of as many metrics as the specification lists."""
    assert [9, 5, 7, 2, 6, 10, 3] == [len(SCORED[stage]) for stage in Stage]


@pytest.mark.parametrize(
    ("key", "value", "score"),
    [
        ("retrieval.mrr_at_k", 0.25, 0.25),
        ("embedding.zero_norm_rate", 0.25, 0.75),
        ("embedding.duplicate_vector_rate", 1.0, 0.0),
        ("augmentation.duplicate_ratio", 0.0, 1.0),
        ("generation.unsupported_number_rate", 0.5, 0.5),
        ("chunking.overlap_ratio", 0.0, 1.0),
        ("chunking.overlap_ratio", 3.0, 0.25),
        ("chunking.evidence_fragmentation", 0.0, 0.0),
        ("chunking.evidence_fragmentation", 0.5, 0.5),
        ("chunking.evidence_fragmentation", 1.0, 1.0),
        ("chunking.evidence_fragmentation", 4.0, 0.25),
        ("chunking.coverage", 1.5, 1.0),
        ("chunking.overlap_ratio", -1.0, 1.0),
        ("generation.unsupported_number_rate", 2.0, 0.0),
    ],
)
def test_a_value_becomes_a_score(key: str, value: float, score: float) -> None:
    """Higher is always better, and 1 is best."""
    card = scorecard(_report(_summary(key, value)))
    assert score == card.score
    assert (score, 1) == _of(card, Stage(key.partition(".")[0]))[:2]


def test_scores_are_means_of_means() -> None:
    """A stage is the mean of its metrics, the whole the mean of its stages, each counted."""
    card = scorecard(
        _report(
            _summary("retrieval.mrr_at_k", 0.5, 5),
            _summary("retrieval.ndcg_at_k", 1.0, 5),
            _summary("retrieval.hit_at_k", None, 5),
            _summary("generation.exact_match", 0.25),
        )
    )
    assert (0.75, 2, 7) == _of(card, Stage.RETRIEVAL)
    assert (0.25, 1, 10) == _of(card, Stage.GENERATION)
    assert (None, 0, 9) == _of(card, Stage.CHUNKING)
    assert (0.5, 3, 42) == (card.score, card.measured, card.possible)
    assert list(Stage) == [one.stage for one in card.stages]


def test_a_report_of_nothing_has_no_score() -> None:
    """Not measured is not zero."""
    card = scorecard(_report())
    assert (None, 0, 42) == (card.score, card.measured, card.possible)
    assert {None} == {one.score for one in card.stages}
    assert all(one.evaluated for one in card.stages)


def test_a_stage_that_was_not_evaluated_is_not_possible() -> None:
    """Its metrics count only where the report has the stage, measured or not."""
    whole = _report(_summary("retrieval.mrr_at_k", 0.5, 5))
    stages = (Stage.RETRIEVAL, Stage.RERANKING)
    card = scorecard(Report("", tuple(one for one in whole.stages if one.stage in stages)))
    assert (0.5, 1, 9) == (card.score, card.measured, card.possible)
    assert (None, 0, 0) == _of(card, Stage.CHUNKING)
    assert stages == tuple(one.stage for one in card.stages if one.evaluated)


def test_what_is_not_listed_is_not_scored() -> None:
    """Additions, precision, recall, gains, latency, cost and counts change nothing."""
    others = [
        _summary(one.key, 1.0, 1 if one.takes_k else None)
        for one in (*REGISTRY.metrics, *REGISTRY.aggregates)
        if one.key not in KEYS
    ]
    assert scorecard(_report(*others)).score is None
    assert len(others) > 20


def test_weights_weigh_metrics_and_stages() -> None:
    """A weight counts a metric or a stage so many times; 0 takes it out of the count as well."""
    report = _report(
        _summary("retrieval.mrr_at_k", 0.0, 5),
        _summary("retrieval.ndcg_at_k", 1.0, 5),
        _summary("generation.exact_match", 0.25),
    )
    card = scorecard(report, {"retrieval.ndcg_at_k": 3, "generation": 3})
    assert (0.75, 2, 7) == _of(card, Stage.RETRIEVAL)
    assert (0.75 + 3 * 0.25) / 4 == card.score
    card = scorecard(report, {"retrieval.mrr_at_k": 0, "generation": 0})
    assert (1.0, 1, 6) == _of(card, Stage.RETRIEVAL)
    assert (0.25, 1, 10) == _of(card, Stage.GENERATION)
    assert (1.0, 1, 31) == (card.score, card.measured, card.possible)
    assert scorecard(report, dict.fromkeys(Stage, 0)).score is None


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"retreival": 1.0}, "nothing scored is named 'retreival'; the nearest is 'retrieval'"),
        (
            {"retrieval.ndgc_at_k": 1.0},
            "nothing scored is named 'retrieval.ndgc_at_k'; the nearest is 'retrieval.ndcg_at_k'",
        ),
        ({"retrieval.precision_at_k": 1.0}, "nothing scored is named 'retrieval.precision_at_k'"),
        ({"": 1.0}, "nothing scored is named ''"),
        ({"retrieval": -1.0}, "retrieval is -1.0; a weight is a number from 0"),
        ({"retrieval": math.nan}, "retrieval is nan; a weight is a number from 0"),
        ({"retrieval": math.inf}, "retrieval is inf; a weight is a number from 0"),
    ],
)
def test_a_wrong_weight_is_named(weights: dict[str, float], message: str) -> None:
    """A weight for nothing names the nearest that is something."""
    with pytest.raises(ValueError, match=message):
        scorecard(Report("empty", ()), weights)


def test_one_cut_off_is_scored() -> None:
    """The smallest cut-off counts unless another one is asked for; no other is made up."""
    report = _report(
        _summary("retrieval.ndcg_at_k", 0.75, 10),
        _summary("retrieval.ndcg_at_k", 0.5, 5),
        _summary("retrieval.mrr_at_k", 1.0, 5),
        _summary("retrieval.token_iou", 0.25),
    )
    assert ((0.5 + 1.0 + 0.25) / 3, 3, 7) == _of(scorecard(report), Stage.RETRIEVAL)
    assert (0.5, 2, 7) == _of(scorecard(report, k=10), Stage.RETRIEVAL)
    with pytest.raises(ValueError, match="k=7 is no cut-off of the report; it has 5, 10"):
        scorecard(report, k=7)


@few
@given(st.dictionaries(st.sampled_from(KEYS), st.none() | st.floats(0, 1), max_size=12))
def test_what_is_not_measured_changes_no_score(values: dict[str, float | None]) -> None:
    """Leaving out a metric and having none of it are the same, and a score lies in [0, 1]."""
    every = scorecard(_report(*(_summary(key, value) for key, value in values.items())))
    known = {key: value for key, value in values.items() if value is not None}
    assert every == scorecard(_report(*(_summary(key, value) for key, value in known.items())))
    assert len(known) == every.measured
    for score in (every.score, *(one.score for one in every.stages)):
        assert score is None or 0 <= score <= 1


@few
@given(reports())
def test_any_report_has_a_scorecard(report: Report) -> None:
    """Whatever a file says, a score is in [0, 1] or there is none."""
    card = scorecard(report)
    assert card.score is None or 0 <= card.score <= 1
    assert card.measured <= card.possible
