"""What OTLP carries here, traces and logs: their names, and what an answer to each looks like."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)

from ragmon.server.budget import Lease
from ragmon.server.receive import Export, Receiver

_SERVICES: Final = "opentelemetry.proto.collector"


class Taken(Protocol):
    """What became of an accepted request; `problems` is empty where all is well."""

    @property
    def rejected(self) -> int:
        """How many spans or log records were not taken."""

    @property
    def problems(self) -> str:
        """What was rejected where, in a line."""


Take: TypeAlias = Callable[[Receiver, Export, Lease], Awaitable[Taken]]


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: its path over HTTP, its service over gRPC, its answers.

    `rejected_key` is the JSON name of the count of what was rejected.
    """

    path: str
    service: str
    rejected_key: str
    answer: Callable[[Taken], Message]
    take: Take


def _traces_answer(taken: Taken) -> Message:
    partial = ExportTracePartialSuccess(rejected_spans=taken.rejected, error_message=taken.problems)
    return ExportTraceServiceResponse(partial_success=partial)


def _logs_answer(taken: Taken) -> Message:
    partial = ExportLogsPartialSuccess(
        rejected_log_records=taken.rejected, error_message=taken.problems
    )
    return ExportLogsServiceResponse(partial_success=partial)


TRACES: Final = Signal(
    "/v1/traces",
    f"{_SERVICES}.trace.v1.TraceService",
    "rejectedSpans",
    _traces_answer,
    Receiver.take,
)
LOGS: Final = Signal(
    "/v1/logs",
    f"{_SERVICES}.logs.v1.LogsService",
    "rejectedLogRecords",
    _logs_answer,
    Receiver.take_logs,
)
