"""The answers of OTLP/HTTP: their bytes, and a content type exactly equal to the request's."""

import orjson
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from starlette.responses import PlainTextResponse, Response

from ragmon.ingest.answers import Answer
from ragmon.ingest.split import JSON
from ragmon.server.signals import Signal, Taken


def export_message(taken: Taken, signal: Signal) -> bytes:
    """The serialised answer to an accepted request, empty where all is well."""
    return signal.answer(taken).SerializeToString() if taken.problems else b""


def export_response(taken: Taken, signal: Signal, media_type: str) -> Response:
    """The answer to an accepted request."""
    as_json = media_type == JSON
    content = _export_json(taken, signal) if as_json else export_message(taken, signal)
    return Response(content, media_type=media_type)


def _export_json(taken: Taken, signal: Signal) -> bytes:
    if not taken.problems:
        return b"{}"
    partial = {signal.rejected_key: str(taken.rejected), "errorMessage": taken.problems}
    return orjson.dumps({"partialSuccess": partial})


def error_response(told: Answer, media_type: str) -> Response:
    """The answer to a refused request: a google.rpc.Status in the request's own encoding."""
    if media_type == JSON:
        content = orjson.dumps({"code": told.grpc_code, "message": told.message})
    else:
        content = Status(code=told.grpc_code, message=told.message).SerializeToString()
    retry = {} if told.retry_after_s is None else {"retry-after": str(told.retry_after_s)}
    return Response(content, told.http_status, headers=retry, media_type=media_type)


def unsupported(message: str) -> Response:
    """The answer to a media type or content coding that is not understood."""
    return PlainTextResponse(message, 415, headers={"accept-encoding": "gzip, deflate"})
