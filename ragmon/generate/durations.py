"""Durations of PromQL, and a whole expression on another time scale."""

import re

_MILLISECONDS = {
    "w": 604_800_000,
    "d": 86_400_000,
    "h": 3_600_000,
    "m": 60_000,
    "s": 1000,
    "ms": 1,
}
_IN_EXPRESSION = re.compile(r"(?<=\[)\d+(?:ms|[smhdw])(?=\])|(?<=\boffset )\d+(?:ms|[smhdw])")
_SHORTEST_WINDOW_MS = 1000  # a rate needs two scrapes, and none is made faster than 200 ms


def milliseconds(duration: str) -> int:
    """The length of a duration of one unit, such as `30m`.

    >>> milliseconds("30m")
    1800000
    """
    digits = duration.rstrip("smhdw")
    return int(digits) * _MILLISECONDS[duration.removeprefix(digits)]


def duration(length_ms: int) -> str:
    """The length in the largest unit that divides it.

    >>> duration(5_400_000), duration(400), duration(0)
    ('90m', '400ms', '0s')
    """
    if length_ms == 0:
        return "0s"
    return next(
        f"{length_ms // unit_ms}{unit}"
        for unit, unit_ms in _MILLISECONDS.items()
        if length_ms % unit_ms == 0
    )


def rescaled(length: str, time_scale: float) -> str:
    """The duration times the scale, to the millisecond.

    >>> rescaled("2m", 1 / 60)
    '2s'
    """
    return duration(round(milliseconds(length) * time_scale))


def rescaled_windows(expr: str, time_scale: float) -> str:
    """The expression with every range and offset times the scale, none under one second.

    Label values such as `window="24h"` are no durations of PromQL and stay.

    >>> rescaled_windows('rate(a{w="1h"}[1h] offset 1d)', 1 / 3600)
    'rate(a{w="1h"}[1s] offset 24s)'
    """

    def shorter(match: re.Match[str]) -> str:
        length_ms = round(milliseconds(match[0]) * time_scale)
        return duration(max(length_ms, _SHORTEST_WINDOW_MS))

    return _IN_EXPRESSION.sub(shorter, expr)
