"""The receiver's whole way of a trace, against its pure stages called directly.

Floor: split, assemble, decode, interpret, join and measure of each trace, in one thread.
Then the processor with inbox and store in memory, and with both on disk. CPU time of the
whole process, interleaved in one run; 40 KB traces of 6 spans, 8 a body, 64 a transaction.
"""

import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service_pb

from ragmon.app.wiring import Parts, assembled
from ragmon.assemble import Assembler, AssemblySettings
from ragmon.config import load
from ragmon.ingest.split import PROTOBUF, split
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry, build
from ragmon.model.flow import Body, Kept, Known
from ragmon.model.gold import Gold
from ragmon.model.result import Cause
from ragmon.settle import TraceLimits, draft, settle

TRACES, TRACES_A_BODY, ROUNDS = 256, 8, 5
CHUNKS, CHUNK_TOKENS = 7, 150
NOW_NS = 1_796_100_000_000_000_000
AFTER_NS = NOW_NS + 3_600_000_000_000
WORDS = ["".join(letters) for letters in itertools.product("aeinorst", repeat=5)][:4000]


def words(source: random.Random, count: int) -> str:
    """A text of so many words."""
    return " ".join(source.choices(WORDS, k=count))


def one_trace(request: service_pb.ExportTraceServiceRequest, number: int) -> None:
    """Add the six spans of one request: its chunks, its prompt, its answer."""
    source = random.Random(number)
    chunks = [words(source, CHUNK_TOKENS) for _ in range(CHUNKS)]
    query, answer = words(source, 12), words(source, 120)
    ids = [f"d{number}-{place}" for place in range(CHUNKS)]
    stages: list[tuple[str, dict[str, str | list[str]]]] = [
        ("request", {"ragmon.query": query, "ragmon.answer": answer}),
        ("embedding", {}),
        ("retrieval", {"ragmon.documents.id": ids, "ragmon.documents.text": chunks}),
        ("reranking", {"ragmon.documents.id": ids[::-1]}),
        ("augmentation", {"ragmon.documents.id": ids, "ragmon.prompt": "\n".join(chunks)}),
        ("generation", {"ragmon.prompt": "\n".join(chunks), "ragmon.answer": answer}),
    ]
    spans = request.resource_spans.add().scope_spans.add().spans
    for place, (stage, attributes) in enumerate(stages):
        span = spans.add(
            trace_id=number.to_bytes(16, "big"),
            span_id=(place + 1).to_bytes(8, "big"),
            parent_span_id=b"" if place == 0 else (1).to_bytes(8, "big"),
            name=stage,
            start_time_unix_nano=NOW_NS - 10**9 + place,
            end_time_unix_nano=NOW_NS - place,
        )
        for key, value in {"ragmon.stage": stage, **attributes}.items():
            attribute = span.attributes.add(key=key)
            if isinstance(value, str):
                attribute.value.string_value = value
            else:
                for text in value:
                    attribute.value.array_value.values.add(string_value=text)


def bodies(first: int) -> list[bytes]:
    """Serialised export requests of new traces."""
    made = []
    for start in range(first, first + TRACES, TRACES_A_BODY):
        request = service_pb.ExportTraceServiceRequest()
        for number in range(start, start + TRACES_A_BODY):
            one_trace(request, number)
        made.append(request.SerializeToString())
    return made


def direct(contents: Sequence[bytes], registry: Registry) -> None:
    """The floor: the pure stages, one after the other."""
    assembler = Assembler(AssemblySettings())
    for offset, content in enumerate(contents):
        assembler.add(offset, split(content, PROTOBUF, NOW_NS).parts, NOW_NS)
    for release in assembler.due(AFTER_NS):
        read = draft(Kept(release.trace_id), release.spans, TraceLimits())
        settle(read, Known(), registry, Cause.LATE_SPAN)


def measuring(contents: Sequence[bytes], registry: Registry) -> float:
    """CPU of the metrics alone, in microseconds a trace, texts not yet tokenised."""
    parts = [part for content in contents for part in split(content, PROTOBUF, NOW_NS).parts]
    drafts = [draft(Kept(part.trace_id), part.spans, TraceLimits()) for part in parts]
    records = [record for one in drafts for record in one.records]
    start = time.process_time()
    for record in records:
        measure(record, Gold(), registry)
    return (time.process_time() - start) / len(records) * 1e6


def processed(contents: Sequence[bytes], parts: Parts) -> None:
    """The same through inbox, loop, store and counters."""
    for content in contents:
        read = split(content, PROTOBUF, NOW_NS)
        body = Body(NOW_NS, PROTOBUF, "", content, read.span_count, read.parts)
        parts.writer.submit(body).result()
    parts.processor.step(AFTER_NS)


def cpu(call: Callable[[], None]) -> float:
    """CPU seconds of the whole process that a call takes."""
    start = time.process_time()
    call()
    return time.process_time() - start


def rounds(parts: Sequence[Parts], registry: Registry) -> Iterator[tuple[float, ...]]:
    """Per round the CPU of the floor and of each processor, on new traces each time."""
    numbers = itertools.count(1, TRACES)
    for _ in range(ROUNDS):
        floor = bodies(next(numbers))
        times = [cpu(lambda contents=floor: direct(contents, registry))]  # type: ignore[misc]
        for one in parts:
            new = bodies(next(numbers))
            times.append(cpu(lambda contents=new, to=one: processed(contents, to)))  # type: ignore[misc]
        yield tuple(times)


def main() -> None:
    """Print the ratios."""
    registry = build()
    with tempfile.TemporaryDirectory() as folder:
        memory = load(None, {"store": {"path": "memory"}})
        disk = load(None, {"store": {"path": str(Path(folder) / "state")}})
        with assembled(memory) as in_memory, assembled(disk) as durable:
            seen = list(rounds((in_memory, durable), registry))
    floor_us = statistics.median(times[0] for times in seen) / TRACES * 1e6
    print(
        f"direct stages                  {floor_us:8.0f} us a trace (metrics alone"
        f" {measuring(bodies(1 << 40), registry):.0f} us)"
    )
    for place, name in ((1, "memory"), (2, "durable inbox and store")):
        ratio = statistics.median(times[place] / times[0] for times in seen)
        target = {1: "no target without HTTP but 1.15", 2: "target 2"}[place]
        print(f"processor, {name:24} x{ratio:.2f}  ({target})")
