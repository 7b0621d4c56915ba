"""Comparison: differences, and the paired bootstrap over the records of both reports."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from ragmon.metrics.spec import MetricSpec
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import Stage
from ragmon.summary import compare as compare_module
from ragmon.summary.compare import Comparison, MetricComparison, Verdict, compare
from ragmon.summary.report import MetricSummary, Report, Row, StageReport
from tests.summary.reports import reports, spec

MISSING = NotMeasured(Kind.MISSING, "gold_ids")
MRR = spec("retrieval.mrr_at_k")


def _report(
    rows: Sequence[tuple[str, Measured]], metric: MetricSpec = MRR, k: int | None = 5
) -> Report:
    """A report of one metric, by its value per record."""
    known = [value for _, value in rows if not isinstance(value, NotMeasured)]
    mean = sum(known) / len(known) if known else None
    summary = MetricSummary(metric, k, mean, len(known), len(rows))
    lines = tuple(Row(name, (value,)) for name, value in rows)
    return Report("tests", (StageReport(metric.stage, (summary,), (summary,), lines),))


def _only(comparison: Comparison) -> MetricComparison:
    (metric,) = comparison.metrics
    return metric


def _noisy(seed: int, shift: float, n: int = 60) -> list[tuple[str, Measured]]:
    chance = np.random.default_rng(seed)
    return [(f"q{row}", float(value)) for row, value in enumerate(chance.normal(shift, 0.2, n))]


@settings(max_examples=60)
@given(reports())
def test_a_report_against_itself_has_no_difference(report: Report) -> None:
    """Every difference is 0, and chance has nothing to explain."""
    for metric in compare(report, report, resamples=20).metrics:
        assert metric.difference == (None if metric.before is None else 0)
        assert metric.interval in (None, (0.0, 0.0))
        assert (metric.interval is None) == (metric.pairs < 2)
        assert (Verdict.UNCLEAR if metric.pairs < 2 else Verdict.EQUAL) is metric.verdict


def test_records_pair_by_name_where_both_are_measured() -> None:
    """Order does not matter; who is missing on one side, or is not measured there, is no pair."""
    before = _report([("a", 0.0), ("b", 0.5), ("c", MISSING), ("only before", 1.0)])
    after = _report([("c", 1.0), ("b", 0.75), ("a", 0.25), ("only after", 0.0)])
    metric = _only(compare(before, after))
    assert 2 == metric.pairs
    assert (0.25, 0.25) == metric.interval
    assert (0.5, 0.5, 0.0) == (metric.before, metric.after, metric.difference)
    assert Verdict.BETTER is metric.verdict
    assert "retrieval.mrr_at_k" == metric.key


def test_a_repeated_name_pairs_in_its_order() -> None:
    """The first of a name meets the first, the second the second."""
    before = _report([("", 0.0), ("", 1.0), ("", 1.0)])
    after = _report([("", 0.5), ("", 1.5)])
    metric = _only(compare(before, after))
    assert (2, (0.5, 0.5)) == (metric.pairs, metric.interval)


def test_one_pair_has_no_interval() -> None:
    """What one record says may be chance altogether."""
    metric = _only(compare(_report([("a", 0.0), ("b", 1.0)]), _report([("a", 1.0)])))
    assert (1, None, Verdict.UNCLEAR) == (metric.pairs, metric.interval, metric.verdict)
    assert 0.5 == metric.difference


def test_the_interval_is_that_of_a_paired_bootstrap() -> None:
    """Independent draws of the pairs give the same bounds but for their own chance."""
    before, after = _noisy(1, 0.5), _noisy(2, 0.6)
    metric = _only(compare(_report(before), _report(after), resamples=20_000))
    differences = np.array(
        [
            float(str(two)) - float(str(one))
            for (_, one), (_, two) in zip(before, after, strict=True)
        ]
    )
    chance = np.random.default_rng(7)
    means = chance.choice(differences, (20_000, differences.size)).mean(axis=1)
    assert metric.interval is not None
    assert tuple(np.percentile(means, (2.5, 97.5))) == pytest.approx(metric.interval, abs=0.003)


@pytest.mark.parametrize(
    ("key", "shift", "expected"),
    [
        ("retrieval.mrr_at_k", 0.5, Verdict.BETTER),
        ("retrieval.mrr_at_k", -0.5, Verdict.WORSE),
        ("retrieval.mrr_at_k", 0.0, Verdict.UNCLEAR),
        ("retrieval.latency_ms", 0.5, Verdict.WORSE),
        ("retrieval.latency_ms", -0.5, Verdict.BETTER),
        ("retrieval.result_count", 0.5, Verdict.UNCLEAR),
    ],
)
def test_the_verdict_follows_the_direction(key: str, shift: float, expected: Verdict) -> None:
    """Better is up or down as the metric says; without a direction nothing is better."""
    before, after = _noisy(3, 0.5), _noisy(4, 0.5 + shift)
    one = _only(compare(_report(before, spec(key), None), _report(after, spec(key), None)))
    assert expected is one.verdict


def test_equal_is_where_every_pair_is_equal() -> None:
    """Also of a metric without a direction; differences that add up to 0 are unclear."""
    rows: list[tuple[str, Measured]] = [("a", 0.0), ("b", 1.0)]
    count = spec("retrieval.result_count")
    assert Verdict.EQUAL is _only(compare(_report(rows), _report(rows))).verdict
    alike = compare(_report(rows, count, None), _report(rows, count, None))
    assert Verdict.EQUAL is _only(alike).verdict
    moved = _report([("a", 0.25), ("b", 0.75)])
    assert Verdict.UNCLEAR is _only(compare(_report(rows), moved)).verdict


def test_the_same_seed_gives_the_same_interval() -> None:
    """Nothing but the pairs, the seed and the number of draws decides."""
    one, other = _report(_noisy(5, 0.5)), _report(_noisy(6, 0.5))
    assert compare(one, other) == compare(one, other)
    first, second = _only(compare(one, other)), _only(compare(one, other, seed=1))
    assert first.interval != second.interval


def test_other_metrics_do_not_move_an_interval() -> None:
    """A metric has the interval it would have alone, also beside one with other pairs."""

    def with_another(report: Report) -> Report:
        (stage,) = report.stages
        (own,) = stage.metrics
        other = MetricSummary(spec("retrieval.hit_at_k"), 5, 0.5, 1, 1)
        rows = tuple(
            Row(row.name, (MISSING if at % 3 else 1.0, *row.values))
            for at, row in enumerate(stage.rows)
        )
        return Report("tests", (StageReport(stage.stage, (other, own), (other, own), rows),))

    one, other = _report(_noisy(5, 0.5)), _report(_noisy(6, 0.5))
    beside = compare(with_another(one), with_another(other)).metrics
    assert _only(compare(one, other)).interval == beside[1].interval
    assert (20, (0.0, 0.0)) == (beside[0].pairs, beside[0].interval)


def test_blocks_bound_what_is_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resampling row by row gives the bounds that one block gives, but for chance."""
    one, other = _report(_noisy(5, 0.5)), _report(_noisy(6, 0.5))
    whole = _only(compare(one, other)).interval
    monkeypatch.setattr(compare_module, "_CELLS", 1)
    assert whole == pytest.approx(_only(compare(one, other)).interval, abs=0.02)


