"""What the servers ask for: facts in, views out."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence

from ragmon.app.assessments import Assessed
from ragmon.app.corpus import Registered
from ragmon.app.erasure import Erased
from ragmon.app.labels import Posted
from ragmon.app.loop import Loop
from ragmon.app.wiring import Parts
from ragmon.model.assessment import Assessment
from ragmon.model.flow import Body, DropReason, Refusal
from ragmon.server.intake import Condition
from ragmon.telemetry import Room, Transport

_MANY_ROUNDS = 5


class AppIntake:
    """Facts in: bodies to the inbox, labels to the store. Belongs to one event loop."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def now_ns(self) -> int:
        """The time, in nanoseconds since the epoch."""
        return time.time_ns()

    async def accept(self, body: Body, transport: str) -> None:
        """Keep a body in the inbox; on return it is durable and counted."""
        await asyncio.wrap_future(self._parts.writer.submit(body))
        self._parts.exporter.received(Transport(transport), body.span_count)

    def refuse(self, spans: int, transport: str) -> None:
        """Count spans that were refused one by one."""
        self._parts.exporter.received(Transport(transport), spans)
        self._parts.exporter.dropped(DropReason.INVALID, spans)

    async def post_labels(self, labels: Sequence[object], received_ns: int) -> Posted:
        """Keep posted labels."""
        return await asyncio.to_thread(self._parts.labels.post, labels, received_ns)

    async def post_feedback(self, feedback: Sequence[object], received_ns: int) -> Posted:
        """Keep posted feedback."""
        return await asyncio.to_thread(self._parts.feedback.post, feedback, received_ns)

    async def post_assessments(
        self, assessments: Sequence[Assessment], ignored: int, received_ns: int
    ) -> Assessed:
        """Keep what came of the evaluations of log events."""
        take = self._parts.assessments.of_logs
        return await asyncio.to_thread(take, assessments, ignored, received_ns)

    def read_labels(self, chosen: Mapping[str, str]) -> Iterator[bytes]:
        """The chosen labels, as they would be posted."""
        return self._parts.label_views.lines(chosen, self.now_ns())

    async def label_status(self) -> Mapping[str, object]:
        """How labels fare."""
        return await asyncio.to_thread(self._parts.label_views.status, self.now_ns())

    async def post_corpus(
        self, documents: Sequence[object], received_ns: int, pipeline: str | None
    ) -> Registered:
        """Register posted documents."""
        post = self._parts.corpus.post
        return await asyncio.to_thread(post, documents, received_ns, pipeline)

    async def erase(self, targets: Sequence[object], received_ns: int) -> Erased:
        """Erase what posted targets reach."""
        return await asyncio.to_thread(self._parts.erasures.post, targets, received_ns)

    def refuse_body(self, reason: Refusal) -> None:
        """Count a body that was refused as a whole."""
        self._parts.exporter.refused(reason)

    def failed(self, error: Exception) -> None:  # noqa: ARG002 (the server has logged it)
        """Count an unexpected error of the servers."""
        self._parts.exporter.error(Room.SERVER)


class AppViews:
    """Views out. Belongs to one event loop."""

    def __init__(self, parts: Parts, loop: Loop) -> None:
        self._parts = parts
        self._loop = loop

    async def exposition(
        self, accept: str, accept_encoding: str
    ) -> tuple[bytes, Mapping[str, str]]:
        """The metrics, made in a thread of their own so that intake goes on."""
        exposition = self._parts.exporter.exposition
        made = await asyncio.to_thread(exposition, accept, accept_encoding)
        return made.body, made.headers

    async def summary(self, chosen: Mapping[str, str]) -> bytes:
        """What a window of live traffic says, made in a thread of its own."""
        return await asyncio.to_thread(self._parts.live.summary, chosen, time.time_ns())

    def read_results(self, chosen: Mapping[str, str]) -> Iterator[bytes]:
        """The requests of a window."""
        return self._parts.live.lines(chosen, time.time_ns())

    def healthy(self) -> Condition:
        """Whether the loop runs."""
        return Condition(self._loop.alive, "the settle loop has ended; restart the processor")

    def ready(self) -> Condition:
        """Whether facts are taken in and can be stored."""
        if not self._loop.alive:
            return self.healthy()
        if self._loop.store_available and self._loop.failed_rounds >= _MANY_ROUNDS:
            return Condition(False, "every round of the settle loop fails; see the log")
        return Condition(
            self._loop.store_available, "the store cannot commit; bodies wait in the inbox"
        )
