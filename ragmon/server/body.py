"""Reading the body of an HTTP request within its bounds."""

import asyncio
from typing import Final

from starlette.requests import Request

from ragmon.errors import OverloadedError, TooLargeError
from ragmon.ingest.compression import IDENTITY
from ragmon.server.budget import Lease

_BODY_TIMEOUT_S: Final = 60.0


def media_type(request: Request) -> str:
    """The media type without its parameters, in lower case; empty if there is none."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def encoding(request: Request) -> str:
    """The content coding, in lower case; empty if there is none."""
    named = request.headers.get("content-encoding", "").strip().lower()
    return {"identity": IDENTITY, "x-gzip": "gzip"}.get(named, named)


async def read_body(
    request: Request, limit: int, lease: Lease, timeout_s: float = _BODY_TIMEOUT_S
) -> bytes:
    """The body as it was sent, at most `limit` bytes, held by the lease.

    What is left unread of a refused body is discarded by the server.

    Raises:
        TooLargeError: it is longer, or says so.
        OverloadedError: it does not fit now, or did not arrive in time.
    """
    _check(int(request.headers.get("content-length", "0")), limit)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(timeout_s):
            async for chunk in request.stream():
                size += len(chunk)
                _check(size, limit)
                lease.grow(len(chunk))
                chunks.append(chunk)
    except TimeoutError:
        raise OverloadedError(f"the body did not arrive within {timeout_s:g} s") from None
    return b"".join(chunks)


def _check(size: int, limit: int) -> None:
    if size > limit:
        raise TooLargeError(f"the body is over {limit} bytes")
