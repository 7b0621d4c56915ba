"""Measuring one request: every metric's number, or the reason why there is none."""

import math

from ragmon.metrics.inputs import read_input
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import MetricSpec
from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, Measured, NotMeasured
from ragmon.model.record import RequestRecord


class _Inputs(dict[str, object]):
    """The inputs of one request, each read when a metric first asks for it."""

    def __init__(self, record: RequestRecord, gold: Gold) -> None:
        super().__init__()
        self._record = record
        self._gold = gold

    def __missing__(self, name: str) -> object:
        value = self[name] = read_input(name, self._record, self._gold)
        return value


def measure(record: RequestRecord, gold: Gold, registry: Registry) -> tuple[Measured, ...]:
    """One value per place of the registry's layout, in its order.

    A metric that fails has the name of its exception as its reason, and costs no other one.
    """
    inputs = _Inputs(record, gold)
    places = zip(registry.specs, registry.layout, strict=True)
    return tuple([_measure_one(spec, slot.k, inputs) for spec, slot in places])


def _measure_one(spec: MetricSpec, k: int | None, inputs: _Inputs) -> Measured:
    try:
        values = [inputs[name] for name in spec.inputs]
        for value in values:
            if isinstance(value, NotMeasured):
                return value
        result = spec.function(*values) if k is None else spec.function(*values, k=k)
        return _checked(result)
    except Exception as error:  # noqa: BLE001 - whatever a metric raises is its own loss
        return NotMeasured(Kind.FAILED, type(error).__name__)


def _checked(result: float | None) -> Measured:
    if result is None:
        return NotMeasured(Kind.UNDEFINED)
    value = float(result)
    return value if math.isfinite(value) else NotMeasured(Kind.FAILED, "not_finite")
