"""What a dashboard is declared from: rows of panels on Grafana's grid of 24 columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ragmon.generate.panels import Json, Note, Panel, as_json, heading

COLUMNS: Final = 24


@dataclass(frozen=True, slots=True)
class Row:
    """A heading and panels of one height.

    number: 1 to 99, never given anew: panel ids are made of it, and links hold panel ids.
    """

    number: int
    title: str
    height: int
    panels: tuple[Panel | Note, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """One dashboard; uid is part of its address and never changes."""

    uid: str
    title: str
    description: str
    rows: tuple[Row, ...]


def placed(rows: tuple[Row, ...]) -> list[Json]:
    """All panels of the rows with their ids and places, top to bottom."""
    panels: list[Json] = []
    top = 0
    for row in rows:
        panels.append(heading(row.title, row.number * 100, _place(0, top, COLUMNS, 1)))
        top += 1
        for position, (panel, left, line) in enumerate(_lines(row), start=1):
            place = _place(left, top + line * row.height, panel.width, row.height)
            panels.append(as_json(panel, row.number * 100 + position, place))
        top += row.height * (1 + max(line for _, _, line in _lines(row)))
    return panels


def _lines(row: Row) -> Iterator[tuple[Panel | Note, int, int]]:
    """Each panel with its column and line, left to right, wrapped at the last column."""
    left = line = 0
    for panel in row.panels:
        if left + panel.width > COLUMNS:
            left, line = 0, line + 1
        yield panel, left, line
        left += panel.width


def _place(left: int, top: int, width: int, height: int) -> Json:
    return {"x": left, "y": top, "w": width, "h": height}
