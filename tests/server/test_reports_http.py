"""Live traffic asked for over HTTP."""

import pytest

from ragmon.errors import MalformedError, StoreUnavailableError
from tests.server.fakes import Running


async def test_a_summary_is_json_of_what_was_asked(running: Running) -> None:
    """Parameters are handed on as they came."""
    answer = await running.get("/v1/summary?window=24h&pipeline=sh%20op")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {"chosen": {"window": "24h", "pipeline": "sh op"}}


async def test_results_are_streamed(running: Running) -> None:
    """A line each, chosen as asked for."""
    running.views.lines = ["one", "two"]
    answer = await running.get("/v1/results?since=24h")
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.text == "one {'since': '24h'}\ntwo {'since': '24h'}\n"


@pytest.mark.parametrize("path", ["/v1/summary", "/v1/results"])
async def test_faults(running: Running, path: str, caplog: pytest.LogCaptureFixture) -> None:
    """A wrong question is 400 with what is wrong, an absent store 503, a fault of ours 500."""
    running.views.fault = MalformedError("window must be 1m to 366d, not 'x'")
    answer = await running.get(path)
    assert (answer.status_code, answer.json()["message"]) == (400, str(running.views.fault))
    running.views.fault = StoreUnavailableError("away")
    assert (await running.get(path)).status_code == 503
    running.views.fault = KeyError("secret")
    answer = await running.get(path)
    assert (answer.status_code, answer.text) == (500, "the report cannot be made\n")
    assert "KeyError" in caplog.text
    assert "secret" not in caplog.text
