"""Verdicts of people over OTLP logs, and feedback, through a real processor."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import grpc
import httpx
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from tests.e2e.harness import StartProcessor, attribute, rag_request, until

ROOT = Path(__file__).parents[2]
EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"


def _event(number: int, score: float) -> dict[str, Any]:
    """A person's verdict on a request, as an OTLP/JSON log record."""
    said = {
        "gen_ai.evaluation.name": "correctness",
        "gen_ai.evaluation.score.value": score,
        "ragmon.annotator_kind": "HUMAN",
    }
    return {
        "eventName": "gen_ai.evaluation.result",
        "timeUnixNano": str(time.time_ns()),
        "traceId": f"{number + 1:032x}",
        "attributes": [attribute(key, value) for key, value in said.items()],
    }


def _as_protobuf(number: int) -> bytes:
    request = ExportLogsServiceRequest()
    record = (
        request.resource_logs.add()
        .scope_logs.add()
        .log_records.add(
            event_name="gen_ai.evaluation.result",
            time_unix_nano=time.time_ns(),
            trace_id=(number + 1).to_bytes(16, "big"),
        )
    )
    for key, value in (
        ("gen_ai.evaluation.name", AnyValue(string_value="correctness")),
        ("gen_ai.evaluation.score.value", AnyValue(double_value=1.0)),
        ("ragmon.annotator_kind", AnyValue(string_value="HUMAN")),
    ):
        record.attributes.append(KeyValue(key=key, value=value))
    return request.SerializeToString()


def test_verdicts_over_every_transport_are_gold(start_processor: StartProcessor) -> None:
    """OTLP/JSON, protobuf over HTTP and gRPC; other records are taken and passed over."""
    events = {"correctness": {"field": "task_success"}}
    processor = start_processor(labels={"events": events})
    for number in range(3):
        processor.post(rag_request(number, time.time_ns()))
    records = [_event(0, 0.0), {"body": {"stringValue": "a line of a log"}}]
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    assert httpx.post(f"{processor.otlp}/v1/logs", json=logs).status_code == 200
    binary = {"content-type": "application/x-protobuf"}
    sent = httpx.post(f"{processor.otlp}/v1/logs", content=_as_protobuf(1), headers=binary)
    assert ExportLogsServiceResponse.FromString(sent.content) == ExportLogsServiceResponse()
    with grpc.insecure_channel(processor.grpc) as channel:
        channel.unary_unary(EXPORT, None, None)(_as_protobuf(2), timeout=10)

    def success() -> float | None:
        named = {"stage": "end_to_end", "metric": "task_success", "window": "1h"}
        return processor.value("ragmon_window_mean", **named)

    until("all three are labelled", lambda: success() == 2 / 3)
    assert processor.value("ragmon_assessments_total", result="gold") == 3
    assert processor.value("ragmon_assessments_total", result="ignored") == 1


def test_feedback_is_shown_and_is_no_gold(start_processor: StartProcessor) -> None:
    """It stands beside the report, and no label coverage comes of it."""
    processor = start_processor()
    processor.post(rag_request(1, time.time_ns()))
    given = {"request_id": "m-1", "thumbs": "down"}
    assert httpx.post(f"{processor.otlp}/v1/feedback", json=given).status_code == 200
    named = {"kind": "thumbs_down", "pipeline": "shop"}
    until("it is counted", lambda: processor.value("ragmon_feedback_total", **named))
    command = [sys.executable, "-m", "ragmon", "report", "--since", "1h"]
    told = subprocess.run(
        [*command, "--endpoint", processor.views],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=ROOT,
    ).stdout
    assert "Feedback is no gold label and enters no score." in told
    assert processor.value("ragmon_labels_total", outcome="accepted") == 0
