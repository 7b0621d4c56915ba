"""OTLP over gRPC: Export of traces and of logs, on the raw bytes of its messages."""

from typing import Final, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.error_details_pb2 import RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from ragmon.ingest.answers import (
    INVALID_ARGUMENT,
    RESOURCE_EXHAUSTED,
    UNAVAILABLE,
    Answer,
)
from ragmon.ingest.compression import IDENTITY
from ragmon.ingest.split import PROTOBUF
from ragmon.server.auth import BearerInterceptor
from ragmon.server.receive import Export, Receiver
from ragmon.server.responses import export_message
from ragmon.server.signals import LOGS, TRACES, Signal

_CODES: Final = {
    INVALID_ARGUMENT: grpc.StatusCode.INVALID_ARGUMENT,
    RESOURCE_EXHAUSTED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}


def server(receiver: Receiver, token: str | None = None) -> grpc.aio.Server:
    """A gRPC server that takes export requests in; with a token every call must show it."""
    interceptors = [BearerInterceptor(token)] if token else []
    made = grpc.aio.server(options=_options(receiver.body_bytes), interceptors=interceptors)
    made.add_generic_rpc_handlers([_handler(receiver, signal) for signal in (TRACES, LOGS)])
    return made


def _handler(receiver: Receiver, signal: Signal) -> "grpc.GenericRpcHandler[bytes, bytes]":
    export = _ExportService(receiver, signal).export
    method = grpc.unary_unary_rpc_method_handler(export, None, None)
    return grpc.method_handlers_generic_handler(signal.service, {"Export": method})


def _options(body_bytes: int) -> list[tuple[str, int]]:
    return [
        # Else a second process would share the port and take half of the spans in silence.
        ("grpc.so_reuseport", 0),
        # Also bounds what a compressed message inflates to.
        ("grpc.max_receive_message_length", body_bytes),
        # Not maximum_concurrent_rpcs: its refusal tells senders to drop their spans.
        ("grpc.max_concurrent_streams", 100),
        # Senders behind load balancers ping far more often than gRPC allows by default.
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
    ]


class _ExportService:
    def __init__(self, receiver: Receiver, signal: Signal) -> None:
        self._receiver = receiver
        self._signal = signal

    async def export(
        self, content: bytes, context: "grpc.aio.ServicerContext[bytes, bytes]"
    ) -> bytes:
        try:
            with self._receiver.budget.lease() as lease:
                lease.grow(len(content))
                export = Export(content, PROTOBUF, IDENTITY, "grpc")
                taken = await self._signal.take(self._receiver, export, lease)
                return export_message(taken, self._signal)
        except Exception as error:  # noqa: BLE001 - uncaught ones make senders drop their spans
            told = self._receiver.answer(error)
        return await _abort(context, told)


async def _abort(context: "grpc.aio.ServicerContext[bytes, bytes]", told: Answer) -> NoReturn:
    await context.abort(_CODES[told.grpc_code], told.message, trailing_metadata=_trailers(told))


def _trailers(told: Answer) -> tuple[tuple[str, bytes], ...]:
    """When to try again: as the standard has it, and as Python's exporter reads it."""
    if told.retry_after_s is None:
        return ()
    retry = RetryInfo()
    retry.retry_delay.seconds = told.retry_after_s
    detail = AnyMessage()
    detail.Pack(retry)
    status = Status(code=told.grpc_code, message=told.message, details=[detail])
    return (
        ("grpc-status-details-bin", status.SerializeToString()),
        ("google.rpc.retryinfo-bin", retry.SerializeToString()),
    )
