"""The answers of OTLP/HTTP: their bytes, and a content type exactly equal to the request's."""

import orjson
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from starlette.responses import PlainTextResponse, Response

from ragmon.ingest.answers import Answer
from ragmon.ingest.split import JSON, SplitBody


def export_message(read: SplitBody) -> bytes:
    """The serialised ExportTraceServiceResponse, empty where all is well."""
    if not read.problems:
        return b""
    partial = ExportTracePartialSuccess(rejected_spans=read.rejected, error_message=read.problems)
    return ExportTraceServiceResponse(partial_success=partial).SerializeToString()


def export_response(read: SplitBody, media_type: str) -> Response:
    """The answer to an accepted request."""
    content = _export_json(read) if media_type == JSON else export_message(read)
    return Response(content, media_type=media_type)


def _export_json(read: SplitBody) -> bytes:
    if not read.problems:
        return b"{}"
    partial = {"rejectedSpans": str(read.rejected), "errorMessage": read.problems}
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
