"""The OTLP/HTTP port: spans, logs, labels, feedback and documents."""

from collections.abc import Sequence
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import Route

from ragmon.server.auth import RequireBearer
from ragmon.server.intake import Posted
from ragmon.server.label_reads_http import LabelReads
from ragmon.server.otlp_http import ExportEndpoint
from ragmon.server.posts_http import PostsEndpoint
from ragmon.server.rate import RateLimit
from ragmon.server.receive import Receiver
from ragmon.server.signals import LOGS, TRACES

_MOST_TARGETS: Final = 100  # each is looked for in all that waits, while nothing is settled


def facts_app(
    receiver: Receiver,
    label_body_bytes: int,
    corpus_body_bytes: int,
    labels_per_s: float,
    token: str | None = None,
) -> Starlette:
    """The application of the OTLP/HTTP port; with a token every request must show it."""
    rate = RateLimit(labels_per_s, "label")

    async def take_labels(posted: Sequence[object], received_ns: int, _: Request) -> Posted:
        return await receiver.intake.post_labels(posted, received_ns)

    async def take_corpus(posted: Sequence[object], received_ns: int, request: Request) -> Posted:
        pipeline = request.query_params.get("pipeline") or None
        return await receiver.intake.post_corpus(posted, received_ns, pipeline)

    async def take_feedback(posted: Sequence[object], received_ns: int, _: Request) -> Posted:
        return await receiver.intake.post_feedback(posted, received_ns)

    async def take_erasures(posted: Sequence[object], received_ns: int, _: Request) -> Posted:
        return await receiver.intake.erase(posted, received_ns)

    labels = PostsEndpoint(receiver, label_body_bytes, "label", take_labels, rate)
    feedback = PostsEndpoint(receiver, label_body_bytes, "feedback", take_feedback, rate)
    corpus = PostsEndpoint(receiver, corpus_body_bytes, "document", take_corpus)
    erasures = PostsEndpoint(
        receiver, label_body_bytes, "target", take_erasures, most=_MOST_TARGETS
    )
    return Starlette(
        routes=[
            Route("/v1/erase", erasures.post, methods=["POST"]),
            Route("/v1/labels", labels.post, methods=["POST"]),
            *LabelReads(receiver).routes(),
            Route("/v1/corpus", corpus.post, methods=["POST"]),
            Route("/v1/feedback", feedback.post, methods=["POST"]),
            *ExportEndpoint(receiver, TRACES).routes(),
            *ExportEndpoint(receiver, LOGS).routes(),
        ],
        middleware=[Middleware(RequireBearer, token)] if token else [],
    )
