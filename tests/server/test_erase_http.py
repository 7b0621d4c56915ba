"""What is to be erased, over HTTP."""

import json

from ragmon.errors import OverloadedError, StoreUnavailableError
from tests.server.fakes import BODY_BYTES, Running

JSON = "application/json"
TARGET = {"request_id": "m-1"}


async def test_targets_are_erased_and_counted(running: Running) -> None:
    """One, or a list; the answer says what went."""
    for posted in (TARGET, [TARGET, {"query": "which way"}]):
        answer = await running.post(json.dumps(posted).encode(), JSON, "/v1/erase")
        count = len(posted) if isinstance(posted, list) else 1
        assert (200, count) == (answer.status_code, answer.json()["traces"])
        assert {"erased": count} == answer.json()["outcomes"]
    assert [TARGET, TARGET, {"query": "which way"}] == running.intake.posted


async def test_what_could_not_be_erased_is_not_claimed(running: Running) -> None:
    """Whoever asks is told when to ask again."""
    for fault in (OverloadedError("not read yet", 1), StoreUnavailableError("it is being read")):
        running.intake.fault = fault
        answer = await running.post(json.dumps(TARGET).encode(), JSON, "/v1/erase")
        assert (503, True) == (answer.status_code, "retry-after" in answer.headers)


async def test_a_body_has_a_bound(running: Running) -> None:
    """As every other, and an empty one is none."""
    long = json.dumps({"query": "x" * BODY_BYTES}).encode()
    assert 413 == (await running.post(long, JSON, "/v1/erase")).status_code
    assert 400 == (await running.post(b"[]", JSON, "/v1/erase")).status_code
    assert [] == running.intake.posted


async def test_a_hundred_targets_are_enough(running: Running) -> None:
    """Settling stands still meanwhile; more of them come in another body."""
    most = [{"request_id": f"m-{number}"} for number in range(100)]
    assert 200 == (await running.post(json.dumps(most).encode(), JSON, "/v1/erase")).status_code
    answer = await running.post(json.dumps([*most, TARGET]).encode(), JSON, "/v1/erase")
    assert (413, 100) == (answer.status_code, len(running.intake.posted))
    assert "more than 100 targets" in answer.text
