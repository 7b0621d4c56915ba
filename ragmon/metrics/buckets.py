"""Histogram buckets, as upper bounds without the infinite one, by unit and direction."""

from collections.abc import Mapping
from typing import Final

from ragmon.metrics.spec import Better, Unit

# The bucket up to 0 makes a total miss visible; one up to 1 would equal the infinite one.
HIGHER: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
LOWER: Final = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
BINARY: Final = (0.0,)
USD: Final = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
AMOUNT: Final = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
TOKENS: Final = (0.0, 10.0, 25.0, 50.0, 100.0, 200.0, 300.0, 500.0, 800.0, 1200.0, 2000.0, 4000.0)
COUNT: Final = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0)
LATENCY_SECONDS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0)


_BUCKETS: Final[Mapping[Unit, tuple[float, ...]]] = {
    Unit.BINARY: BINARY,
    Unit.MILLISECONDS: LATENCY_SECONDS,
    Unit.COUNT: COUNT,
    Unit.AMOUNT: AMOUNT,
    Unit.TOKENS: TOKENS,
    Unit.USD: USD,
    Unit.SIGNED: (),
}


def buckets_of(unit: Unit, better: Better) -> tuple[float, ...]:
    """The buckets of a metric's histogram; empty where its values feed counters only.

    Durations are exposed in seconds, whatever unit the metric itself has.
    """
    if unit is Unit.RATIO:
        return LOWER if better is Better.LOWER else HIGHER
    return _BUCKETS[unit]
