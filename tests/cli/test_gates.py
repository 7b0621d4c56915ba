"""Bounds that a report must keep: what fails, and what is said of it."""

import pytest

from ragmon.cli.gates import Gate, broken, read_gates
from ragmon.cli.weights import read_weights
from ragmon.errors import ConfigError
from ragmon.summary.report import Report
from tests.summary.reports import REGISTRY, example, stage, summary


def told(*, under: str = "", over: str = "", report: Report | None = None) -> list[str]:
    gates = read_gates([under] if under else [], [over] if over else [], REGISTRY)
    return list(broken(gates, report or example()))


@pytest.mark.parametrize(
    ("under", "over"),
    [
        ("retrieval.ndcg_at_k@5=0.7", ""),
        ("retrieval.ndcg_at_k=0.6125", ""),
        ("", "retrieval.p95_latency_ms=290"),
        ("", "retrieval.duplicate_result_ratio = 0.25"),
        ("retrieval.retrieved_documents=1", ""),
    ],
)
def test_a_value_on_the_bound_or_beyond_it_keeps_it(under: str, over: str) -> None:
    """Nothing is said; without a cut-off the smallest one is judged."""
    assert told(under=under, over=over) == []


def test_a_mean_of_values_on_the_bound_keeps_it() -> None:
    """The last bit of a sum fails no build."""
    assert Gate("a.b", None, 0.7, floor=True).keeps(0.7 - 1e-16)
    assert not Gate("a.b", None, 0.7, floor=True).keeps(0.7 - 1e-9)


def test_a_fallen_metric_names_value_bound_and_rows() -> None:
    """Only the rows that fell, the worst first."""
    assert told(under="retrieval.ndcg_at_k@5=0.8") == [
        "retrieval.ndcg_at_k@5 is 0.7125, and must be at least 0.8; worst: q-1 (0.5)"
    ]
    assert told(over="retrieval.latency_ms=150") == [
        "retrieval.latency_ms is 200, and must be at most 150.0; worst: q-1 (300)"
    ]


def test_an_aggregate_names_the_rows_it_was_made_of() -> None:
    """A P95 that is too high is the fault of the slowest requests."""
    assert told(over="retrieval.p95_latency_ms=250") == [
        "retrieval.p95_latency_ms is 290, and must be at most 250.0; worst: q-1 (300)"
    ]


def test_at_most_five_rows_are_named() -> None:
    """The worst of a hundred queries, not all of them."""
    rows = {f"q-{number}": (number / 100,) for number in range(100)}
    report = Report("x", (stage([summary("retrieval.hit_at_k", 0.495, 5)], rows),))
    (line,) = told(under="retrieval.hit_at_k=0.5", report=report)
    assert line.endswith("worst: q-0 (0), q-1 (0.01), q-2 (0.02), q-3 (0.03), q-4 (0.04)")


def test_a_value_just_below_is_told_in_full() -> None:
    """`0.7 must be at least 0.7` would help nobody."""
    report = Report("x", (stage([summary("retrieval.hit_at_k", 0.6999999, 5)]),))
    (line,) = told(under="retrieval.hit_at_k=0.7", report=report)
    assert line == "retrieval.hit_at_k is 0.6999999, and must be at least 0.7"


@pytest.mark.parametrize(
    ("under", "why"),
    [
        ("generation.exact_match=0", "missing:gold_ids (3)"),
        ("end_to_end.answer_f1=0", "the stage end_to_end was not evaluated"),
        ("retrieval.ndcg_at_k@10=0", "it was evaluated at k=1, 5 only"),
        ("retrieval.top_score=0", "it is not among the metrics of the report"),
    ],
)
def test_what_was_not_measured_does_not_pass(under: str, why: str) -> None:
    """Even a bound of 0 is not kept by a metric without a value; its reason is given."""
    label = under.partition("=")[0]
    assert told(under=under) == [f"{label} is not measured, and must be at least 0.0: {why}"]


@pytest.mark.parametrize(
    ("under", "over", "fault"),
    [
        ("retrieval.ndcg=0.7", "", "did you mean 'retrieval.ndcg_at_k'?"),
        ("zzz=0.7", "", "`ragmon metrics` lists them"),
        ("retrieval.ndcg_at_k", "", "has no bound"),
        ("retrieval.ndcg_at_k=high", "", "'high' is no number"),
        ("retrieval.ndcg_at_k=nan", "", "'nan' is no number"),
        ("retrieval.ndcg_at_k@0=1", "", "the cut-off '0' is no whole number from 1"),
        ("retrieval.ndcg_at_k@x=1", "", "the cut-off 'x' is no whole number from 1"),
        ("retrieval.latency_ms=9", "", "of retrieval.latency_ms lower is better; use --fail-over"),
        ("", "retrieval.mrr_at_k=1", "of retrieval.mrr_at_k higher is better; use --fail-under"),
    ],
)
def test_what_is_no_gate_is_refused(under: str, over: str, fault: str) -> None:
    """Unknown metrics, bounds and cut-offs, and bounds on the good side."""
    with pytest.raises(ConfigError) as refused:
        told(under=under, over=over)
    (line,) = refused.value.faults
    assert fault in line


def test_weights_are_of_stages_and_of_metrics() -> None:
    """Several in one option or each in its own; spaces do not matter."""
    assert read_weights(["retrieval=2, generation=0.5", "retrieval.ndcg_at_k=3"]) == {
        "retrieval": 2.0,
        "generation": 0.5,
        "retrieval.ndcg_at_k": 3.0,
    }


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ("retrival=1", "the nearest is 'retrieval'"),
        ("generation=-1", "a weight is a number from 0"),
        ("generation=heavy", "'heavy' is no number"),
        ("generation", "has no weight"),
        ("retrieval.latency_ms=1", "nothing scored is named 'retrieval.latency_ms'"),
    ],
)
def test_what_is_no_weight_is_refused(part: str, fault: str) -> None:
    """Beside one that is right, each fault has its line."""
    with pytest.raises(ConfigError) as refused:
        read_weights([f"chunking=1,{part}"])
    (line,) = refused.value.faults
    assert line.startswith(f"--weights {part}: ")
    assert fault in line
