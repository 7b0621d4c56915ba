"""End to end: what the user experienced, from request to answer."""

from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit

metric = stage("end_to_end")


@metric(unit=Unit.MILLISECONDS, better=Better.LOWER)
def latency_ms(latency_s: float) -> float:
    """Duration of the whole request.

    latency_s: seconds of the request span.
    Returns:   milliseconds >= 0; never None. Missing without a request span.
    Source:    span times.

    >>> latency_ms(2.0)
    2000.0
    """
    return latency_s * 1000


@metric(unit=Unit.USD, better=Better.LOWER)
def cost_usd(cost_usd: float) -> float:
    """Cost of the request's model calls in US dollars.

    cost_usd: US dollars over all leaf model spans, as they state it.
    Returns:  US dollars >= 0; never None. Missing, not 0, where no span states a cost.
    Source:   span attributes.

    >>> cost_usd(0.002)
    0.002
    """
    return cost_usd


@metric(unit=Unit.TOKENS, better=Better.NONE)
def total_tokens(total_tokens: int) -> float:
    """Tokens of the request's model calls, sent and received.

    total_tokens: model tokens over all leaf model spans, sent and received.
    Returns:      tokens >= 0; never None. Missing where a span states only one side.
    Source:       span attributes.

    >>> total_tokens(120)
    120.0
    """
    return float(total_tokens)
