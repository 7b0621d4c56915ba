"""Everything a sender may send to a running processor."""

import gzip
import os
import time
from pathlib import Path

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service_pb
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from ragmon.ingest.request import export_request
from ragmon.ingest.split import JSON, split
from tests.e2e.harness import RunningProcessor, StartProcessor, load, rag_request, until

PROTOBUF = {"content-type": "application/x-protobuf"}


def settled(processor: RunningProcessor) -> bool:
    """Whether the law of spans holds with nothing open."""
    came, went = processor.law()
    return came == went and processor.value("ragmon_processor_open_spans") == 0


def as_protobuf(path: Path) -> service_pb.ExportTraceServiceRequest:
    """A trace file as a protobuf request."""
    parts = split(path.read_bytes(), JSON, 0).parts
    content = export_request(span for part in parts for span in part.spans)
    return service_pb.ExportTraceServiceRequest.FromString(content)


def test_every_real_trace_is_accepted_over_both_roads(
    start_processor: StartProcessor, trace_files: list[Path]
) -> None:
    """HTTP JSON and gRPC take every instrumentation's spans, and the law of spans holds."""
    processor = start_processor()
    assert trace_files
    with grpc.insecure_channel(processor.grpc) as channel:
        stub = TraceServiceStub(channel)  # type: ignore[no-untyped-call]
        for path in trace_files:
            if "resourceSpans" in load(path):
                assert processor.post(load(path)).status_code == 200, path.name
                answer = stub.Export(as_protobuf(path))
                assert not answer.HasField("partial_success"), path.name
    until("everything settled", lambda: settled(processor))
    came, went = processor.law()
    assert came == went > 0
    assert processor.value("ragmon_processor_spans_dropped_total") == 0
    assert (processor.value("ragmon_requests_total") or 0) > 5


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"", PROTOBUF, 200),
        (os.urandom(4096), PROTOBUF, 400),
        (b"{", {"content-type": "application/json"}, 400),
        (b"x", {"content-type": "text/plain"}, 415),
        (b"not gzip", {**PROTOBUF, "content-encoding": "gzip"}, 400),
        (b"\0" * (50 << 20), PROTOBUF, 413),
    ],
    ids=["empty", "random", "broken json", "wrong type", "no gzip", "50 MB"],
)
def test_bad_bodies_get_the_contracts_answer(
    start_processor: StartProcessor, content: bytes, headers: dict[str, str], status: int
) -> None:
    """A body that cannot be used is answered and counted, and the next one is taken."""
    processor = start_processor(limits={"body_bytes": 8 << 20})
    answer = httpx.post(f"{processor.otlp}/v1/traces", content=content, headers=headers)
    assert answer.status_code == status
    refused = processor.value("ragmon_processor_bodies_refused_total")
    assert refused == (status in (400, 413))
    assert processor.post(rag_request(1, time.time_ns())).status_code == 200
    until("the good request settled", lambda: processor.value("ragmon_requests_total"))


def test_a_gzip_bomb_is_refused_in_bounded_memory(start_processor: StartProcessor) -> None:
    """A small body that inflates without end is too large; the process stays small."""
    processor = start_processor(limits={"body_bytes": 4 << 20})
    bomb = gzip.compress(b"\0" * (512 << 20), compresslevel=9)
    headers = {**PROTOBUF, "content-encoding": "gzip"}
    answer = httpx.post(f"{processor.otlp}/v1/traces", content=bomb, headers=headers, timeout=60)
    assert answer.status_code == 413
    assert processor.process is not None
    assert peak_bytes(processor.process.pid) < 400 << 20
    assert processor.post(rag_request(1, time.time_ns())).status_code == 200


def peak_bytes(pid: int) -> int:
    """The most memory a process has had resident."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10
