"""The OTLP/HTTP port: spans and labels."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from ragmon.server.auth import RequireBearer
from ragmon.server.labels_http import LabelsEndpoint
from ragmon.server.otlp_http import TracesEndpoint
from ragmon.server.receive import Receiver


def facts_app(receiver: Receiver, label_body_bytes: int, token: str | None = None) -> Starlette:
    """The application of the OTLP/HTTP port; with a token every request must show it."""
    traces = TracesEndpoint(receiver)
    labels = LabelsEndpoint(receiver, label_body_bytes)
    return Starlette(
        routes=[
            Route("/v1/labels", labels.post, methods=["POST"]),
            Route("/v1/traces", traces.post, methods=["POST"]),
            Route("/{prefix:path}/v1/traces", traces.post, methods=["POST"]),
        ],
        middleware=[Middleware(RequireBearer, token)] if token else [],
    )
