"""OTLP over HTTP answers as its contract says."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator

import httpx
import pytest
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from ragmon.errors import OverloadedError, StoreUnavailableError
from tests.server.fakes import BODY_BYTES, NOW, Running, client, until

PROTOBUF, JSON = "application/x-protobuf", "application/json"
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def _message(*trace_ids: str, name: str = "s") -> bytes:
    spans = [
        Span(trace_id=bytes.fromhex(one), span_id=bytes.fromhex(SPAN), name=name)
        for one in trace_ids
    ]
    scope = ScopeSpans(spans=spans)
    return ExportTraceServiceRequest(
        resource_spans=[ResourceSpans(scope_spans=[scope])]
    ).SerializeToString()


def _json(*trace_ids: str) -> bytes:
    spans = [{"traceId": one, "spanId": SPAN, "name": "s"} for one in trace_ids]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


def _content_type(answer: httpx.Response) -> str:
    return answer.headers["content-type"]


async def test_success(running: Running) -> None:
    """An accepted request is answered 200, empty, with the request's own content type."""
    answer = await running.post(_message(TRACE))
    assert (answer.status_code, answer.content, _content_type(answer)) == (200, b"", PROTOBUF)
    answer = await running.post(_json(TRACE), "Application/JSON; charset=utf-8")
    assert (answer.status_code, answer.content, _content_type(answer)) == (200, b"{}", JSON)
    (first, transport), (second, _) = running.intake.accepted
    assert (first.media_type, first.encoding, first.content) == (PROTOBUF, "", _message(TRACE))
    assert (first.span_count, first.received_ns, transport) == (1, NOW, "http")
    assert (second.media_type, second.content) == (JSON, _json(TRACE))
    assert first.parts == second.parts


@pytest.mark.parametrize("path", ["/v1/traces", "/tenant/v1/traces", "/a/b/v1/traces"])
async def test_prefixes(running: Running, path: str) -> None:
    """Any prefix before /v1/traces is taken."""
    assert (await running.post(_message(TRACE), path=path)).status_code == 200


async def test_other_paths(running: Running) -> None:
    """Nothing else is."""
    assert (await running.post(b"", path="/v1/metrics")).status_code == 404
    assert (await running.post(b"", path="/xv1/traces")).status_code == 404


async def test_compression(running: Running) -> None:
    """Gzip is kept as it came; deflate is kept uncompressed."""
    plain = _message(TRACE)
    packed = gzip.compress(plain)
    for encoding, content in (
        ("gzip", packed),
        ("x-gzip", packed),
        ("deflate", zlib.compress(plain)),
        ("identity", plain),
    ):
        answer = await running.post(content, content_encoding=encoding)
        assert answer.status_code == 200
    kept = [(body.encoding, body.content) for body, _ in running.intake.accepted]
    assert kept == [("gzip", packed), ("gzip", packed), ("", plain), ("", plain)]
    assert len({body.parts for body, _ in running.intake.accepted}) == 1


async def test_partial_success(running: Running) -> None:
    """Bad spans are counted and told, in either encoding; the others are kept."""
    bad = "00" * 16
    answer = await running.post(_message(bad, TRACE))
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, partial.rejected_spans) == (200, 1)
    assert partial.error_message.endswith("spans[0]: trace id is all zero")
    answer = await running.post(_json(bad, TRACE, bad), JSON)
    assert answer.status_code == 200
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "2"
    assert [body.span_count for body, _ in running.intake.accepted] == [1, 1]
    assert running.intake.refused == [(1, "http"), (2, "http")]


async def test_only_bad_spans(running: Running) -> None:
    """A body of nothing but bad spans is counted, and not kept."""
    assert (await running.post(_message("00" * 16))).status_code == 200
    assert (running.intake.accepted, running.intake.refused) == ([], [(1, "http")])


async def test_warning(running: Running) -> None:
    """Snake-case JSON is an empty success with a warning."""
    answer = await running.post(b'{"resource_spans":[{}]}', JSON)
    partial = answer.json()["partialSuccess"]
    assert (answer.status_code, partial["rejectedSpans"]) == (200, "0")
    assert "lowerCamelCase" in partial["errorMessage"]


async def test_empty_bodies(running: Running) -> None:
    """An empty protobuf request is a success; no bytes are no JSON."""
    assert (await running.post(b"")).status_code == 200
    assert (await running.post(b"{}", JSON)).content == b"{}"
    assert (await running.post(b"", JSON)).status_code == 400
    assert (await running.post(b"", content_encoding="gzip")).status_code == 400
    assert running.intake.accepted == []


@pytest.mark.parametrize("content", [b"random", b"\xff" * 100, _message(TRACE)[:-3]])
async def test_undecodable(running: Running, content: bytes) -> None:
    """Undecodable bytes are answered 400 with a status in the request's encoding."""
    answer = await running.post(content)
    status = Status.FromString(answer.content)
    assert (answer.status_code, _content_type(answer), status.code) == (400, PROTOBUF, 3)
    assert status.message.startswith("the body is no ExportTraceServiceRequest")
    answer = await running.post(content, JSON)
    assert (answer.status_code, _content_type(answer)) == (400, JSON)
    assert answer.json()["code"] == 3
    assert answer.json()["message"].startswith("the body is no JSON")


