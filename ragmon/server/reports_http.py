"""Live traffic over HTTP: a window of it summed up, and its single requests."""

import asyncio
import logging
from itertools import chain

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from ragmon.errors import RagmonError
from ragmon.ingest.answers import answer
from ragmon.ingest.split import JSON
from ragmon.server import responses
from ragmon.server.intake import Views

_log = logging.getLogger("ragmon.server")

_LINES = "application/x-ndjson"


class ReportPages:
    """Answers what is asked about live traffic; one summary at a time, a long window is work."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._one = asyncio.Semaphore(1)

    def routes(self) -> list[Route]:
        """The paths of reports."""
        return [
            Route("/v1/summary", self.summary),
            Route("/v1/results", self.results),
        ]

    async def summary(self, request: Request) -> Response:
        """What a window says of each pipeline."""
        try:
            async with self._one:
                content = await self._views.summary(dict(request.query_params))
        except Exception as error:  # noqa: BLE001 - the page fails, the process goes on
            return _refusal(error)
        return Response(content, media_type=JSON)

    async def results(self, request: Request) -> Response:
        """Every request of a window, a line each."""
        try:
            chosen = dict(request.query_params)
            lines = await asyncio.to_thread(self._views.read_results, chosen)
            # The first ones now: once an answer has begun there is no status for a fault.
            first = await asyncio.to_thread(next, lines, b"")
        except Exception as error:  # noqa: BLE001 - the page fails, the process goes on
            return _refusal(error)
        return StreamingResponse(chain((first,), lines), media_type=_LINES)


def _refusal(error: Exception) -> Response:
    """Why there is no page; the text of a fault of ours is kept back."""
    if isinstance(error, RagmonError):
        return responses.error_response(answer(error), JSON)
    _log.error("%s while reporting on live traffic", type(error).__name__)
    return PlainTextResponse("the report cannot be made\n", 500)