def test_an_aggregate_has_no_interval() -> None:
    """A percentile has two values and a difference, and no values per record."""
    p95 = spec("retrieval.p95_latency_ms")

    def report(value: float) -> Report:
        summary = MetricSummary(p95, None, value, 9, 9)
        return Report("tests", (StageReport(Stage.RETRIEVAL, (summary,)),))

    metric = _only(compare(report(290.0), report(200.0)))
    assert (-90.0, 0, None) == (metric.difference, metric.pairs, metric.interval)
    assert Verdict.UNCLEAR is metric.verdict


def test_another_formula_is_not_compared() -> None:
    """Values of two versions of a formula stand side by side, without a difference."""
    newer = replace(MRR, version=2)
    rows: list[tuple[str, Measured]] = [("a", 0.0), ("b", 1.0)]
    metric = _only(compare(_report(rows), _report(rows, newer)))
    assert (0.5, 0.5, None) == (metric.before, metric.after, metric.difference)
    assert (0, None) == (metric.pairs, metric.interval)


def test_metrics_of_one_report_stand_alone() -> None:
    """What only one side has is shown with one value, in the order of the stages."""
    before = _report([("a", 0.5)], spec("generation.exact_match"), None)
    after = _report([("a", 0.25)], MRR, 1)
    comparison = compare(replace(before, title="old"), replace(after, title="new"))
    assert ("old", "new") == (comparison.before, comparison.after)
    assert [("retrieval.mrr_at_k", 1, None, 0.25), ("generation.exact_match", None, 0.5, None)] == [
        (one.key, one.k, one.before, one.after) for one in comparison.metrics
    ]
    assert {None} == {one.difference for one in comparison.metrics}


def test_hostile_numbers_are_no_pairs() -> None:
    """A number beyond all bounds spoils no interval of the others."""
    before = _report([("a", 1e308), ("b", 0.5), ("c", 0.5)])
    after = _report([("a", -1e308), ("b", 1.0), ("c", 1.0)])
    metric = _only(compare(before, after))
    assert (2, (0.5, 0.5)) == (metric.pairs, metric.interval)


@pytest.mark.parametrize("resamples", [0, -1])
def test_no_draws_are_no_comparison(resamples: int) -> None:
    """Without a draw there is no interval to state."""
    with pytest.raises(ValueError, match=f"resamples={resamples} must be 1 or more"):
        compare(Report("a", ()), Report("b", ()), resamples=resamples)
