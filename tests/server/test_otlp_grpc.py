"""OTLP over gRPC answers as its contract says."""

import asyncio
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from ragmon.errors import OverloadedError, StoreUnavailableError
from ragmon.server import otlp_grpc
from ragmon.server.budget import ByteBudget
from ragmon.server.receive import Receiver
from tests.server.fakes import BODY_BYTES, EXPORT, Running, until

GOOD, BAD = bytes(15) + b"\x01", bytes(16)


def _message(*trace_ids: bytes, name: str = "s") -> bytes:
    spans = [Span(trace_id=one, span_id=b"12345678", name=name) for one in trace_ids]
    scope = ScopeSpans(spans=spans)
    return ExportTraceServiceRequest(
        resource_spans=[ResourceSpans(scope_spans=[scope])]
    ).SerializeToString()


async def _refused(
    running: Running, content: bytes, compression: grpc.Compression = grpc.Compression.NoCompression
) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await running.export(content, compression)
    return raised.value


def _trailers(error: grpc.aio.AioRpcError) -> dict[str, bytes]:
    sent: Any = error.trailing_metadata()
    return {key: value for key, value in sent if key.endswith("-bin")}


@pytest.mark.parametrize("compression", list(grpc.Compression))
async def test_success(running: Running, compression: grpc.Compression) -> None:
    """An accepted request is answered by an empty message, however it is compressed."""
    content = _message(GOOD)
    assert await running.export(content, compression) == b""
    ((body, transport),) = running.intake.accepted
    assert (body.media_type, body.encoding, body.content) == ("application/x-protobuf", "", content)
    assert (body.span_count, transport) == (1, "grpc")


async def test_empty(running: Running) -> None:
    """An empty request is a success."""
    assert await running.export(b"") == b""
    assert running.intake.accepted == []


async def test_partial_success(running: Running) -> None:
    """Bad spans are counted and told."""
    answer = await running.export(_message(GOOD, BAD))
    partial = ExportTraceServiceResponse.FromString(answer).partial_success
    assert partial.rejected_spans == 1
    assert running.intake.refused == [(1, "grpc")]


async def test_undecodable(running: Running) -> None:
    """Undecodable bytes are an invalid argument, with no hint to retry."""
    error = await _refused(running, b"random")
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "no ExportTraceServiceRequest" in (error.details() or "")
    assert _trailers(error) == {}


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
async def test_too_large(running: Running, compression: grpc.Compression) -> None:
    """A message over the bound, also once inflated, is refused with no hint to retry."""
    error = await _refused(running, _message(GOOD, name="x" * BODY_BYTES), compression)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert _trailers(error) == {}


async def test_too_many_spans(roomy: Running) -> None:
    """So is one with more spans than a body may have."""
    error = await _refused(roomy, b"\x0a\x00" * 1_000_000)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "fields" in (error.details() or "")
    assert _trailers(error) == {}


@pytest.mark.parametrize(
    ("fault", "seconds", "message", "refusal"),
    [
        (OverloadedError("the inbox is full", 2), 2, "the inbox is full", "overloaded"),
        (StoreUnavailableError("/path"), 1, "the store cannot take it now", "unavailable"),
        (KeyError("a user's text"), 1, "internal error", "error"),
    ],
)
async def test_try_later(
    running: Running, fault: Exception, seconds: int, message: str, refusal: str
) -> None:
    """What may pass is unavailable, with the delay in both places senders look at."""
    running.intake.fault = fault
    error = await _refused(running, _message(GOOD))
    assert (error.code(), error.details()) == (grpc.StatusCode.UNAVAILABLE, message)
    trailers = _trailers(error)
    retry = RetryInfo.FromString(trailers["google.rpc.retryinfo-bin"])
    status = Status.FromString(trailers["grpc-status-details-bin"])
    packed = RetryInfo()
    assert status.details[0].Unpack(packed)
    assert (status.code, status.message) == (14, message)
    assert retry.retry_delay.seconds == packed.retry_delay.seconds == seconds
    assert running.intake.failures == ([fault] if isinstance(fault, KeyError) else [])
    assert running.intake.refusals == [refusal]


async def test_port_is_not_shared(running: Running) -> None:
    """A second gRPC server cannot take half of the spans on the same port in silence."""
    receiver = Receiver(running.intake, BODY_BYTES, ByteBudget(BODY_BYTES))
    with pytest.raises(RuntimeError):
        otlp_grpc.server(receiver).add_insecure_port(running.target)


async def test_other_methods(running: Running) -> None:
    """Other services are unimplemented."""
    async with grpc.aio.insecure_channel(running.target) as channel:
        call = channel.unary_unary(
            "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", None, None
        )
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await call(b"", timeout=10)
    assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_concurrent_calls(running: Running) -> None:
    """Calls on one connection run side by side, and all are taken."""
    async with grpc.aio.insecure_channel(running.target) as channel:
        call = channel.unary_unary(EXPORT, None, None)
        answers = await asyncio.gather(*(call(_message(GOOD), timeout=30) for _ in range(50)))
    assert answers == [b""] * 50
    assert len(running.intake.accepted) == 50
    assert running.servers.bytes_in_flight == 0


async def test_hang_up_while_keeping(running: Running) -> None:
    """A sender that gives up while its body is being kept does not undo the keeping."""
    gate, entered = asyncio.Event(), asyncio.Event()
    keep = running.intake.accept

    async def slow(body: object, transport: object) -> None:
        entered.set()
        await gate.wait()
        await keep(body, transport)  # type: ignore[arg-type]

    running.intake.accept = slow  # type: ignore[method-assign]
    call = asyncio.create_task(running.export(_message(GOOD, BAD)))
    await entered.wait()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await asyncio.sleep(0.1)
    gate.set()
    await until(lambda: bool(running.intake.refused))
    assert len(running.intake.accepted) == 1
