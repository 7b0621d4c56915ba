"""One canary request over HTTP."""

from typing import Final

import httpx

from ragmon.model.canary import Ending
from ragmon.probe.marker import TraceContext
from ragmon.probe.template import HttpRequest

_MOST_BYTES: Final = 4 << 20


def send(client: httpx.Client, request: HttpRequest, context: TraceContext, name: str) -> Ending:
    """Send a request as part of a trace; its answer is read up to a bound and thrown away.

    Redirects are not followed: they may lead to another host.
    """
    headers = {
        **request.headers,
        "traceparent": context.traceparent,
        "baggage": f"ragmon.canary={name}",
    }
    try:
        with client.stream(
            request.method, request.url, headers=headers, content=request.content
        ) as answer:
            _drain(answer)
            return Ending.OK if answer.is_success else Ending.REFUSED
    except httpx.TimeoutException:
        return Ending.TIMEOUT
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
        return Ending.UNREACHABLE


def _drain(answer: httpx.Response) -> None:
    """Read it, so that a streamed answer is made to its end."""
    read = 0
    for chunk in answer.iter_raw():
        read += len(chunk)
        if read > _MOST_BYTES:
            return
