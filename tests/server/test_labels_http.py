"""Labels over HTTP: one, many, some of them bad."""

import asyncio
import gzip
import json
from typing import Any

import pytest

from ragmon.errors import StoreUnavailableError
from tests.server.fakes import BODY_BYTES, Running, until

JSON, LINES = "application/json", "application/x-ndjson"
GOOD = {"trace_id": "0af7651916cd43dd8448eb211c80319c", "answerable": True, "revision": 1}
ALSO_GOOD = {"query": "what is a tuple", "reference_answers": ["an immutable sequence"]}
BAD = {"trace_id": "0af7651916cd43dd8448eb211c80319c"}


def _dump(label: Any) -> bytes:
    return json.dumps(label).encode()


async def _post(running: Running, content: bytes, media_type: str = JSON, **headers: str) -> Any:
    answer = await running.post(content, media_type, "/v1/labels", **headers)
    assert answer.headers["content-type"] == JSON
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("content", "media_type", "labels"),
    [
        (_dump(GOOD), JSON, [GOOD]),
        (_dump([GOOD, ALSO_GOOD]), JSON + "; charset=utf-8", [GOOD, ALSO_GOOD]),
        (_dump(GOOD) + b"\n\n" + _dump(ALSO_GOOD) + b"\r\n", LINES, [GOOD, ALSO_GOOD]),
    ],
)
async def test_forms(running: Running, content: bytes, media_type: str, labels: list[Any]) -> None:
    """An object, an array, and a line for each are taken, with the counts of each outcome."""
    status, answer = await _post(running, content, media_type)
    assert running.intake.posted == labels
    assert (status, answer) == (
        200,
        {
            "outcomes": {"accepted": len(labels)},
            "unmatched": len(labels),
            "fault_count": 0,
            "faults": [],
        },
    )


async def test_gzip(running: Running) -> None:
    """Labels may come compressed."""
    status, _ = await _post(running, gzip.compress(_dump(GOOD)), content_encoding="gzip")
    assert (status, running.intake.posted) == (200, [GOOD])


async def test_some_bad(running: Running) -> None:
    """Where some labels have faults, the others are kept and each fault is named: 207."""
    content = b"\n".join((_dump(GOOD), b"{broken", _dump(BAD)))
    status, answer = await _post(running, content, LINES)
    assert (status, answer["outcomes"], answer["fault_count"]) == (207, {"accepted": 1}, 2)
    assert [fault.split(":")[0] for fault in answer["faults"]] == ["label 1", "label 2"]


async def test_all_bad(running: Running) -> None:
    """Where all have faults nothing is kept: 400, with every fault."""
    status, answer = await _post(running, _dump([BAD, 5]))
    assert (status, answer["outcomes"], answer["fault_count"]) == (400, {}, 2)


async def test_faults_are_bounded(running: Running) -> None:
    """However many faults there are, a hundred are told and all counted."""
    status, answer = await _post(running, _dump([1] * 1_000))
    assert (status, answer["fault_count"], len(answer["faults"])) == (400, 1_000, 100)


@pytest.mark.parametrize(
    ("content", "media_type", "message"),
    [
        (b"", JSON, "the body is no JSON"),
        (b"[]", JSON, "no label in the body"),
        (b"\n \n", LINES, "no label in the body"),
        (b"{", JSON, "the body is no JSON"),
    ],
)
async def test_undecodable(running: Running, content: bytes, media_type: str, message: str) -> None:
    """A body without any label is answered 400."""
    status, answer = await _post(running, content, media_type)
    assert (status, answer["code"]) == (400, 3)
    assert answer["message"].startswith(message)


async def test_too_large(running: Running) -> None:
    """A body over its own bound, before or after decompression, is answered 413."""
    big = _dump({"query": "x" * (BODY_BYTES // 4)})
    assert (await _post(running, big))[0] == 413
    assert (await _post(running, gzip.compress(big), content_encoding="gzip"))[0] == 413


async def test_too_many(roomy: Running) -> None:
    """So is one with too many labels."""
    status, answer = await _post(roomy, b"1\n" * 100_001, LINES)
    assert (status, answer["message"]) == (413, "more than 100000 labels in one body")


async def test_hang_up(running: Running) -> None:
    """A sender that hangs up in the middle of a body costs nothing."""
    _, writer = await asyncio.open_connection("127.0.0.1", running.ports.otlp_http)
    writer.write(
        b"POST /v1/labels HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{"
    )
    await until(lambda: running.servers.bytes_in_flight > 0)
    writer.close()
    await until(lambda: running.servers.bytes_in_flight == 0)
    assert (running.intake.failures, running.intake.posted) == ([], [])


@pytest.mark.parametrize(
    ("media_type", "encoding"),
    [("application/x-www-form-urlencoded", "identity"), ("text/plain", "gzip"), (JSON, "br")],
)
async def test_unsupported(running: Running, media_type: str, encoding: str) -> None:
    """Other media types and codings are answered 415 in plain text."""
    answer = await running.post(b"{}", media_type, "/v1/labels", content_encoding=encoding)
    assert answer.status_code == 415
    assert "must be" in answer.text


async def test_try_later(running: Running) -> None:
    """A store that cannot commit is answered 503 with a hint when to retry."""
    running.intake.fault = StoreUnavailableError("disk full")
    answer = await running.post(_dump(GOOD), JSON, "/v1/labels")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json() == {"code": 14, "message": "the store cannot take it now"}
