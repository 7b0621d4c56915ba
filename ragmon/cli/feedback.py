"""Feedback as a person reads it, apart from scores."""

from typing import Any

from rich.table import Table

from ragmon.cli.console import out


def show_feedback(counts: list[dict[str, Any]]) -> None:
    """Print the feedback of one pipeline, as `GET /v1/summary` tells it; nothing without any."""
    if not counts:
        return
    columns = ("Feedback", "from", "up", "down", "ratings", "mean", "verdicts")
    table = Table(*columns, box=None, pad_edge=False)
    for one in counts:
        mean = one["rating_mean"]
        table.add_row(
            one["name"],
            one["source"],
            *(str(one[name]) for name in ("thumbs_up", "thumbs_down", "ratings")),
            "" if mean is None else f"{mean:.3g}",
            str(one["verdicts"]),
        )
    out.print(table)
    out.print("Feedback is no gold label and enters no score.", style="dim")
