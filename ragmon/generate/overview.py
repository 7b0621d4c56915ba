"""The dashboard RAG / Overview, the first screen of whoever is on call."""

from typing import Final

from ragmon.generate.board import Board, Row
from ragmon.generate.canaries import canary_row
from ragmon.generate.chosen import Chosen, choose
from ragmon.generate.panels import Kind, Note, Panel, Query, Step, falling, rising
from ragmon.generate.promql import COUNTED, MEASURED, rate_share, share
from ragmon.generate.scores import GOLD_WINDOW, gold_tile, mean_of, quality_graph, spread
from ragmon.generate.selectors import NOW, OF_JOB, STEP, quantile, selected
from ragmon.metrics.registry import Registry

GROUNDING: Final = "generation.context_grounding"
# At most five metrics a graph, and one direction: ten lines are spaghetti, and a rise that
# is good beside one that is bad misleads.
HIGHER_IS_BETTER: Final = (
    GROUNDING,
    "augmentation.budget_compliant",
    "reranking.candidate_set_preservation_rate",
    "retrieval.recall_at_k",
    "generation.answer_f1",
)
LOWER_IS_BETTER: Final = (
    "generation.unsupported_number_rate",
    "generation.unsupported_number_rate_with_question",
    "augmentation.duplicate_ratio_text",
)
AGAINST_GOLD: Final = (
    "retrieval.recall_at_k",
    "retrieval.ndcg_at_k",
    "retrieval.hit_at_k",
    "generation.answer_f1",
    "generation.exact_match",
)

_HOW_TO_READ: Final = """\
**Grey = not measured**: an input was not captured, or no gold label came. It is never a zero.

A gap in a line is a time in which nothing was measured.

*Against gold labels* is in event time, so late labels change it. All other rows count a \
request once, when it is measured.
"""


def overview(registry: Registry) -> Board:
    """Is it up, is it fast, are the answers good, what changed.

    Raises:
        KeyError: the registry lacks a metric that the dashboard shows.
    """
    grounding = choose(registry, GROUNDING)
    return Board(
        uid="ragmon-overview",
        title="RAG / Overview",
        description="First screen of the on-call: is it up, is it fast, are the answers good,"
        " what changed.",
        rows=(
            Row(1, "Now", 5, (*_now(grounding), _note())),
            Row(2, "Error budget", 7, (_budget_left(), _state(grounding))),
            Row(3, f"Against gold labels ({GOLD_WINDOW})", 5, _against_gold(registry)),
            Row(4, "Users", 8, (_outcomes(), _latency(), _latency_by_stage())),
            Row(5, "Answers", 8, _answers(registry, grounding)),
            canary_row(6),
        ),
    )


def _tile(
    title: str, description: str, unit: str, expr: str, thresholds: tuple[Step, ...] = ()
) -> Panel:
    return Panel(
        Kind.STAT, title, description, unit, (Query(expr),), width=3, thresholds=thresholds
    )


def _graph(title: str, description: str, unit: str, *queries: Query) -> Panel:
    return Panel(Kind.TIME_SERIES, title, description, unit, queries, width=8, lowest=0)


def _note() -> Note:
    return Note("How to read", "What grey, gaps and the rows mean.", _HOW_TO_READ, width=6)


def _now(grounding: Chosen) -> tuple[Panel, ...]:
    requests = selected("ragmon_requests_total")
    errors = selected("ragmon_requests_total", 'outcome="error"')
    return (
        _tile(
            "Requests",
            "Requests measured a second, over five minutes.",
            "reqps",
            f"sum(rate({requests}[{NOW}]))",
        ),
        _tile(
            "Errors",
            "Share of the requests that failed.",
            "percentunit",
            rate_share(errors, requests, NOW),
            falling(0.01, 0.05),
        ),
        _tile(
            "Latency p95",
            "Nineteen of twenty requests are faster than this (estimated from buckets).",
            "s",
            quantile(0.95, "ragmon_request_duration_seconds", window=NOW),
            falling(4, 8),
        ),
        _tile(
            "Grounding",
            f"{grounding.spec.summary} Mean of five minutes.",
            grounding.unit,
            mean_of(grounding, NOW),
            rising(0.6, 0.75),
        ),
        _tile(
            "No chunk found",
            "Share of the retrievals that returned nothing.",
            "percentunit",
            rate_share(
                selected("ragmon_empty_retrievals_total"),
                selected("ragmon_retrieved_chunks_count"),
                NOW,
            ),
            falling(0.02, 0.1),
        ),
        _tile(
            "Measured",
            "Share of the evaluations of label-free metrics that gave a value: low means that"
            " inputs are not captured. Undefined cases do not count.",
            "percentunit",
            share(_label_free(MEASURED), _label_free(COUNTED)),
            rising(0.3, 0.5),
        ),
    )


