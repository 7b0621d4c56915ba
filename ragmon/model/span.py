"""Raw spans, as decoded from OTLP and before anything is read into them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

AttributeValue: TypeAlias = (
    "str | bool | int | float | bytes "
    "| tuple[AttributeValue, ...] | Mapping[str, AttributeValue] | None"
)
Attributes: TypeAlias = Mapping[str, AttributeValue]


class SpanKind(IntEnum):
    """OTLP's span kinds; a number beyond them reads as UNSPECIFIED."""

    UNSPECIFIED = 0
    INTERNAL = 1
    SERVER = 2
    CLIENT = 3
    PRODUCER = 4
    CONSUMER = 5


class StatusCode(IntEnum):
    """OTLP's status codes; a number beyond them reads as UNSET."""

    UNSET = 0
    OK = 1
    ERROR = 2


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """One event on a span."""

    name: str
    time_ns: int
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class Span:
    """One span with the resource and scope it came from.

    Ids are lower-case hex (32 and 16 characters); `parent_id` is None on a root.
    Times are integer nanoseconds since the epoch; `end_ns` may lie before `start_ns`
    (clocks), which readers must survive. `dropped` is the number of attributes and
    events that the sender's SDK threw away at its limits. `arrival_ns` is when it first came,
    on the processor's clock; None where the trace alone knows.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    kind: SpanKind
    start_ns: int
    end_ns: int
    attributes: Attributes
    events: tuple[SpanEvent, ...]
    status: StatusCode
    status_message: str
    parent_is_remote: bool
    trace_state: str
    resource: Attributes
    scope_name: str
    dropped: int
    arrival_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """All spans of one trace that are known now, each id once, ordered by (start, id).

    `arrival_ns` is the earliest arrival of any of them on the processor's clock.
    """

    trace_id: str
    spans: tuple[Span, ...]
    arrival_ns: int
