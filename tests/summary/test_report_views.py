"""One report, five views: the same values in each, and nothing that was not measured is 0."""

import json
import re

import pytest
from hypothesis import given, settings
from rich.console import Console

from ragmon.metrics.spec import Unit
from ragmon.summary.report import Report
from ragmon.summary.views.words import amount, plain, shown
from tests.summary.pages import Page, markdown_row
from tests.summary.reports import HOSTILE, example, reports, stage, summary

NOT_MEASURED = "not measured"
DASH = "\N{EN DASH}"


def terminal(report: Report) -> str:
    console = Console(width=160, force_terminal=False, color_system=None)
    with console.capture() as captured:
        console.print(report.to_table())
    return captured.get()


def terminal_row(report: Report, label: str) -> list[str]:
    (line,) = [line for line in terminal(report).splitlines() if f" {label} " in line]
    return re.split(r"\s{2,}", line.partition(label)[2].strip())


def test_every_view_shows_the_same_values() -> None:
    """Value, quantiles and count stand in one row in HTML, Markdown and the terminal."""
    report = example()
    numbers = ["0.7125", "0.3563", "1.425", "2/3"]
    assert numbers == Page(report.to_html()).row("ndcg_at_k@5")[2:6]
    assert numbers == markdown_row(report.to_markdown(), "`ndcg_at_k@5`")[1:5]
    assert numbers == terminal_row(report, "ndcg_at_k@5")


def test_what_was_not_measured_is_said_in_every_view() -> None:
    """A metric without a value is `not measured` with its reason, null in JSON, never 0."""
    report = example()
    told = [NOT_MEASURED, DASH, DASH, "0/3", "missing:gold_ids (3)"]
    assert told == Page(report.to_html()).row("exact_match")[2:]
    assert [*told[:4], r"missing:gold\_ids (3)"] == markdown_row(
        report.to_markdown(), "`exact_match`"
    )[1:]
    assert told == terminal_row(report, "exact_match")
    (metric,) = [
        metric
        for one in json.loads(report.to_json())["stages"]
        for metric in one["metrics"]
        if metric["name"] == "exact_match"
    ]
    assert (None, None, None) == (metric["value"], metric["p50"], metric["p95"])


