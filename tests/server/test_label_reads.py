"""Labels asked for over HTTP."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ragmon.errors import MalformedError, StoreUnavailableError
from tests.server.fakes import Running, client

GOOD = {"query": "what", "answerable": True}


async def _get(running: Running, path: str) -> Any:
    async with client() as sender:
        return await sender.get(running.http + path)


async def test_labels_are_streamed(running: Running) -> None:
    """A line each, chosen as asked for."""
    running.intake.posted = [1, 2]
    answer = await _get(running, "/v1/labels?field=answerable&since=7d")
    chosen = {"field": "answerable", "since": "7d"}
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.text == f"1 {chosen}\n2 {chosen}\n"


async def test_no_labels(running: Running) -> None:
    """An empty answer is none of a fault."""
    answer = await _get(running, "/v1/labels")
    assert (answer.status_code, answer.content) == (200, b"")


async def test_status(running: Running) -> None:
    """JSON, as app gives it."""
    assert (await _get(running, "/v1/labels/status")).json() == {"labels": 0}


async def test_schema(running: Running) -> None:
    """What it takes can be posted."""
    schema = (await _get(running, "/v1/labels/schema")).json()
    Draft202012Validator(schema).validate(GOOD)
    posted = await running.post(json.dumps(GOOD).encode(), "application/json", "/v1/labels")
    assert posted.status_code == 200


@pytest.mark.parametrize("path", ["/v1/labels", "/v1/labels/status"])
async def test_faults(running: Running, path: str) -> None:
    """A wrong question is 400 with what is wrong; a store that is away is 503."""
    running.intake.fault = MalformedError("unknown parameter 'sinse'")
    answer = await _get(running, path)
    assert (answer.status_code, answer.json()["message"]) == (400, "unknown parameter 'sinse'")
    running.intake.fault = StoreUnavailableError("away")
    answer = await _get(running, path)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
