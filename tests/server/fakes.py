"""A fake of what app hands the servers, and clients to real servers on free ports."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import grpc
import httpx

from ragmon.labels import LabelError, parse_label
from ragmon.model.assessment import Assessment
from ragmon.model.flow import Body, Part, Refusal
from ragmon.server.intake import Condition, Transport
from ragmon.server.listen import Servers, ServerSettings
from ragmon.server.ports import Ports

NOW = 1_800_000_000_000_000_000
BODY_BYTES = 1 << 20
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
EXPORT_LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"


WELL = Condition(ok=True)


@dataclass
class FakePosted:
    outcomes: dict[str, int]
    counts: dict[str, int]
    faults: list[str]


@dataclass
class FakeAssessed:
    rejected: int
    faults: list[str]


@dataclass
class FakeIntake:
    """Keeps what it is given; raises `fault` where one is set."""

    accepted: list[tuple[Body, Transport]] = field(default_factory=list)
    refused: list[tuple[int, Transport]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    posted: list[object] = field(default_factory=list)
    assessed: list[Assessment] = field(default_factory=list)
    ignored: int = 0
    failures: list[Exception] = field(default_factory=list)
    fault: Exception | None = None
    clock_ns: int = NOW

    def now_ns(self) -> int:
        return self.clock_ns

    async def accept(self, body: Body, transport: Transport) -> None:
        if self.fault is not None:
            raise self.fault
        self.accepted.append((body, transport))

    def refuse(self, spans: int, transport: Transport) -> None:
        self.refused.append((spans, transport))

    async def post_labels(self, labels: Sequence[object], received_ns: int) -> FakePosted:
        if self.fault is not None:
            raise self.fault
        answer = FakePosted({}, {}, [])
        for position, label in enumerate(labels):
            try:
                fields = len(parse_label(label, received_ns))
            except LabelError as error:
                answer.faults.extend(f"label {position}: {fault}" for fault in error.faults)
            else:
                self.posted.append(label)
                answer.outcomes["accepted"] = answer.outcomes.get("accepted", 0) + fields
        answer.counts["unmatched"] = sum(answer.outcomes.values())
        return answer

    async def post_feedback(self, feedback: Sequence[object], received_ns: int) -> FakePosted:
        if self.fault is not None:
            raise self.fault
        self.posted.extend((one, received_ns) for one in feedback)
        return FakePosted({"accepted": len(feedback)}, {"unmatched": 0, "rejected": 0}, [])

    async def erase(self, targets: Sequence[object], received_ns: int) -> FakePosted:
        del received_ns
        if self.fault is not None:
            raise self.fault
        self.posted.extend(targets)
        return FakePosted({"erased": len(targets)}, {"traces": len(targets)}, [])

    async def post_assessments(
        self, assessments: Sequence[Assessment], ignored: int, received_ns: int
    ) -> FakeAssessed:
        """Those that point at nothing are rejected."""
        del received_ns
        if self.fault is not None:
            raise self.fault
        self.assessed.extend(assessments)
        self.ignored += ignored
        lost = sum(one.key is None for one in assessments)
        return FakeAssessed(lost, ["no target"] * lost)

    def read_labels(self, chosen: Mapping[str, str]) -> Iterator[bytes]:
        if self.fault is not None:
            raise self.fault
        return (f"{one} {dict(chosen)}\n".encode() for one in self.posted)

    async def label_status(self) -> Mapping[str, object]:
        if self.fault is not None:
            raise self.fault
        return {"labels": len(self.posted)}

    async def post_corpus(
        self, documents: Sequence[object], received_ns: int, pipeline: str | None
    ) -> FakePosted:
        if self.fault is not None:
            raise self.fault
        self.posted.extend((document, received_ns, pipeline) for document in documents)
        faults = [f"document {at}: no" for at, one in enumerate(documents) if one is None]
        kept = len(documents) - len(faults)
        return FakePosted({"accepted": kept} if kept else {}, {"touched": 1}, faults)

    def refuse_body(self, reason: Refusal) -> None:
        self.refusals.append(reason)

    def failed(self, error: Exception) -> None:
        self.failures.append(error)

    @property
    def parts(self) -> list[Part]:
        return [part for body, _ in self.accepted for part in body.parts or ()]


@dataclass
class FakeViews:
    health: Condition = WELL
    readiness: Condition = WELL
    lines: list[str] = field(default_factory=list)
    fault: Exception | None = None

    async def exposition(
        self, accept: str, accept_encoding: str
    ) -> tuple[bytes, Mapping[str, str]]:
        if self.fault is not None:
            raise self.fault
        return f"{accept}|{accept_encoding}".encode(), {"content-type": "text/x", "vary": "Accept"}

    async def summary(self, chosen: Mapping[str, str]) -> bytes:
        if self.fault is not None:
            raise self.fault
        return json.dumps({"chosen": chosen}).encode()

    def read_results(self, chosen: Mapping[str, str]) -> Iterator[bytes]:
        if self.fault is not None:
            raise self.fault
        return (f"{line} {dict(chosen)}\n".encode() for line in self.lines)

    def healthy(self) -> Condition:
        return self.health

    def ready(self) -> Condition:
        return self.readiness


def client() -> httpx.AsyncClient:
    """A client that loads no certificates, which takes longer than most tests."""
    return httpx.AsyncClient(timeout=60, verify=False)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what it watches has no event
            await asyncio.sleep(0.01)


class Running:
    """Started servers, and clients to them."""

    def __init__(
        self, ports: Ports, servers: Servers, intake: FakeIntake, views: FakeViews
    ) -> None:
        self.ports = ports
        self.servers = servers
        self.intake = intake
        self.views = views
        self.http = f"http://127.0.0.1:{ports.otlp_http}"
        self.views_url = f"http://127.0.0.1:{ports.views}"
        self.target = f"127.0.0.1:{ports.otlp_grpc}"

    async def post(
        self,
        content: bytes,
        media_type: str = "application/x-protobuf",
        path: str = "/v1/traces",
        **headers: str,
    ) -> httpx.Response:
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        async with client() as sender:
            return await sender.post(
                self.http + path, content=content, headers={"content-type": media_type} | named
            )

    async def get(self, path: str, **headers: str) -> httpx.Response:
        async with client() as sender:
            named = {key.replace("_", "-"): value for key, value in headers.items()}
            return await sender.get(self.views_url + path, headers=named)

    async def export(
        self,
        content: bytes,
        compression: grpc.Compression = grpc.Compression.NoCompression,
        method: str = EXPORT,
    ) -> bytes:
        async with grpc.aio.insecure_channel(self.target, compression=compression) as channel:
            call = channel.unary_unary(method, None, None)
            answer: bytes = await call(content, timeout=30)
            return answer


FREE = Ports(0, 0, 0)


def settings(ports: Ports = FREE, body_bytes: int = BODY_BYTES) -> ServerSettings:
    return ServerSettings(
        "127.0.0.1",
        ports,
        body_bytes,
        label_body_bytes=body_bytes // 4,
        corpus_body_bytes=body_bytes,
    )
