"""Expressions that dashboards and rules share.

Every quotient has `> 0` on its denominator: 0 / 0 would be stored as NaN, and a number
that was not measured has no sample.
"""

COUNTED = 'result=~"measured|missing|failed"'
"""The evaluations that coverage is a share of; undefined and not kept ask for nothing."""
MEASURED = 'result=~"measured|measured_late"'


def aggregate(operator: str, by: str, expr: str) -> str:
    """`operator by (labels) (expr)`; without labels over everything."""
    return f"{operator} by ({by}) ({expr})" if by else f"{operator}({expr})"


def share(part: str, whole: str) -> str:
    """The quotient, without a sample where the whole is zero."""
    return f"{part} / ({whole} > 0)"


def rate_share(part: str, whole: str, window: str, by: str = "") -> str:
    """The quotient of two summed rates over one window."""
    return share(
        aggregate("sum", by, f"rate({part}[{window}])"),
        aggregate("sum", by, f"rate({whole}[{window}])"),
    )


def mean_score(matchers: str, window: str, by: str = "") -> str:
    """Mean of the scores observed within the window, right across instances and restarts."""
    return rate_share(
        f"ragmon_score_sum{braces(matchers)}", f"ragmon_score_count{braces(matchers)}", window, by
    )


def pooled_window_mean(matchers: str, by: str = "") -> str:
    """Mean of an event-time window over several stores: pooled by count, never averaged."""
    mean, count = (f"ragmon_window_{kind}{braces(matchers)}" for kind in ("mean", "count"))
    return share(aggregate("sum", by, f"{mean} * {count}"), aggregate("sum", by, count))


def braces(matchers: str) -> str:
    """The matchers in braces, or nothing."""
    return f"{{{matchers}}}" if matchers else ""
