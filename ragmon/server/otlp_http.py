"""OTLP over HTTP: `POST /v1/traces` and `/v1/logs`, under any prefix."""

from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ragmon.ingest.compression import ENCODINGS
from ragmon.ingest.split import JSON, PROTOBUF
from ragmon.server import body, responses
from ragmon.server.receive import Export, Receiver
from ragmon.server.signals import Signal

_GONE: Final = 499  # nobody is there to read it


class ExportEndpoint:
    """Answers the export requests of one signal."""

    def __init__(self, receiver: Receiver, signal: Signal) -> None:
        self._receiver = receiver
        self._signal = signal

    def routes(self) -> list[Route]:
        """The paths of the signal."""
        path = self._signal.path
        return [Route(one, self.post, methods=["POST"]) for one in (path, "/{prefix:path}" + path)]

    async def post(self, request: Request) -> Response:
        """Take one export request in."""
        media_type, encoding = body.media_type(request), body.encoding(request)
        if media_type not in (JSON, PROTOBUF):
            return responses.unsupported(f"content-type must be {PROTOBUF} or {JSON}\n")
        if encoding not in ENCODINGS:
            return responses.unsupported("content-encoding must be gzip, deflate or identity\n")
        try:
            return await self._take(request, media_type, encoding)
        except ClientDisconnect:
            return Response(status_code=_GONE)
        except Exception as error:  # noqa: BLE001 - any other answer makes senders drop spans
            return responses.error_response(self._receiver.answer(error), media_type)

    async def _take(self, request: Request, media_type: str, encoding: str) -> Response:
        receiver = self._receiver
        with receiver.budget.lease() as lease:
            content = await body.read_body(request, receiver.body_bytes, lease)
            export = Export(content, media_type, encoding, "http")
            taken = await self._signal.take(receiver, export, lease)
        return responses.export_response(taken, self._signal, media_type)
