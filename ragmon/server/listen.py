"""The three servers: started together, stopped in the order of the data."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from ragmon.server import otlp_grpc
from ragmon.server.budget import ByteBudget
from ragmon.server.facts import facts_app
from ragmon.server.intake import Intake, Views
from ragmon.server.ports import Ports, bind, port_in_use, target
from ragmon.server.receive import Receiver
from ragmon.server.views import views_app
from ragmon.server.web import WebServer

__all__ = ["Ports", "ServerSettings", "Servers"]

_BODIES_IN_FLIGHT: Final = 4
_GRPC_GRACE_S: Final = 5.0

_Stop: TypeAlias = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where to listen, and the largest bodies, before and after decompression.

    labels_per_s: labels and feedback together, over time.
    `token` is the bearer token that senders must show, None for everybody may send.
    All requests in flight may hold four bodies of the largest size together.
    """

    host: str
    ports: Ports
    body_bytes: int
    label_body_bytes: int
    corpus_body_bytes: int = 64 << 20
    labels_per_s: float = 5_000.0
    token: str | None = field(default=None, repr=False)


class Servers:
    """OTLP/gRPC, OTLP/HTTP with labels, and views, in the event loop that starts them."""

    def __init__(self, settings: ServerSettings, intake: Intake, views: Views) -> None:
        self._settings = settings
        self._views = views
        self._budget = ByteBudget(
            _BODIES_IN_FLIGHT * max(settings.body_bytes, settings.corpus_body_bytes)
        )
        self._receiver = Receiver(intake, settings.body_bytes, self._budget)
        self._facts_stops: list[_Stop] = []
        self._views_stops: list[_Stop] = []

    @property
    def bytes_in_flight(self) -> int:
        """Bytes that requests hold at the moment."""
        return self._budget.used_bytes

    async def start(self) -> Ports:
        """Listen on every port; returns their real numbers.

        Raises:
            PortInUseError: a port is taken; nothing listens then.
            ConfigError: an address cannot be listened on; nothing listens then.
        """
        try:
            views = await self._start_views()
            http = await self._start_http()
            return Ports(await self._start_grpc(), http, views)
        except BaseException:
            await self.stop()
            raise

    async def stop_intake(self) -> None:
        """Take no more facts; what is in flight is answered first. Views stay."""
        await _stop_all(self._facts_stops)

    async def stop(self) -> None:
        """Stop everything that still runs."""
        await asyncio.gather(self.stop_intake(), _stop_all(self._views_stops))

    async def _start_views(self) -> int:
        bound = bind(self._settings.host, self._settings.ports.views, "views_port")
        web = WebServer(views_app(self._views), bound)
        self._views_stops.append(web.stop)
        await web.start()
        return web.port

    async def _start_http(self) -> int:
        bound = bind(self._settings.host, self._settings.ports.otlp_http, "otlp_http_port")
        settings = self._settings
        limits = (
            settings.label_body_bytes,
            settings.corpus_body_bytes,
            settings.labels_per_s,
        )
        web = WebServer(facts_app(self._receiver, *limits, settings.token), bound)
        self._facts_stops.append(web.stop)
        await web.start()
        return web.port

    async def _start_grpc(self) -> int:
        host, port = self._settings.host, self._settings.ports.otlp_grpc
        # gRPC's own error is one text for every cause.
        with bind(host, port, "otlp_grpc_port") as probe:
            address = target(probe)
        made = otlp_grpc.server(self._receiver, self._settings.token)
        self._facts_stops.append(partial(made.stop, _GRPC_GRACE_S))
        try:
            bound = made.add_insecure_port(address)
        except RuntimeError:
            raise port_in_use(host, port, "otlp_grpc_port") from None
        await made.start()
        return bound


async def _stop_all(stops: list[_Stop]) -> None:
    pending = stops.copy()
    stops.clear()
    await asyncio.gather(*(stop() for stop in pending))
