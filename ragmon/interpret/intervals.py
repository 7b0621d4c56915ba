"""Lengths of unions of time intervals."""

from collections.abc import Iterable
from typing import TypeAlias

Interval: TypeAlias = tuple[int, int]


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The same stretch of time as disjoint intervals in order."""
    joined: list[Interval] = []
    for start, end in sorted(intervals):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def length(intervals: Iterable[Interval]) -> int:
    """Time covered by at least one of the intervals."""
    return sum(end - start for start, end in union(intervals))


def length_without(intervals: list[Interval], cut: list[Interval]) -> int:
    """Time covered by the intervals and by none of those cut out."""
    return length([*intervals, *cut]) - length(cut) if cut else length(intervals)
