"""How many requests one sampled trace stands for."""

from collections.abc import Iterable
from typing import Final

from ragmon.model.span import Span

_ALL: Final = 1 << 56
_DIGITS: Final = 14
_HEX: Final = frozenset("0123456789abcdef")


def weight(spans: Iterable[Span]) -> float | None:
    """The adjusted count by the largest threshold on any span; None without one.

    A threshold T (`ot=th:` in the tracestate, hex, right-padded to 56 bits) keeps one in
    2^56 / (2^56 - T) traces.
    """
    states = {span.trace_state for span in spans if span.trace_state}
    thresholds = [found for state in states if (found := _threshold(state)) is not None]
    return _ALL / (_ALL - max(thresholds)) if thresholds else None


def _threshold(trace_state: str) -> int | None:
    for member in trace_state.split(","):
        vendor, _, fields = member.strip().partition("=")
        if vendor != "ot":
            continue
        for entry in fields.split(";"):
            key, _, digits = entry.partition(":")
            if key == "th" and 0 < len(digits) <= _DIGITS and _HEX.issuperset(digits):
                return int(digits.ljust(_DIGITS, "0"), 16)
    return None
