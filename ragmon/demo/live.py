"""The live view: a table in a terminal, else a plain line now and then."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Protocol, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ragmon.demo.labels import LabelCounts
from ragmon.demo.reading import Reading
from ragmon.demo.traffic import TrafficCounts

LINE_EVERY = 5
"""Without a terminal, there is one line for so many views."""

_ABSENT = "-"
_TITLES = {
    "requests": "requests settled",
    "p50_s": "latency p50",
    "p95_s": "latency p95",
    "grounding": "grounding of the answers",
    "recall": "retrieval recall@k",
    "measured": "measured, label-free metrics",
    "labelled": "measured, gold metrics",
}


@dataclass(frozen=True, slots=True)
class View:
    """One moment of the demo. `problem` stands where the readings could not be taken."""

    fault: str
    traffic: TrafficCounts
    labels: LabelCounts
    last_minute: Reading | None
    last_hour: Reading | None
    problem: str | None


class Screen(Protocol):
    """Where views go."""

    def show(self, view: View) -> None:
        """Show a view in place of the one before, or below it."""
        ...


class LineScreen:
    """Prints one plain line for every few views, and the last one."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._views = 0
        self._unprinted: View | None = None

    def show(self, view: View) -> None:
        """Print the view as a line, if its turn has come."""
        self._unprinted = view
        if self._views % LINE_EVERY == 0:
            self.print_last()
        self._views += 1

    def print_last(self) -> None:
        """Print the last view, if it was not printed."""
        if self._unprinted is not None:
            print(as_line(self._unprinted), file=self._out, flush=True)
            self._unprinted = None


class TableScreen:
    """Redraws one table."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def show(self, view: View) -> None:
        """Redraw the table."""
        self._live.update(as_table(view), refresh=True)


@contextmanager
def open_screen(out: TextIO = sys.stdout) -> Iterator[Screen]:
    """A table where `out` is a terminal, else lines."""
    console = Console(file=out)
    if not console.is_terminal:
        lines = LineScreen(out)
        yield lines
        lines.print_last()
        return
    with Live(console=console, auto_refresh=False) as live:
        yield TableScreen(live)


def as_table(view: View) -> Group:
    """The view as a table of the last minute and the last hour."""
    table = Table(title=f"ragmon demo, fault: {view.fault}")
    table.add_column("")
    table.add_column("last minute", justify="right")
    table.add_column("last hour", justify="right")
    for row in fields(Reading):
        minute, hour = _cell(view.last_minute, row.name), _cell(view.last_hour, row.name)
        table.add_row(_TITLES[row.name], minute, hour)
    return Group(table, Text(_sent(view)), Text(view.problem or "", style="yellow"))


def as_line(view: View) -> str:
    """The view as one line: the last minute, then what was sent."""
    if view.problem is not None:
        return f"{view.problem} | {_sent(view)}"
    parts = [f"{row.name} {_cell(view.last_minute, row.name)}" for row in fields(Reading)]
    return f"last minute: {', '.join(parts)} | {_sent(view)}"


def _sent(view: View) -> str:
    return (
        f"sent {view.traffic.asked} requests ({view.traffic.failed} failed), "
        f"labels {view.labels.accepted} accepted, {view.labels.refused} refused, "
        f"{view.labels.undelivered} not delivered"
    )


def _cell(reading: Reading | None, name: str) -> str:
    value = None if reading is None else getattr(reading, name)
    if value is None:
        return _ABSENT
    if name == "requests":
        return f"{value:.0f}"
    if name.endswith("_s"):
        return f"{value:.2f} s"
    return f"{value:.0%}" if name in {"measured", "labelled"} else f"{value:.3f}"
