"""Which of several spans is heard."""

from collections.abc import Callable, Iterable, Sequence
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


def latest_of(nodes: Sequence[Node], read: Callable[[SpanMeaning], _T | None]) -> _T | None:
    """The value of the span that ended last of those that have one."""
    return first_of(latest_first(node for node in nodes if read(node.meaning) is not None), read)