@pytest.mark.parametrize("media_type", ["text/plain", "", "application/protobuf"])
async def test_media_types(running: Running, media_type: str) -> None:
    """Other media types are answered 415 in plain text that says what is wanted."""
    answer = await running.post(_message(TRACE), media_type)
    assert (answer.status_code, _content_type(answer)[:10]) == (415, "text/plain")
    assert "application/x-protobuf or application/json" in answer.text


async def test_content_codings(running: Running) -> None:
    """Other content codings are answered 415 and the known ones are named."""
    answer = await running.post(_message(TRACE), content_encoding="br")
    assert (answer.status_code, answer.headers["accept-encoding"]) == (415, "gzip, deflate")


async def test_method(running: Running) -> None:
    """Only POST is allowed."""
    async with client() as sender:
        answer = await sender.get(running.http + "/v1/traces")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("fault", "retry_after", "message", "refusal"),
    [
        (OverloadedError("the inbox is full", 2), "2", "the inbox is full", "overloaded"),
        (StoreUnavailableError("/path"), "1", "the store cannot take it now", "unavailable"),
        (KeyError("a user's text"), "1", "internal error", "error"),
    ],
)
async def test_try_later(
    running: Running,
    caplog: pytest.LogCaptureFixture,
    fault: Exception,
    retry_after: str,
    message: str,
    refusal: str,
) -> None:
    """What may pass is answered 503 with a hint when to retry; no span is counted."""
    running.intake.fault = fault
    answer = await running.post(_json(TRACE, "00" * 16), JSON)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, retry_after)
    assert answer.json() == {"code": 14, "message": message}
    assert (running.intake.refused, running.intake.refusals) == ([], [refusal])
    ours = isinstance(fault, KeyError)
    assert running.intake.failures == ([fault] if ours else [])
    assert ("KeyError" in caplog.text) is ours
    assert "user's text" not in caplog.text


# --- sizes -------------------------------------------------------------------------------


async def test_limits(running: Running) -> None:
    """A body over the bound, before or after decompression, is answered 413 without a hint."""
    big = _message(TRACE, name="x" * BODY_BYTES)
    for content, headers in (
        (big, {}),
        (gzip.compress(big), {"content_encoding": "gzip"}),
        (zlib.compress(big), {"content_encoding": "deflate"}),
    ):
        answer = await running.post(content, **headers)
        assert (answer.status_code, Status.FromString(answer.content).code) == (413, 8)
        assert "retry-after" not in answer.headers
    assert running.intake.accepted == []


async def test_limit_of_chunked_bodies(running: Running) -> None:
    """A body that does not say its length is stopped at the bound, and the rest discarded."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(300):
            yield bytes(10_000)

    async with client() as sender:
        for _ in range(2):
            answer = await sender.post(
                running.http + "/v1/traces", content=chunks(), headers={"content-type": PROTOBUF}
            )
            assert answer.status_code == 413
        answer = await sender.post(
            running.http + "/v1/traces",
            content=_message(TRACE),
            headers={"content-type": PROTOBUF},
        )
        assert answer.status_code == 200


async def test_bytes_are_given_back(running: Running) -> None:
    """Whatever the answers, no request holds bytes of the budget afterwards."""
    for content in (b"random", _message(TRACE), bytes(BODY_BYTES + 1)):
        await running.post(content)
        await running.post(gzip.compress(content), content_encoding="gzip")
    assert running.servers.bytes_in_flight == 0


async def test_budget(running: Running) -> None:
    """Requests that do not fit together are told to come again; then there is room."""
    ports = running.ports
    held = [await asyncio.open_connection("127.0.0.1", ports.otlp_http) for _ in range(4)]
    head = (
        f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF}\r\n"
        f"Content-Length: {BODY_BYTES}\r\n\r\n"
    ).encode()
    for _, writer in held:
        writer.write(head + bytes(BODY_BYTES - 1))
        await writer.drain()
    await until(lambda: running.servers.bytes_in_flight == 4 * (BODY_BYTES - 1))
    assert (await running.post(_message(TRACE))).status_code == 503
    for _, writer in held:
        writer.close()
        await writer.wait_closed()
    await until(lambda: running.servers.bytes_in_flight == 0)
    assert (await running.post(_message(TRACE))).status_code == 200


async def test_hang_up(running: Running) -> None:
    """A sender that hangs up in the middle of a body costs nothing."""
    _, writer = await asyncio.open_connection("127.0.0.1", running.ports.otlp_http)
    writer.write(
        b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{"
    )
    await writer.drain()
    await until(lambda: running.servers.bytes_in_flight > 0)
    writer.close()
    await until(lambda: running.servers.bytes_in_flight == 0)
    assert (running.intake.failures, running.intake.accepted) == ([], [])


@pytest.mark.parametrize(
    "start",
    [b"POST /v1/traces HTTP/1.1\r\nX: ", b"POST /", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 10],
)
async def test_endless_heads(running: Running, start: bytes) -> None:
    """A request head without an end is cut off."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.ports.otlp_http)
    writer.write(start)
    for _ in range(40):
        writer.write(b"x" * 65_536)
    answer = await reader.read(100)
    assert answer.startswith(b"HTTP/1.1 400 ")
    writer.close()


async def test_garbage_on_the_line(running: Running) -> None:
    """Bytes that are no HTTP are answered 400 and the server goes on."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.ports.otlp_http)
    writer.write(b"\x16\x03\x01\x02\x00 no http at all\r\n\r\n")
    assert (await reader.read(100)).startswith(b"HTTP/1.1 400 ")
    writer.close()
    assert (await running.post(b"")).status_code == 200
