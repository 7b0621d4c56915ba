"""Counting requests against objectives."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragmon.export.families import Tables
from ragmon.export.objectives import Aimed
from ragmon.export.tables import Cell
from ragmon.model.measurement import Slot
from ragmon.model.objective import Objective
from ragmon.telemetry import SloResult

__all__ = ["Judge", "judges", "promised"]


@dataclass(frozen=True, slots=True)
class Judge:
    """An objective with its three counters."""

    objective: Objective
    good: Cell
    bad: Cell
    stale: Cell

    def count(self, value: float, *, stale: bool) -> None:
        """Count one request by its first value."""
        kept = self.objective.kept_by(value)
        cell = self.stale if stale else self.good if kept else self.bad
        cell.value += 1.0


def judges(objectives: Iterable[Aimed], tables: Tables) -> Mapping[Slot, tuple[Judge, ...]]:
    """One judge per objective with a share, by the slot whose values it judges.

    Their counters start at zero.
    """
    found: dict[Slot, tuple[Judge, ...]] = defaultdict(tuple)
    for aimed in objectives:
        if aimed.objective.share is not None:
            found[aimed.slot] += (_judge(aimed.objective, tables),)
    return dict(found)


def _judge(objective: Objective, tables: Tables) -> Judge:
    table = tables.numbers["ragmon_slo_requests_total"]
    good, bad, stale = (
        table.cell(objective.pipeline, objective.name, result) for result in SloResult
    )
    return Judge(objective, good, bad, stale)


def promised(objectives: Iterable[Aimed], tables: Tables) -> None:
    """Expose what was promised: the bounds and the shares.

    Of two objectives on one metric of one pipeline the first gives the bound.
    """
    bounds = tables.numbers["ragmon_score_objective"]
    shares = tables.numbers["ragmon_slo_objective_ratio"]
    for aimed in reversed(tuple(objectives)):
        promise, slot = aimed.objective, aimed.slot
        k = "" if slot.k is None else str(slot.k)
        if promise.share is not None:
            shares.cell(promise.pipeline, promise.name).value = promise.share
        for direction, bound in (("higher", promise.at_least), ("lower", promise.at_most)):
            if bound is not None:
                cell = bounds.cell(promise.pipeline, slot.stage, slot.metric, k, direction)
                cell.value = bound
