"""Which of several spans is heard."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ragmon.interpret.meaning import SpanMeaning
from ragmon.interpret.tree import Node

_T = TypeVar("_T")


def latest_first(nodes: Iterable[Node]) -> list[Node]:
    """Spans, those that ended last first."""
    return sorted(nodes, key=lambda node: node.finish, reverse=True)


def first_of(nodes: Iterable[Node], read: Callable[[SpanMeaning], _T | None]) -> _T | None:
    """The first value that one of the spans has, in the order given."""
    return next((value for node in nodes if (value := read(node.meaning)) is not None), None)


def latest_of(nodes: Iterable[Node], read: Callable[[SpanMeaning], _T | None]) -> _T | None:
    """The value of the span that ended last of those that have one."""
    last: Node | None = None
    for node in nodes:
        if read(node.meaning) is not None and (last is None or node.finish > last.finish):
            last = node
    return None if last is None else read(last.meaning)
