"""Retrieval over many requests: how slow is it?"""

from collections.abc import Sequence

from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.metrics.window_kernels import percentile

metric = stage("retrieval")


@metric.window(unit=Unit.MILLISECONDS, better=Better.LOWER)
def p50_latency_ms(latency_ms: Sequence[float]) -> float | None:
    """Duration that half of the retrievals stay below.

        P50(t), by linear interpolation between the two nearest ranks

    latency_ms: (n,) milliseconds of each request's retrieval; what is below 0 is
                left out.
    Returns:    milliseconds >= 0; None where no duration is known.
    Source:     Hyndman & Fan 1996, definition 7, as numpy.percentile.

    >>> p50_latency_ms([100.0, 300.0])
    200.0
    """
    return percentile(latency_ms, 50)


@metric.window(unit=Unit.MILLISECONDS, better=Better.LOWER)
def p95_latency_ms(latency_ms: Sequence[float]) -> float | None:
    """Duration that 95 % of the retrievals stay below.

        P95(t), by linear interpolation between the two nearest ranks

    latency_ms: (n,) milliseconds of each request's retrieval; what is below 0 is
                left out.
    Returns:    milliseconds >= 0; None where no duration is known.
    Source:     Hyndman & Fan 1996, definition 7, as numpy.percentile.

    >>> p95_latency_ms([100.0, 300.0])
    290.0
    """
    return percentile(latency_ms, 95)