def test_the_funnel_tells_each_step_or_that_it_was_not_measured() -> None:
    """A step between two measured ones that was not captured is drawn as such."""
    report = example()
    page, markdown = Page(report.to_html()), report.to_markdown()
    for step, told in (
        ("retrieved", ["8", "2"]),
        ("reranked", [NOT_MEASURED, "0"]),
        ("packed", [NOT_MEASURED, "0"]),
        ("used", ["2", "2"]),
    ):
        assert told == page.row(step)[1:], step
        assert told == markdown_row(markdown, step), step
    labels = {value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")}
    assert {"retrieved: 8 documents", "reranked: not measured"} <= labels


def test_without_any_count_there_is_no_funnel() -> None:
    """A report of chunking alone shows no empty funnel."""
    report = Report("chunks", (stage([summary("retrieval.top_score", 0.5)]),))
    assert "funnel" not in report.to_markdown().lower()
    assert "Evidence funnel" not in report.to_html()


def test_bars_lie_on_the_scale_of_their_unit() -> None:
    """A ratio's bar is as wide as its value; a duration has no scale and no bar."""
    html = example().to_html()
    bars = dict(
        re.findall(r'aria-label="(\S+): [^"]*"><rect[^>]*/><rect[^>]* width="([\d.]+)"', html)
    )
    assert bars["ndcg_at_k@5"] == "71.25"
    assert bars["duplicate_result_ratio"] == "25.00"
    assert "latency_ms" not in bars


def test_lower_is_better_is_recognised_without_colour() -> None:
    """The direction is a word and an arrow in HTML and Markdown, an arrow in the terminal."""
    report = example()
    assert "↓ lower" == Page(report.to_html()).row("duplicate_result_ratio")[0]
    assert "↓ lower" == markdown_row(report.to_markdown(), "`duplicate_result_ratio`")[0]
    assert "↓ duplicate_result_ratio" in terminal(report)


def test_worst_rows_are_named_worst_first_by_direction() -> None:
    """The lowest nDCG and the highest share of duplicates; an ideal value is not bad."""
    page = Page(example().to_html())
    rows = {row[0]: row[1] for row in page.rows if len(row) == 2}
    name = shown(HOSTILE)
    assert rows["ndcg_at_k@5"] == f"q-1 (0.5), {name} (0.925)"
    assert rows["duplicate_result_ratio"] == f"{name} (0.5), q-3 (0.25)"
    assert "retrieved_documents" not in rows
    assert page.row("gold_not_found") == ["2"]


@pytest.mark.parametrize("view", ["to_html", "to_markdown"])
def test_a_hostile_name_stays_a_name(view: str) -> None:
    """Markup, control characters and surrogates are escaped, and 10 kB are cut."""
    text = getattr(example(), view)()
    text.encode("utf-8")
    assert "<script" not in text.replace(r"\<script", "")
    assert "\x1b" not in text
    assert "xxxxxxxxxx" * 10 not in text


def test_the_terminal_takes_no_command_from_a_name() -> None:
    """Neither escapes nor rich's own markup in a title or a note reach the terminal."""
    title = "[bold]x[/bold]\x1b[2J\n"
    told = terminal(
        Report(title, (stage([summary("retrieval.top_score", 0.5)], notes={title: 1}),))
    )
    assert "\x1b" not in told
    assert 2 == told.count(r"[bold]x[/bold]\x1b[2J\n")


def test_the_page_needs_nothing_but_itself() -> None:
    """No script, no link, no image and no address from elsewhere; light, dark and print."""
    html = example().to_html()
    page = Page(html)
    assert not {"script", "link", "img", "iframe", "a"} & set(page.tags)
    assert not [one for one in page.attributes if one[1] in ("src", "href", "style")]
    assert not re.search(r"@import|url\(", html)
    for rule in ("color-scheme", "prefers-color-scheme: dark", "@media print"):
        assert rule in html


def test_the_page_can_be_heard() -> None:
    """Every header cell has its scope, every table a caption, every drawing a label."""
    page = Page(example().to_html())
    assert page.tags.count("th") == [name for tag, name, _ in page.attributes if tag == "th"].count(
        "scope"
    )
    assert page.tags.count("table") == page.tags.count("caption")
    labelled = [tag for tag, name, _ in page.attributes if name == "aria-label"]
    assert page.tags.count("svg") == labelled.count("svg")
    assert ("html", "lang", "en") in page.attributes


@given(reports())
@settings(max_examples=40, deadline=None)
def test_a_report_comes_back_from_its_dict_and_its_json(report: Report) -> None:
    """Nothing is lost on the way: names, reasons, rows, metrics at their cut-offs."""
    assert Report.from_dict(report.to_dict()) == report
    assert Report.from_dict(json.loads(report.to_json())) == report


@given(reports())
@settings(max_examples=20, deadline=None)
def test_any_report_can_be_shown(report: Report) -> None:
    """Each view is well-formed and can be written, whatever the names and values are."""
    Page(report.to_html()).rows  # noqa: B018 (reading it checks that it is well-formed)
    report.to_markdown().encode("utf-8")
    terminal(report).encode("utf-8")
    report.to_json().encode("ascii")


def test_no_number_that_json_lacks_is_written() -> None:
    """NaN and infinity are no measurements, in no view."""
    for value in (float("nan"), float("inf")):
        report = Report("x", (stage([summary("retrieval.top_score", value)]),))
        json.loads(report.to_json(), parse_constant=pytest.fail)
        assert NOT_MEASURED == Page(report.to_html()).row("top_score")[2]
        assert NOT_MEASURED == markdown_row(report.to_markdown(), "`top_score`")[1]


def test_a_small_value_never_looks_like_zero() -> None:
    """Four significant digits, however small; a unit where there is one."""
    assert ("1.234e-05", "0", "999.9", "12,346") == tuple(
        map(plain, (0.00001234, 0.0, 999.9, 12_345.6))
    )
    assert ("0.0012 USD", "1,500 ms") == (amount(0.0012, Unit.USD), amount(1500, Unit.MILLISECONDS))
