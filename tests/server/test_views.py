"""The views port shows metrics and health."""

import pytest

from ragmon.server.intake import Condition
from tests.server.fakes import Running


async def test_metrics(running: Running) -> None:
    """The exposition is made for the request's headers, and answered with its own."""
    answer = await running.get("/metrics", accept="text/plain", accept_encoding="gzip")
    assert (answer.status_code, answer.text) == (200, "text/plain|gzip")
    assert (answer.headers["content-type"], answer.headers["vary"]) == ("text/x", "Accept")


async def test_failing_metrics(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    """An exposition that fails costs its own page, and its text is kept back."""
    running.views.fault = ValueError("secret")
    answer = await running.get("/metrics")
    assert (answer.status_code, answer.text) == (500, "the metrics cannot be exposed\n")
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


async def test_health(running: Running) -> None:
    """Health and readiness are answered apart, with the reason where something is wrong."""
    running.views.readiness = Condition(ok=False, reason="the inbox is being replayed")
    health, ready = await running.get("/healthz"), await running.get("/readyz")
    assert (health.status_code, health.text) == (200, "ok\n")
    assert (ready.status_code, ready.text) == (503, "the inbox is being replayed\n")


async def test_index(running: Running) -> None:
    """The front page links every view."""
    answer = await running.get("/")
    assert (answer.status_code, answer.headers["content-type"][:9]) == (200, "text/html")
    for path in ("/metrics", "/v1/summary?window=24h", "/healthz", "/readyz"):
        assert f'href="{path}"' in answer.text
