"""The bearer token that senders must show, over HTTP and over gRPC."""

from collections.abc import Awaitable, Callable
from hmac import compare_digest

import grpc
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_REFUSAL = "a bearer token is required, as in `authorization: Bearer ...`"


def shows(token: str, authorization: str) -> bool:
    """Whether an authorization header carries this bearer token."""
    scheme, _, shown = authorization.partition(" ")
    return scheme.lower() == "bearer" and compare_digest(shown.strip().encode(), token.encode())


class RequireBearer:
    """Answers 401 to every HTTP request that does not show the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI has it."""
        if scope["type"] != "http" or shows(
            self._token, Headers(scope=scope).get("authorization", "")
        ):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse(f"{_REFUSAL}\n", 401, headers={"www-authenticate": "Bearer"})
        await refusal(scope, receive, send)


class BearerInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]
    """Answers UNAUTHENTICATED to every call that does not show the token."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._refuse = grpc.unary_unary_rpc_method_handler(_refuse, None, None)

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable["grpc.RpcMethodHandler[bytes, bytes]"]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Let a call through that shows the token."""
        metadata = dict(handler_call_details.invocation_metadata or ())
        if shows(self._token, str(metadata.get("authorization", ""))):
            return await continuation(handler_call_details)
        return self._refuse


async def _refuse(_: bytes, context: "grpc.aio.ServicerContext[bytes, bytes]") -> bytes:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, _REFUSAL)
