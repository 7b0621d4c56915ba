"""One canary request over HTTP."""

import time
from typing import Final

import httpx

from ragmon.model.canary import Ending
from ragmon.probe.marker import TraceContext
from ragmon.probe.template import HttpRequest

_MOST_BYTES: Final = 4 << 20


def send(
    client: httpx.Client, request: HttpRequest, context: TraceContext, name: str, deadline_s: float
) -> Ending:
    """Send a request as part of a trace; its answer is read up to a bound and thrown away.

    Redirects are not followed: they may lead to another host. deadline_s: on the monotonic
    clock, when the whole answer has to be there.
    """
    headers = httpx.Headers(request.headers)
    headers.update({"traceparent": context.traceparent, "baggage": f"ragmon.canary={name}"})
    try:
        with client.stream(
            request.method, request.url, headers=headers, content=request.content
        ) as answer:
            _drain(answer, deadline_s)
            return Ending.OK if answer.is_success else Ending.REFUSED
    except httpx.TimeoutException:
        return Ending.TIMEOUT
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
        return Ending.UNREACHABLE


def _drain(answer: httpx.Response, deadline_s: float) -> None:
    """Read it, so that a streamed answer is made to its end.

    Raises:
        ReadTimeout: it drips on behind the deadline.
    """
    read = 0
    for chunk in answer.iter_raw():
        read += len(chunk)
        if time.monotonic() > deadline_s:
            raise httpx.ReadTimeout("the answer is not whole in time")
        if read > _MOST_BYTES:
            return
