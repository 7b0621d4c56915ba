"""Objectives against the registry: what they point at, and what is wrong with them."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import Needs, Unit
from ragmon.model.measurement import Slot
from ragmon.model.objective import Objective

__all__ = ["Aimed", "aim", "objective_faults"]


@dataclass(frozen=True, slots=True)
class Aimed:
    """An objective with the slot whose values it judges."""

    objective: Objective
    slot: Slot


def aim(objectives: Iterable[Objective], registry: Registry) -> tuple[Aimed, ...]:
    """Find the slot of each objective; one without k takes the metric's first k.

    Call it with objectives that have no `objective_faults`.
    """
    return tuple(Aimed(one, _slots(one, registry)[0]) for one in objectives)


def objective_faults(objectives: Iterable[Objective], registry: Registry) -> tuple[str, ...]:
    """Name everything about the objectives that only the registry knows, one line each."""
    return tuple(fault for one in objectives for fault in _faults(one, registry))


def _faults(objective: Objective, registry: Registry) -> list[str]:
    where = f"objectives: {objective.name!r}:"
    spec = registry.find(objective.metric)
    if spec is None:
        return [f"{where} unknown metric {objective.metric!r}{_nearest(objective, registry)}"]
    if not _slots(objective, registry):
        ks = sorted({slot.k for slot in registry.layout if slot.key == spec.key and slot.k})
        return [f"{where} k={objective.k} of {spec.key} is not measured; measured: {ks or 'none'}"]
    bound = objective.at_most if objective.at_least is None else objective.at_least
    if spec.unit in (Unit.RATIO, Unit.BINARY) and bound is not None and not 0 <= bound <= 1:
        return [f"{where} {spec.key} lies between 0 and 1, and the bound is {bound:g}"]
    if objective.share is not None and spec.needs is not Needs.LABEL_FREE:
        why = "its mean is compared with the bound"
        return [f"{where} {spec.key} needs gold labels, so it takes no share; {why}"]
    return []


def _nearest(objective: Objective, registry: Registry) -> str:
    near = get_close_matches(objective.metric, [spec.key for spec in registry.metrics], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _slots(objective: Objective, registry: Registry) -> list[Slot]:
    return [
        slot
        for slot in registry.layout
        if slot.key == objective.metric and objective.k in (None, slot.k)
    ]
