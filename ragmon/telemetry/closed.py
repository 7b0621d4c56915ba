"""Label values that ragmon itself gives: closed sets, and what stands for the rest."""

from enum import StrEnum
from typing import Final


class Transport(StrEnum):
    """The road on which spans came."""

    HTTP = "http"
    GRPC = "grpc"


class SettledWhen(StrEnum):
    """Whether a trace was new to the store when its spans were settled."""

    FIRST = "first"
    LATE = "late"


class ClockFault(StrEnum):
    """How a span's clock was wrong."""

    FUTURE = "future"
    NEGATIVE = "negative"


class Room(StrEnum):
    """Where in the processor an unexpected error was caught."""

    SERVER = "server"
    INGEST = "ingest"
    ASSEMBLE = "assemble"
    SETTLE = "settle"
    MEASURE = "measure"
    STORE = "store"
    LABELS = "labels"
    SUMMARY = "summary"
    EXPORT = "export"
    PROBE = "probe"


class SloResult(StrEnum):
    """How a request was judged by an objective; stale values enter no error ratio."""

    GOOD = "good"
    BAD = "bad"
    STALE = "stale"


REQUEST_STAGE: Final = "end_to_end"
"""The stage label that stands for the whole request."""
OTHER: Final = "other"
"""The label value that stands for all values beyond a label's bound."""
UNKNOWN: Final = "unknown"
"""The label value that stands for an empty one."""
