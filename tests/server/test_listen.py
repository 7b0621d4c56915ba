"""Ports are bound with errors that help, and given back."""

import asyncio
import socket

import httpx
import pytest

from ragmon.errors import ConfigError, PortInUseError
from ragmon.server.listen import Servers
from ragmon.server.ports import Ports, bind, target
from tests.server.fakes import FREE, FakeIntake, FakeViews, Running, client, settings, until


def _servers(ports: Ports) -> Servers:
    return Servers(settings(ports), FakeIntake(), FakeViews())


def _taken(ports: Ports, key: str) -> Ports:
    return Ports(
        *(port if name == key else 0 for name, port in zip(_NAMES, _tuple(ports), strict=True))
    )


_NAMES = ("otlp_grpc", "otlp_http", "views")


def _tuple(ports: Ports) -> tuple[int, int, int]:
    return (ports.otlp_grpc, ports.otlp_http, ports.views)


@pytest.mark.parametrize("key", _NAMES)
async def test_port_in_use(running: Running, key: str) -> None:
    """A taken port is named by its configuration key and number, and nothing listens then."""
    ports = _taken(running.ports, key)
    port = max(_tuple(ports))
    with pytest.raises(PortInUseError) as raised:
        await _servers(ports).start()
    assert str(raised.value) == (
        f"listen.{key}_port: port {port} on 127.0.0.1 is in use; "
        "stop what listens there or set another port"
    )


async def test_nothing_left_listening(running: Running) -> None:
    """A start that fails at the last port gives the first ones back."""
    free = _free_port()
    with pytest.raises(PortInUseError):
        await _servers(Ports(running.ports.otlp_grpc, 0, free)).start()
    bind("127.0.0.1", free, "views_port").close()


async def test_restart_at_once() -> None:
    """After a stop the same ports can be taken again at once."""
    first = _servers(FREE)
    ports = await first.start()
    assert all(_tuple(ports))
    async with client() as sender:
        assert (await sender.get(f"http://127.0.0.1:{ports.views}/healthz")).status_code == 200
        await first.stop()
    second = _servers(ports)
    assert ports == await second.start()
    await second.stop()


async def test_stop_twice_and_unstarted() -> None:
    """Stopping again, or before any start, does nothing."""
    servers = _servers(FREE)
    await servers.stop()
    await servers.start()
    await servers.stop()
    await servers.stop()


async def test_views_outlive_intake(running: Running) -> None:
    """Intake stops first: facts are refused while views are still shown."""
    await running.servers.stop_intake()
    with pytest.raises(httpx.ConnectError):
        await running.post(b"")
    assert (await running.get("/healthz")).status_code == 200


async def test_requests_in_flight_end(running: Running) -> None:
    """A request in flight is answered before intake has stopped."""
    _, writer = connection = await asyncio.open_connection("127.0.0.1", running.ports.otlp_http)
    writer.write(
        b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 2\r\n\r\n{"
    )
    await until(lambda: running.servers.bytes_in_flight > 0)
    stopping = asyncio.create_task(running.servers.stop_intake())
    await asyncio.sleep(0.05)
    writer.write(b"}")
    assert (await connection[0].read(12)) == b"HTTP/1.1 200"
    writer.close()
    await stopping


def test_unknown_host() -> None:
    """A host without an address is a fault of the configuration."""
    with pytest.raises(ConfigError, match=r"listen.host: no address for 'no such host'"):
        bind("no such host", 0, "views_port")


def test_foreign_address() -> None:
    """So is an address that is not this machine's."""
    with pytest.raises(ConfigError, match=r"listen.views_port: cannot listen on 192.0.2.1:0: "):
        bind("192.0.2.1", 0, "views_port")


def test_localhost() -> None:
    """`localhost` is 127.0.0.1, where senders look for it."""
    with bind("localhost", 0, "views_port") as bound:
        assert target(bound) == f"127.0.0.1:{bound.getsockname()[1]}"


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_ipv6() -> None:
    """An IPv6 address is written in brackets."""
    try:
        bound = bind("::1", 0, "views_port")
    except ConfigError:
        pytest.skip("no IPv6 loopback here")
    with bound:
        assert target(bound) == f"[::1]:{bound.getsockname()[1]}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
