"""Nothing that a sender sends stops the servers or fills the memory, with the default bounds."""

import asyncio
import gzip
import os
import resource
import zlib
from collections.abc import Callable
from random import Random

import grpc
import pytest

from tests.server.fakes import Running

MEGABYTE = 1 << 20


def _bomb(megabytes: int) -> bytes:
    member = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(MEGABYTE)
    return b"".join([*(member.compress(block) for _ in range(megabytes)), member.flush()])


def _noise(megabytes: int) -> bytes:
    return Random(7).randbytes(megabytes * MEGABYTE)


def _json_string(megabytes: int) -> bytes:
    return b'{"resourceSpans":"' + b"x" * (megabytes * MEGABYTE) + b'"}'


@pytest.mark.parametrize(
    ("make", "headers", "status"),
    [
        (lambda: bytes(50 * MEGABYTE), {}, 400),
        (lambda: _noise(50), {}, 400),
        (lambda: bytes(65 * MEGABYTE), {}, 413),
        (lambda: b"\x0a\x00" * (25 * MEGABYTE), {}, 413),
        (lambda: _noise(50), {"media_type": "application/json"}, 400),
        (lambda: _json_string(50), {"media_type": "application/json"}, 400),
        (lambda: b"[" * (50 * MEGABYTE), {"media_type": "application/json"}, 413),
        (lambda: b"{}," * (20 * MEGABYTE), {"media_type": "application/json"}, 413),
        (lambda: _bomb(1_000), {"content_encoding": "gzip"}, 413),
        (lambda: _noise(1), {"content_encoding": "gzip"}, 400),
        (lambda: gzip.compress(_noise(1))[:-20], {"content_encoding": "gzip"}, 400),
        (lambda: b"", {}, 200),
    ],
)
async def test_hostile_bodies(
    roomy: Running, make: Callable[[], bytes], headers: dict[str, str], status: int
) -> None:
    """Huge, compressed, random and empty bodies get their answer within bounded memory."""
    content = make()
    before = _peak_megabytes()
    answer = await roomy.post(content, **headers)
    assert answer.status_code == status
    assert _peak_megabytes() - before < 500
    assert roomy.servers.bytes_in_flight == 0
    assert (await roomy.get("/healthz")).status_code == 200


async def test_many_bombs_at_once(roomy: Running) -> None:
    """Many bombs at once are all refused, and together stay within the byte budget."""
    bomb = _bomb(500)
    before = _peak_megabytes()
    answers = await asyncio.gather(*(roomy.post(bomb, content_encoding="gzip") for _ in range(20)))
    assert {answer.status_code for answer in answers} <= {413, 503}
    assert _peak_megabytes() - before < 500
    assert roomy.servers.bytes_in_flight == 0


async def test_grpc_bomb(roomy: Running) -> None:
    """A message that inflates beyond the bound is refused over gRPC as well."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await roomy.export(bytes(65 * MEGABYTE), grpc.Compression.Gzip)
    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await roomy.get("/healthz")).status_code == 200


async def test_healthy_meanwhile(roomy: Running) -> None:
    """While a large body is taken apart, the other ports still answer."""
    span = (
        b'{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",'
        b'"attributes":[{"key":"a","value":{"stringValue":"%s"}}]}' % (b"x" * 400)
    )
    body = b'{"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}]}' % b",".join([span] * 40_000)
    posting = asyncio.create_task(roomy.post(body, "application/json"))
    answered = 0
    while not posting.done():
        assert (await roomy.get("/healthz")).status_code == 200
        answered += 1
    assert (await posting).status_code == 200
    assert answered > 2
    assert sum(len(part.spans) for part in roomy.intake.parts) == 40_000


def _peak_megabytes() -> float:
    """The most memory that this process ever held."""
    assert os.name == "posix"
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