def _label_free(results: str) -> str:
    evaluations = selected("ragmon_evaluations_total", results)
    which = f'max by (stage, metric) (ragmon_metric_info{{{OF_JOB},needs="label_free"}})'
    return f"sum(rate({evaluations}[{NOW}]) * on (stage, metric) group_left () {which})"


def _budget_left() -> Panel:
    judged, bad = (
        f"sum by (pipeline, slo) (increase({selected('ragmon_slo_requests_total', kind)}[30d]))"
        for kind in ('result=~"good|bad"', 'result="bad"')
    )
    objective = f"max by (pipeline, slo) ({selected('ragmon_slo_objective_ratio')})"
    return Panel(
        Kind.BAR_GAUGE,
        "Budget left (30 d)",
        "What is left of the requests that may miss each objective within 30 days. Below zero"
        " the objective was not kept.",
        "percentunit",
        (Query(f"1 - ({share(bad, judged)}) / (1 - {objective})", "{{pipeline}} {{slo}}"),),
        width=12,
        thresholds=rising(0.1, 0.3),
        lowest=0,
        highest=1,
    )


def _state(grounding: Chosen) -> Panel:
    return Panel(
        Kind.STATE_TIMELINE,
        "State of each pipeline",
        f"{grounding.spec.summary} Mean per pipeline: for whom, and since when.",
        grounding.unit,
        (Query(mean_of(grounding, STEP, by="pipeline"), "{{pipeline}}"),),
        width=12,
        thresholds=rising(0.6, 0.75),
        decimals=0,
    )


def _against_gold(registry: Registry) -> tuple[Panel, ...]:
    tiles = (gold_tile(choose(registry, key), width=4) for key in AGAINST_GOLD)
    coverage = Panel(
        Kind.BAR_GAUGE,
        "Label coverage",
        "Share of the requests of the window that a gold label reached, for each store.",
        "percentunit",
        (
            Query(
                selected("ragmon_label_coverage_ratio", f'window="{GOLD_WINDOW}"'),
                "{{pipeline}} {{instance}}",
            ),
        ),
        width=4,
        thresholds=(Step(None, "blue"),),
        lowest=0,
        highest=1,
    )
    return (*tiles, coverage)


def _outcomes() -> Panel:
    requests = selected("ragmon_requests_total")
    return _graph(
        "Requests by outcome",
        "Requests a second: answered, abstained where the answer declines, failed, or unknown"
        " where no answer was captured or its language has no rule.",
        "reqps",
        Query(f"sum by (outcome) (rate({requests}[{STEP}]))", "{{outcome}}"),
    )


def _latency() -> Panel:
    return _graph(
        "Latency",
        "Duration of requests, estimated from buckets; a dot opens a trace.",
        "s",
        *(
            Query(quantile(q, "ragmon_request_duration_seconds"), f"p{q * 100:.0f}", exemplars=True)
            for q in (0.5, 0.95, 0.99)
        ),
    )


def _latency_by_stage() -> Panel:
    return _graph(
        "Latency by stage (p95)",
        "Nineteen of twenty runs of each stage are faster than this.",
        "s",
        Query(quantile(0.95, "ragmon_stage_duration_seconds", by="stage, le"), "{{stage}}"),
    )


def _answers(registry: Registry, grounding: Chosen) -> tuple[Panel, ...]:
    higher, lower = (
        tuple(choose(registry, key) for key in keys) for keys in (HIGHER_IS_BETTER, LOWER_IS_BETTER)
    )
    return (
        quality_graph("Quality, higher is better", higher, width=12),
        quality_graph("Quality, lower is better", lower, width=12),
        spread("Grounding of the answers", grounding, width=12),
        _cost(),
    )


def _cost() -> Panel:
    priced = 'stage="end_to_end",metric="cost_usd",result=~"measured.*"'
    return Panel(
        Kind.TIME_SERIES,
        "Cost per request",
        "US dollars of model calls per request whose cost is known.",
        "currencyUSD",
        (
            Query(
                rate_share(
                    selected("ragmon_cost_usd_total"),
                    selected("ragmon_evaluations_total", priced),
                    STEP,
                    "pipeline",
                ),
                "{{pipeline}}",
            ),
        ),
        width=12,
        lowest=0,
    )
