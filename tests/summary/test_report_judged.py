"""Scorecard and comparison within the views of a report."""

import json
import re

import pytest
from rich.console import Console
from rich.table import Table

from ragmon.summary.report import Report
from ragmon.summary.views.terminal import comparison_table, scorecard_table
from tests.summary.pages import Page, markdown_row
from tests.summary.reports import HOSTILE, example, stage, summary

DASH = "\N{EN DASH}"
NOT_MEASURED = "not measured"


def terminal_row(table: Table, first: str) -> list[str]:
    console = Console(width=160, force_terminal=False, color_system=None)
    with console.capture() as captured:
        console.print(table)
    line = next(line for line in captured.get().splitlines() if first in line)
    return re.split(r"\s{2,}", line.partition(first)[2].strip())


def before_and_after() -> tuple[Report, Report]:
    """Ten queries, each a tenth better afterwards; a metric of which only one run knows."""
    reports = [
        Report(
            title,
            (
                stage(
                    [summary("retrieval.mrr_at_k", value, 5), summary(*only)],
                    {f"q-{number}": (value, 0.5) for number in range(10)},
                ),
            ),
        )
        for title, value, only in (
            (HOSTILE, 0.5, ("retrieval.top_score", 0.5)),
            ("after", 0.625, ("retrieval.score_gap", 0.5)),
        )
    ]
    return reports[0], reports[1]


def test_scores_stand_beside_what_they_are_made_of() -> None:
    """A score of one metric never looks like one of seven, and what nobody asked is no lack."""
    report = example()
    for label, told in (
        ("Retrieval", ["0.6125", "1 / 7"]),
        ("Generation", [NOT_MEASURED, "0 / 10"]),
        ("Chunking", ["not evaluated", DASH]),
        ("Overall", ["0.6125", "1 / 19"]),
    ):
        assert told == Page(report.to_html()).row(label)[1:], label
        assert told == terminal_row(scorecard_table(report.scorecard()), label), label
        bold = [f"**{told[0]}**", told[1]] if label == "Overall" else told
        name = f"**{label}**" if label == "Overall" else label
        assert bold == markdown_row(report.to_markdown(), name), label


def test_json_holds_the_scorecard_with_null_for_what_is_not_known() -> None:
    """Tools find the scores without computing them again."""
    card = json.loads(example().to_json())["scorecard"]
    assert (0.6125, 1, 19) == (card["score"], card["measured"], card["possible"])
    scores = {one["stage"]: one["score"] for one in card["stages"]}
    assert (0.6125, None) == (scores["retrieval"], scores["chunking"])


def test_weights_reach_every_view() -> None:
    """A stage of weight 0 is in no score over all."""
    report, weights = example(), {"retrieval": 0.0}
    assert NOT_MEASURED == Page(report.to_html(weights)).row("Overall")[1]
    assert f"**{NOT_MEASURED}**" == markdown_row(report.to_markdown(weights), "**Overall**")[0]
    assert json.loads(report.to_json(weights))["scorecard"]["score"] is None
    with pytest.raises(ValueError, match="the nearest is 'retrieval'"):
        report.to_html({"retrival": 1.0})


def test_two_runs_stand_side_by_side() -> None:
    """Values, difference with its sign, interval, pairs and verdict in each view."""
    before, after = before_and_after()
    comparison = after.compare(before)
    told = ["0.5", "0.625", "+0.125", "+0.125 to +0.125", "10", "better"]
    page = Page(after.to_html(comparison=comparison))
    assert told == page.row("retrieval.mrr_at_k@5")[1:]
    markdown = after.to_markdown(comparison=comparison)
    assert told == markdown_row(markdown, "`retrieval.mrr_at_k@5`")
    assert told == terminal_row(comparison_table(comparison), "retrieval.mrr_at_k@5")
    fields = json.loads(after.to_json(comparison=comparison))["comparison"]["metrics"][0]
    assert (0.5, 0.625, 0.125, 10, "better") == tuple(
        fields[name] for name in ("before", "after", "difference", "pairs", "verdict")
    )
    assert "<script" not in after.to_html(comparison=comparison)


def test_what_only_one_run_measured_is_said() -> None:
    """No difference is made of a value and nothing."""
    before, after = before_and_after()
    comparison = after.compare(before)
    for key, told in (
        ("retrieval.top_score", ["0.5", NOT_MEASURED, DASH, DASH, "0", "unclear"]),
        ("retrieval.score_gap", [NOT_MEASURED, "0.5", DASH, DASH, "0", "unclear"]),
    ):
        page = Page(after.to_html(comparison=comparison))
        assert told == page.row(key)[1:], key
        assert told == terminal_row(comparison_table(comparison), key), key


def test_a_report_with_a_comparison_is_read_back_as_the_report() -> None:
    """What follows from a report is not a part of it."""
    before, after = before_and_after()
    content = json.loads(after.to_json(comparison=after.compare(before)))
    assert Report.from_dict(content) == after
