"""Real servers on free ports."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ragmon.server.listen import Servers
from tests.server.fakes import FakeIntake, FakeViews, Running, settings


@asynccontextmanager
async def _started(body_bytes: int) -> AsyncIterator[Running]:
    intake, views = FakeIntake(), FakeViews()
    servers = Servers(settings(body_bytes=body_bytes), intake, views)
    ports = await servers.start()
    try:
        yield Running(ports, servers, intake, views)
    finally:
        await servers.stop()


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    """Servers with a bound of 1 MiB a body."""
    async with _started(1 << 20) as servers:
        yield servers


@pytest.fixture
async def roomy() -> AsyncIterator[Running]:
    """Servers with the default bound of 64 MiB a body."""
    async with _started(64 << 20) as servers:
        yield servers
