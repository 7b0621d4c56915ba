"""The views port: metrics, health, and a page that links them."""

import logging
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from ragmon.server.intake import Condition, Views
from ragmon.server.reports_http import ReportPages

_log = logging.getLogger("ragmon.server")

_INDEX: Final = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>ragmon</title></head>
<body>
<h1>ragmon</h1>
<p>Measures every request of a RAG service from its OpenTelemetry spans.</p>
<ul>
<li><a href="/metrics">/metrics</a>: for Prometheus</li>
<li><a href="/v1/summary?window=24h">/v1/summary</a>: means, coverage and scores by event time</li>
<li><a href="/healthz">/healthz</a>: whether the process does its work</li>
<li><a href="/readyz">/readyz</a>: whether it takes spans and labels in</li>
</ul>
</body>
</html>
"""


class _Pages:
    def __init__(self, views: Views) -> None:
        self._views = views

    async def index(self, _request: Request) -> Response:
        return HTMLResponse(_INDEX)

    async def metrics(self, request: Request) -> Response:
        accept = request.headers.get("accept", "")
        accept_encoding = request.headers.get("accept-encoding", "")
        try:
            content, headers = await self._views.exposition(accept, accept_encoding)
        except Exception as error:  # noqa: BLE001 - the page fails, the process goes on
            _log.error("%s while exposing the metrics", type(error).__name__)
            return PlainTextResponse("the metrics cannot be exposed\n", 500)
        return Response(content, headers=dict(headers))

    async def healthz(self, _request: Request) -> Response:
        return _condition(self._views.healthy())

    async def readyz(self, _request: Request) -> Response:
        return _condition(self._views.ready())


def _condition(condition: Condition) -> Response:
    if condition.ok:
        return PlainTextResponse("ok\n")
    return PlainTextResponse(f"{condition.reason}\n", 503)


def views_app(views: Views) -> Starlette:
    """The application of the views port."""
    pages = _Pages(views)
    return Starlette(
        routes=[
            Route("/", pages.index),
            Route("/metrics", pages.metrics),
            *ReportPages(views).routes(),
            Route("/healthz", pages.healthz),
            Route("/readyz", pages.readyz),
        ]
    )
