"""End to end over many requests: how often it helped, how slow and dear it was."""

from collections.abc import Sequence

from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.metrics.window_kernels import mean, percentile

metric = stage("end_to_end")


@metric.window(unit=Unit.RATIO, better=Better.HIGHER)
def task_success_rate(task_success: Sequence[float]) -> float | None:
    """Share of the judged requests in which the user got what they needed.

        |{successes}| / |{judged requests}|

    task_success: (n,) 1 or 0 per request with a verdict; others are left out.
    Returns:      ratio in [0, 1]; None where no request was judged.
    Source:       human labels.

    >>> task_success_rate([1.0, 0.0])
    0.5
    """
    return mean(task_success)


@metric.window(unit=Unit.MILLISECONDS, better=Better.LOWER)
def p50_latency_ms(latency_ms: Sequence[float]) -> float | None:
    """Duration that half of the requests stay below.

        P50(t), by linear interpolation between the two nearest ranks

    latency_ms: (n,) milliseconds of each whole request; what is below 0 is
                left out.
    Returns:    milliseconds >= 0; None where no duration is known.
    Source:     Hyndman & Fan 1996, definition 7, as numpy.percentile.

    >>> p50_latency_ms([100.0, 300.0])
    200.0
    """
    return percentile(latency_ms, 50)


@metric.window(unit=Unit.MILLISECONDS, better=Better.LOWER)
def p95_latency_ms(latency_ms: Sequence[float]) -> float | None:
    """Duration that 95 % of the requests stay below.

        P95(t), by linear interpolation between the two nearest ranks

    latency_ms: (n,) milliseconds of each whole request; what is below 0 is
                left out.
    Returns:    milliseconds >= 0; None where no duration is known.
    Source:     Hyndman & Fan 1996, definition 7, as numpy.percentile.

    >>> p95_latency_ms([100.0, 300.0])
    290.0
    """
    return percentile(latency_ms, 95)


@metric.window(unit=Unit.USD, better=Better.LOWER)
def mean_cost_usd(cost_usd: Sequence[float]) -> float | None:
    """Mean cost of a request in US dollars.

        sum(cost) / n

    cost_usd: (n,) US dollars of each request whose cost is known; others are left out.
    Returns:  US dollars >= 0; None where no cost is known, which is not 0.
    Source:   span attributes.

    >>> mean_cost_usd([0.25, 0.75])
    0.5
    """
    return mean(cost_usd)


@metric.window(unit=Unit.TOKENS, better=Better.NONE)
def mean_total_tokens(total_tokens: Sequence[float]) -> float | None:
    """Mean number of model tokens of a request, sent and received.

        sum(tokens) / n

    total_tokens: (n,) model tokens of each request that states both sides; others are left
                  out.
    Returns:      tokens >= 0; None where no request states them.
    Source:       span attributes.

    >>> mean_total_tokens([100.0, 300.0])
    200.0
    """
    return mean(total_tokens)
