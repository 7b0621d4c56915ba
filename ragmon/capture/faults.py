"""ragmon's own faults in the user's process: counted and logged, never in the way.

With `RAGMON_STRICT=1` in the environment they propagate instead, for tests.
"""

import logging
import os
import time
from typing import Final

_LOG_EVERY_S: Final = 60.0
_log = logging.getLogger("ragmon.capture")


class _Faults:
    """How many faults there were, and when one was last logged."""

    __slots__ = ("count", "logged_s")

    def __init__(self) -> None:
        self.count = 0
        self.logged_s = float("-inf")


_faults = _Faults()


def report(error: Exception, doing: str) -> None:
    """Count a fault of ragmon's own, and log at most one a minute.

    The error's message is not logged: it may hold a piece of the user's text.

    Raises:
        Exception: `error` itself where RAGMON_STRICT is 1.
    """
    if os.environ.get("RAGMON_STRICT") == "1":
        raise error
    _faults.count += 1
    now_s = time.monotonic()
    if now_s - _faults.logged_s < _LOG_EVERY_S:
        return
    _faults.logged_s = now_s
    _log.warning(
        "capture failed while %s: %s at %s (%d so far); the call itself is unharmed",
        doing,
        type(error).__qualname__,
        _place(error),
        _faults.count,
    )


def fault_count() -> int:
    """How many faults of its own ragmon has met in this process."""
    return _faults.count


def _place(error: Exception) -> str:
    trace = error.__traceback__
    if trace is None:
        return "no traceback"
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
