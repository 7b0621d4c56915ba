"""What one request may hold, and for how long."""

import asyncio
import socket

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from ragmon.errors import OverloadedError
from ragmon.server.body import read_body
from ragmon.server.budget import ByteBudget
from ragmon.server.web import WebServer


async def test_slow_body() -> None:
    """A body that does not arrive in time gives its bytes back and may be sent again."""
    sent = [{"type": "http.request", "body": b"x", "more_body": True}]

    async def receive() -> dict[str, object]:
        if sent:
            return sent.pop()
        await asyncio.Event().wait()
        raise AssertionError

    request = Request({"type": "http", "method": "POST", "headers": []}, receive)
    budget = ByteBudget(10)
    with (
        pytest.raises(OverloadedError, match=r"did not arrive within 0.05 s"),
        budget.lease() as lease,
    ):
        await read_body(request, 5, lease, timeout_s=0.05)
    assert budget.used_bytes == 0


def test_budget() -> None:
    """Leases share one bound; what does not fit is refused and holds nothing."""
    budget = ByteBudget(10)
    with budget.lease() as one:
        one.grow(6)
        with budget.lease() as other:
            with pytest.raises(OverloadedError, match="try again shortly"):
                other.grow(5)
            other.grow(4)
            assert budget.used_bytes == 10
        assert budget.used_bytes == 6
    assert budget.used_bytes == 0


async def test_socket_that_cannot_serve() -> None:
    """A server whose socket is gone fails at its start, where it can be told."""
    bound = socket.create_server(("127.0.0.1", 0))
    server = WebServer(Starlette(), bound)
    bound.close()
    with pytest.raises(OSError):
        await server.start()
