"""Documents over HTTP: taken like labels, each with the pipeline of the request."""

import gzip
import json
from typing import Any

import pytest

from ragmon.errors import StoreUnavailableError
from tests.server.fakes import BODY_BYTES, NOW, Running

JSON, LINES = "application/json", "application/x-ndjson"
GOOD = {"document_id": "d", "text": "a", "chunks": []}


def _dump(document: Any) -> bytes:
    return json.dumps(document).encode()


async def _post(
    running: Running, content: bytes, media_type: str = LINES, query: str = "", **headers: str
) -> Any:
    answer = await running.post(content, media_type, f"/v1/corpus{query}", **headers)
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (_dump(GOOD), JSON),
        (_dump([GOOD]), JSON),
        (_dump(GOOD) + b"\n\n", LINES),
    ],
)
async def test_documents_are_taken(running: Running, content: bytes, media_type: str) -> None:
    """An object, an array, and a line for each, with the counts of each outcome."""
    status, answer = await _post(running, content, media_type)
    assert running.intake.posted == [(GOOD, NOW, None)]
    assert (status, answer) == (
        200,
        {"outcomes": {"accepted": 1}, "touched": 1, "fault_count": 0, "faults": []},
    )


async def test_the_pipeline_of_the_request(running: Running) -> None:
    """`?pipeline=` stands for documents that name none."""
    packed = gzip.compress(_dump(GOOD))
    await _post(running, packed, query="?pipeline=shop", content_encoding="gzip")
    assert running.intake.posted == [(GOOD, NOW, "shop")]


async def test_some_and_all_bad(running: Running) -> None:
    """207 with a line per fault where some are kept, 400 where none is."""
    status, answer = await _post(running, _dump(GOOD) + b"\n{broken")
    assert (status, answer["faults"]) == (207, ["document 1: no"])
    status, answer = await _post(running, b"{broken")
    assert (status, answer["outcomes"]) == (400, {})


async def test_bounds(running: Running) -> None:
    """An empty body is malformed, a large one refused; a store that cannot commit says later."""
    assert (await _post(running, b"\n"))[0] == 400
    assert (await _post(running, b" " * (BODY_BYTES + 1)))[0] == 413
    running.intake.fault = StoreUnavailableError("full")
    assert (await _post(running, _dump(GOOD)))[0] == 503
