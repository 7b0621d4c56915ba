"""How labels fare, as a person reads it."""

from typing import Any

from rich.table import Table

from ragmon.cli.console import out


def show_status(told: dict[str, Any]) -> None:
    """Print what `GET /v1/labels/status` told."""
    out.print(f"since the start: {_counts(told['since_start'])}", highlight=False, soft_wrap=True)
    waiting = told["unmatched"]
    age_s = waiting["oldest_age_s"]
    oldest = "" if age_s is None else f", the oldest for {age_s / 3600:.1f} h"
    out.print(f"waiting for their request: {waiting['count']}{oldest}", highlight=False)
    _show_telemetry(told.get("assessments", {}))
    if feedback := told.get("feedback"):
        counts = _counts(feedback["since_start"])
        out.print(f"feedback: {counts}; {feedback['unmatched']} waiting", highlight=False)
    if told["labels"]:
        out.print(_labels_table(told["labels"]))
    out.print(_coverage_table(told["coverage"]))


def _show_telemetry(ways: dict[str, dict[str, int]]) -> None:
    """What became of evaluations on log events and spans, where any came."""
    for way, counts in ways.items():
        if came := {name: count for name, count in counts.items() if count}:
            out.print(f"evaluations by {way}: {_counts(came)}", highlight=False, soft_wrap=True)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _labels_table(counts: list[dict[str, Any]]) -> Table:
    table = Table("field", "annotator", "labels", "waiting", box=None, pad_edge=False)
    for one in counts:
        table.add_row(one["field"], one["annotator"], str(one["count"]), str(one["unmatched"]))
    return table


def _coverage_table(coverage: dict[str, dict[str, Any]]) -> Table:
    table = Table("window", "pipeline", "requests", "labelled", "", box=None, pad_edge=False)
    for window, pipelines in coverage.items():
        for pipeline, one in pipelines.items():
            counts = (str(one["requests"]), str(one["labelled"]), f"{one['ratio']:.1%}")
            table.add_row(window, pipeline, *counts)
    return table
