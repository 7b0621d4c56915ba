"""Measuring again what is no longer kept whole: new labels, a moved corpus, a new formula.

A value whose inputs cannot change any more stays as it was. One that can is computed anew
from what is kept. Where that is not enough the last number stays; where there never was a
number the reason is `not_kept`.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NoReturn

from ragmon.errors import NotKeptError
from ragmon.metrics.input import RequestFacts
from ragmon.metrics.inputs import INPUTS
from ragmon.metrics.measure import Inputs, measure_one
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import MetricSpec, Scope
from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, Measured, NotMeasured, Slot

_OF_REQUESTS = INPUTS[Scope.REQUEST]


def remeasure(
    facts: RequestFacts, registry: Registry, before: Mapping[Slot, Measured]
) -> tuple[Measured, ...]:
    """Measure a sealed request: one value per place of the registry's layout, in its order.

    facts: its record holds reduced texts. before: slot -> what was measured at last.
    """
    inputs = Inputs(_OF_REQUESTS, facts)
    places = zip(registry.places[Scope.REQUEST], registry.layout, strict=True)
    return tuple([_again(spec, k, inputs, before.get(slot)) for (k, spec), slot in places])


def carried(
    gold: Gold, registry: Registry, scope: Scope, before: Mapping[Slot, Measured]
) -> tuple[Measured, ...]:
    """The values of an indexing run of which nothing is kept, in the order of its layout.

    What a label says that came too late is `not_kept`.
    """
    places = zip(registry.places[scope], registry.layouts[scope], strict=True)
    return tuple(
        [
            _stays(before.get(slot), labelled=bool(gold.winners) and _may_change(spec))
            for (_, spec), slot in places
        ]
    )


def _again(spec: MetricSpec, k: int | None, inputs: Inputs, before: Measured | None) -> Measured:
    if before is not None and not _may_change(spec):
        return before
    value = measure_one(spec if _is_kept(spec) else _unreadable(spec), k, inputs)
    not_kept = isinstance(value, NotMeasured) and value.kind is Kind.NOT_KEPT
    return before if not_kept and isinstance(before, float) else value


def _stays(before: Measured | None, *, labelled: bool) -> Measured:
    if before is None:
        return NotMeasured(Kind.NOT_KEPT)
    lacking = isinstance(before, NotMeasured) and before.kind is Kind.MISSING
    return NotMeasured(Kind.NOT_KEPT) if lacking and labelled else before


@lru_cache(maxsize=1024)
def _may_change(spec: MetricSpec) -> bool:
    """Whether a label or the corpus may still change it."""
    inputs = INPUTS[spec.scope]
    return any(inputs[name].may_change for name in spec.inputs)


@lru_cache(maxsize=1024)
def _is_kept(spec: MetricSpec) -> bool:
    """Whether it can be computed from hashes, or reads no text at all."""
    return spec.on_hashes or not any(_OF_REQUESTS[name].is_text for name in spec.inputs)


@lru_cache(maxsize=1024)
def _unreadable(spec: MetricSpec) -> MetricSpec:
    """The metric with its inputs looked for, and nothing computed from them."""
    return replace(spec, function=_not_kept)


def _not_kept(*_inputs: object, **_k: int) -> NoReturn:
    raise NotKeptError("the texts are not kept")
