"""Stored labels over HTTP: as they would be posted, counted, and what form they have."""

import asyncio
from itertools import chain

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ragmon.ingest.split import JSON
from ragmon.labels.schema import label_schema
from ragmon.server import responses
from ragmon.server.receive import Receiver

_LINES = "application/x-ndjson"


class LabelReads:
    """Answers what is asked about labels."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    def routes(self) -> list[Route]:
        """The paths beside `POST /v1/labels`."""
        return [
            Route("/v1/labels", self.export, methods=["GET"]),
            Route("/v1/labels/status", self.status, methods=["GET"]),
            Route("/v1/labels/schema", self.schema, methods=["GET"]),
        ]

    async def export(self, request: Request) -> Response:
        """Every chosen label, a line each."""
        try:
            lines = self._receiver.intake.read_labels(dict(request.query_params))
            # The first ones now: once an answer has begun there is no status for a fault.
            first = await asyncio.to_thread(next, lines, b"")
        except Exception as error:  # noqa: BLE001 - a fault of ours may pass, so say try again
            return responses.error_response(self._receiver.answer(error), JSON)
        return StreamingResponse(chain((first,), lines), media_type=_LINES)

    async def status(self, _request: Request) -> Response:
        """How labels fare."""
        try:
            status = await self._receiver.intake.label_status()
        except Exception as error:  # noqa: BLE001 - a fault of ours may pass, so say try again
            return responses.error_response(self._receiver.answer(error), JSON)
        return Response(orjson.dumps(status), media_type=JSON)

    async def schema(self, _request: Request) -> Response:
        """The JSON Schema of a label."""
        return JSONResponse(label_schema())
