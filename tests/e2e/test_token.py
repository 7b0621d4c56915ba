"""A bearer token, wherever facts come in."""

import time

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service_pb
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from tests.e2e.harness import RunningProcessor, StartProcessor, rag_request


@pytest.fixture
def guarded(start_processor: StartProcessor) -> RunningProcessor:
    """A processor that wants a token."""
    processor = start_processor()
    processor.stop()
    path = processor.folder / "token"
    path.write_text("s3cret\n")
    processor.config["listen"] = {"token_file": str(path)}
    processor.start()
    return processor


def test_without_the_token_nothing_is_taken(guarded: RunningProcessor) -> None:
    """Traces, labels and erasures get 401, gRPC UNAUTHENTICATED; with it all are taken."""
    shown = {"authorization": "Bearer s3cret"}
    request = rag_request(1, time.time_ns())
    label = {"query": "x", "answerable": True}
    posts = (("/v1/traces", request), ("/v1/labels", label), ("/v1/erase", {"query": "x"}))
    for path, content in posts:
        url = guarded.otlp + path
        assert httpx.post(url, json=content).status_code == 401
        assert (
            httpx.post(url, json=content, headers={"authorization": "Bearer x"}).status_code == 401
        )
        assert httpx.post(url, json=content, headers=shown).status_code == 200
    with grpc.insecure_channel(guarded.grpc) as channel:
        stub = TraceServiceStub(channel)  # type: ignore[no-untyped-call]
        with pytest.raises(grpc.RpcError) as refused:
            stub.Export(service_pb.ExportTraceServiceRequest())
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
        stub.Export(service_pb.ExportTraceServiceRequest(), metadata=tuple(shown.items()))


def test_views_need_no_token(guarded: RunningProcessor) -> None:
    """Prometheus scrapes and probes ask without one."""
    assert httpx.get(f"{guarded.views}/metrics").status_code == 200
