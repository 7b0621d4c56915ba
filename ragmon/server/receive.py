"""The road from the bytes of an export request to the inbox, the same for each transport."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Final

from ragmon.ingest.answers import Answer, answer
from ragmon.ingest.compression import GZIP, IDENTITY, inflate
from ragmon.ingest.logs import LogBody, read_logs
from ragmon.ingest.split import SplitBody, split
from ragmon.model.flow import Body, Refusal
from ragmon.server.budget import ByteBudget, Lease
from ragmon.server.intake import Assessed, Intake, Transport
from ragmon.server.offload import Offload

_log = logging.getLogger("ragmon.server")
_INFLATE_COST: Final = 8  # gzip bodies grow about so much


@dataclass(frozen=True, slots=True)
class Export:
    """One export request as it came, its compressed size already within bounds."""

    content: bytes
    media_type: str
    encoding: str
    transport: Transport


@dataclass(frozen=True, slots=True)
class TakenLogs:
    """How many log records of an accepted request were rejected, and why; empty: all is well."""

    rejected: int
    problems: str


class Receiver:
    """Takes export requests in. Belongs to one event loop."""

    def __init__(self, intake: Intake, body_bytes: int, budget: ByteBudget) -> None:
        self.intake = intake
        self.body_bytes = body_bytes
        self.budget = budget
        self.offload = Offload()
        self._keeping: set[asyncio.Task[None]] = set()

    async def take(self, export: Export, lease: Lease) -> SplitBody:
        """Split a request and hand it on; on return its valid spans are durable.

        Raises:
            MalformedError: it cannot be decoded as a whole.
            TooLargeError: it is over a bound.
            OverloadedError: there is no room now.
            StoreUnavailableError: it cannot be kept now.
        """
        received_ns = self.intake.now_ns()
        content = await self.inflate(export.content, export.encoding, self.body_bytes, lease)
        read = await self.offload.run(len(content), split, content, export.media_type, received_ns)
        keeping = asyncio.create_task(
            self._keep(_body(export, content, read, received_ns), read, export.transport)
        )
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)
        # A sender that hangs up now must not keep what is stored from being counted.
        await asyncio.shield(keeping)
        return read

    async def take_logs(self, export: Export, lease: Lease) -> TakenLogs:
        """Read the evaluations of a request; on return what came of them is durable.

        Raises:
            MalformedError: it cannot be decoded as a whole.
            TooLargeError: it is over a bound.
            OverloadedError: there is no room now.
            StoreUnavailableError: it cannot be kept now; sent again, nothing counts twice.
        """
        received_ns = self.intake.now_ns()
        content = await self.inflate(export.content, export.encoding, self.body_bytes, lease)
        media_type = export.media_type
        read = await self.offload.run(len(content), read_logs, content, media_type, received_ns)
        taken = await self.intake.post_assessments(read.assessments, read.ignored, received_ns)
        return _logs(read, taken)

    async def inflate(self, content: bytes, encoding: str, limit: int, lease: Lease) -> bytes:
        """The uncompressed body, held by the lease."""
        if encoding == IDENTITY:
            return content
        size = len(content) * _INFLATE_COST
        return await self.offload.run(size, inflate, content, encoding, limit, lease.grow)

    async def _keep(self, body: Body, read: SplitBody, transport: Transport) -> None:
        if read.span_count:
            await self.intake.accept(body, transport)
        if read.rejected:
            self.intake.refuse(read.rejected, transport)

    def answer(self, error: Exception) -> Answer:
        """What to tell a sender, counted; a fault of ours is logged too, without its text."""
        told = answer(error)
        self.intake.refuse_body(told.refusal)
        if told.refusal is Refusal.ERROR:
            self.intake.failed(error)
            _log.error("%s while receiving, answered as unavailable", _where(error))
        return told


def _logs(read: LogBody, taken: Assessed) -> TakenLogs:
    rejected = read.rejected + taken.rejected
    problems = (*read.problems, *taken.faults)
    counted = (f"{rejected} log records rejected",) if rejected else ()
    return TakenLogs(rejected, "; ".join((*counted, *problems)))


def _body(export: Export, content: bytes, read: SplitBody, received_ns: int) -> Body:
    """The body to keep: gzip as it came, anything else uncompressed."""
    as_it_came = export.encoding == GZIP
    return Body(
        received_ns=received_ns,
        media_type=export.media_type,
        encoding=GZIP if as_it_came else IDENTITY,
        content=export.content if as_it_came else content,
        span_count=read.span_count,
        parts=read.parts,
    )


def _where(error: Exception) -> str:
    """The type of an exception and where it was raised, without its text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" in {trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}"
    return type(error).__name__ + place
