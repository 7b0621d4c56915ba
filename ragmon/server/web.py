"""uvicorn inside an event loop that belongs to somebody else."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HEAD_BYTES: Final = 512 << 10
_KEEP_ALIVE_S: Final = 75
_GRACE_S: Final = 5


class _BoundedProtocol(HttpToolsProtocol):
    """HTTP with a bound on heads and trailers, which the parser itself keeps whole."""

    _unbroken_bytes = 0

    def data_received(self, data: bytes) -> None:
        self._unbroken_bytes += len(data)
        super().data_received(data)
        if self._unbroken_bytes > _HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("Request head too large.")

    def on_body(self, body: bytes) -> None:
        self._unbroken_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unbroken_bytes = 0
        super().on_message_complete()


class WebServer(uvicorn.Server):
    """One application on a socket that is already bound."""

    def __init__(self, app: Starlette, bound: socket.socket) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_BoundedProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )
        self.port: int = bound.getsockname()[1]
        self._bound = bound
        self._up = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the process that runs the loop."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._up.set()

    async def start(self) -> None:
        """Serve in a task of its own; on return connections are taken."""
        self._serving = asyncio.create_task(self.serve(sockets=[self._bound]))
        up = asyncio.create_task(self._up.wait())
        await asyncio.wait((up, self._serving), return_when=asyncio.FIRST_COMPLETED)
        if self._serving.done():
            up.cancel()
            self._serving.result()

    async def stop(self) -> None:
        """Take no more connections and let the requests in flight end."""
        self.should_exit = True
        if self._serving is not None:
            await self._serving
        self._bound.close()
