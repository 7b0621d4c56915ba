"""Reading pages back: HTML as rows of cells, Markdown as tables."""

import re
from html.parser import HTMLParser

VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})


class Page(HTMLParser):
    """A page's rows by the words of their cells; every tag must close what it opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, text: str) -> None:
        if {"td", "th"} & set(self._open) and "small" not in self._open:
            self.rows[-1][-1] += text.strip()

    def row(self, first: str) -> list[str]:
        """The other cells of the first row that starts so."""
        return next(row[1:] for row in self.rows if row[0] == first)


def markdown_row(text: str, first: str) -> list[str]:
    """The other cells of the first Markdown row that starts so."""
    return next(cells[1:] for cells in map(_cells, text.splitlines()) if cells[:1] == [first])


def _cells(line: str) -> list[str]:
    if not line.startswith("|"):
        return []
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
