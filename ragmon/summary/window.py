"""From roll-ups to what a window says: means, coverage and latencies per pipeline."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import fsum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragmon.model.measurement import Layout, Slot
from ragmon.model.record import Stage
from ragmon.model.window import Column, RollUp
from ragmon.summary.quantiles import Latency, latency

__all__ = ["SlotWindow", "WindowSummary", "merge", "of_requests"]


@dataclass(frozen=True, slots=True)
class SlotWindow:
    """One metric over one window.

    count: requests with a value, for a metric of chunking or embedding the indexing runs.
    mean: None where there is none; `weighted` by sampling weights, where all of these have a
    known one. undefined, missing, not_kept and failed count the others; all five sum up to
    the requests, or runs of that stage, of the window. One whose value has another version
    of the formula, or that was never asked for this metric, counts as not_kept.
    """

    slot: Slot
    count: int
    mean: float | None
    weighted: bool
    undefined: int
    missing: int
    not_kept: int
    failed: int

    @property
    def coverage(self) -> float | None:
        """Measured share of what could have been measured, in [0, 1]; None of nothing."""
        possible = self.count + self.missing + self.failed
        return self.count / possible if possible else None


@dataclass(frozen=True, slots=True)
class WindowSummary:
    """One pipeline over one window. `latencies` has the stages that have a duration.

    `requests` and `labelled` count no indexing run.
    """

    pipeline: str
    requests: int
    labelled: int
    slots: tuple[SlotWindow, ...]
    latencies: Mapping[Stage, Latency]

    @property
    def label_coverage(self) -> float | None:
        """Share of the requests that a gold label reached; None without requests."""
        return self.labelled / self.requests if self.requests else None


def merge(roll_ups: Iterable[RollUp], slots: Layout) -> tuple[WindowSummary, ...]:
    """Merge roll-ups of one window, one summary per pipeline, by name.

    slots: what to summarise, in their newest version; versions never mix.
    """
    by_pipeline: dict[str, list[RollUp]] = defaultdict(list)
    for one in roll_ups:
        by_pipeline[one.pipeline].append(one)
    return tuple(_pipeline(name, by_pipeline[name], slots) for name in sorted(by_pipeline))


def _pipeline(name: str, roll_ups: Sequence[RollUp], slots: Layout) -> WindowSummary:
    asked: Counter[_Subject] = Counter()
    for one in roll_ups:
        asked[_subject(one.layout)] += one.requests
    rows = [asked[_subject((slot,))] for slot in slots]
    return WindowSummary(
        pipeline=name,
        requests=asked[_Subject.REQUEST],
        labelled=sum(one.labelled for one in roll_ups if _subject(one.layout) is _Subject.REQUEST),
        slots=tuple(map(_slot_window, slots, _totals(roll_ups, slots), rows)),
        latencies=_latencies(roll_ups),
    )


class _Subject(Enum):
    """What the rows of a roll-up are about."""

    REQUEST = auto()
    SPLIT = auto()
    VECTORS = auto()
    NOTHING = auto()


def _subject(layout: Layout) -> _Subject:
    """What a layout measures; an empty one is no request's, which always has some metric."""
    return _SUBJECTS.get(layout[0].stage, _Subject.REQUEST) if layout else _Subject.NOTHING


def of_requests(layout: Layout) -> bool:
    """Whether rows of this layout are requests, not runs of chunking or embedding."""
    return _subject(layout) is _Subject.REQUEST


_SUBJECTS: Final = {Stage.CHUNKING.value: _Subject.SPLIT, Stage.EMBEDDING.value: _Subject.VECTORS}


def _totals(roll_ups: Sequence[RollUp], slots: Layout) -> list[list[float]]:
    """Per slot the columns of `RollUp.sums`, summed over the layouts that have it."""
    by_layout: dict[Layout, list[NDArray[np.float64]]] = defaultdict(list)
    for one in roll_ups:
        by_layout[one.layout].append(one.sums)
    blocks = [_aligned(layout, sums, slots) for layout, sums in by_layout.items()]
    table = np.concatenate(blocks).transpose(1, 2, 0)
    return [[fsum(column) for column in columns] for columns in table.tolist()]


def _aligned(
    layout: Layout, sums: Sequence[NDArray[np.float64]], slots: Layout
) -> NDArray[np.float64]:
    """(minutes, len(slots), columns): the rows of a layout in the order of `slots`, else 0."""
    place = {slot: index for index, slot in enumerate(layout)}
    found = [index for index, slot in enumerate(slots) if slot in place]
    block = np.zeros((len(sums), len(slots), len(Column)))
    block[:, found] = np.stack(sums)[:, [place[slots[index]] for index in found]]
    return block


def _slot_window(slot: Slot, totals: Sequence[float], requests: int) -> SlotWindow:
    count, undefined, missing, failed = (
        int(totals[column])
        for column in (Column.COUNT, Column.UNDEFINED, Column.MISSING, Column.FAILED)
    )
    weighted = count > 0 and totals[Column.UNKNOWN_WEIGHTS] == 0
    return SlotWindow(
        slot=slot,
        count=count,
        mean=_mean(totals, weighted=weighted),
        weighted=weighted,
        undefined=undefined,
        missing=missing,
        not_kept=requests - count - undefined - missing - failed,
        failed=failed,
    )


def _mean(totals: Sequence[float], *, weighted: bool) -> float | None:
    if not totals[Column.COUNT]:
        return None
    if weighted:
        return totals[Column.WEIGHTED_SUM] / totals[Column.WEIGHTS]
    return totals[Column.SUM] / totals[Column.COUNT]


def _latencies(roll_ups: Sequence[RollUp]) -> Mapping[Stage, Latency]:
    parts: dict[Stage, list[NDArray[np.float64]]] = defaultdict(list)
    for one in roll_ups:
        for stage, seconds in one.latencies.items():
            parts[stage].append(seconds)
    summaries = {stage: latency(parts[stage]) for stage in Stage if stage in parts}
    return {stage: found for stage, found in summaries.items() if found is not None}
