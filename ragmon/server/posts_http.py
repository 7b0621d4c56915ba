"""Facts as JSON over HTTP, gold labels and documents: an object, an array, or a line each."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ragmon.errors import MalformedError, TooLargeError
from ragmon.ingest.compression import ENCODINGS
from ragmon.ingest.json_body import load
from ragmon.ingest.split import JSON
from ragmon.server import body, responses
from ragmon.server.intake import Posted
from ragmon.server.rate import RateLimit
from ragmon.server.receive import Receiver

_LINES: Final = frozenset(
    ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
)
_GONE: Final = 499
_MOST: Final = 100_000
_MOST_FAULTS: Final = 100


Take: TypeAlias = Callable[[Sequence[object], int, Request], Awaitable[Posted]]
"""Keeps what was posted at a time by a request."""


class PostsEndpoint:
    """Answers posted facts of one kind, which `noun` names.

    rate: how many may come over time, which endpoints may share; None for any number. most:
    facts in one body.
    """

    def __init__(
        self,
        receiver: Receiver,
        body_bytes: int,
        noun: str,
        take: Take,
        rate: RateLimit | None = None,
        most: int = _MOST,
    ) -> None:
        self._receiver = receiver
        self._body_bytes = body_bytes
        self._noun = noun
        self._keep = take
        self._rate = rate
        self._most = most

    async def post(self, request: Request) -> Response:
        """Take posted facts in: 200, 207 where some had faults, 400 where all had.

        429 where they come too fast: nothing of the body is kept then.
        """
        media_type, encoding = body.media_type(request), body.encoding(request)
        if media_type != JSON and media_type not in _LINES:
            return responses.unsupported(f"content-type must be {JSON} or application/x-ndjson\n")
        if encoding not in ENCODINGS:
            return responses.unsupported("content-encoding must be gzip, deflate or identity\n")
        try:
            return _response(await self._take(request, media_type, encoding))
        except ClientDisconnect:
            return Response(status_code=_GONE)
        except Exception as error:  # noqa: BLE001 - a fault of ours may pass, so say try again
            return responses.error_response(self._receiver.answer(error), JSON)

    async def _take(self, request: Request, media_type: str, encoding: str) -> Posted:
        receiver = self._receiver
        received_ns = receiver.intake.now_ns()
        with receiver.budget.lease() as lease:
            sent = await body.read_body(request, self._body_bytes, lease)
            self._spend(0)  # asked first, since reading a body costs more than this
            content = await receiver.inflate(sent, encoding, self._body_bytes, lease)
            read = _read_lines if media_type in _LINES else _read_json
            posted = await receiver.offload.run(len(content), read, content)
            self._spend(len(self._checked(posted)))
            return await self._keep(posted, received_ns, request)

    def _spend(self, facts: int) -> None:
        if self._rate is not None:
            self._rate.take(facts, self._receiver.intake.now_ns())

    def _checked(self, posted: list[object]) -> list[object]:
        if not posted:
            raise MalformedError(f"no {self._noun} in the body")
        if len(posted) > self._most:
            raise TooLargeError(f"more than {self._most} {self._noun}s in one body")
        return posted


def _read_json(content: bytes) -> list[object]:
    document = load(content)
    return list(document) if isinstance(document, list) else [document]


def _read_lines(content: bytes) -> list[object]:
    """One fact a line, blank lines passed over; None, which no fact is, for a broken one."""
    return [_read_line(line) for line in content.splitlines() if line.strip()]


def _read_line(line: bytes) -> object:
    try:
        return load(line)
    except MalformedError:
        return None


def _response(posted: Posted) -> Response:
    """What became of the facts, with the first hundred faults."""
    kept = {str(outcome): count for outcome, count in posted.outcomes.items()}
    answer = {
        "outcomes": kept,
        **posted.counts,
        "fault_count": len(posted.faults),
        "faults": list(posted.faults[:_MOST_FAULTS]),
    }
    return Response(orjson.dumps(answer), _status(sum(kept.values()), posted), media_type=JSON)


def _status(kept: int, posted: Posted) -> int:
    if not posted.faults:
        return 200
    return 207 if kept else 400
