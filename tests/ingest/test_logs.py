"""Bodies of logs: the evaluations in them, and nothing else."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ragmon.errors import MalformedError
from ragmon.ingest.logs import read_logs
from ragmon.ingest.split import JSON, PROTOBUF
from ragmon.model.assessment import AnnotatorKind, Assessment
from ragmon.model.gold import MatchKey, TargetKind

TRACE, SPAN = "a" * 32, "b" * 16
NOW_NS = 99
EVENT = "gen_ai.evaluation.result"
NAME = "gen_ai.evaluation.name"
SAID = {
    NAME: "correctness",
    "gen_ai.evaluation.score.value": 0.75,
    "gen_ai.evaluation.score.label": "correct",
    "ragmon.annotator": "anna",
    "ragmon.annotator_kind": "HUMAN",
}
READ = Assessment(
    key=MatchKey(TargetKind.SPAN, f"{TRACE}/{SPAN}"),
    pipeline=None,
    name="correctness",
    score=0.75,
    label="correct",
    kind=AnnotatorKind.HUMAN,
    annotator="anna",
    time_ns=7,
)


def _body(scope: str = "app", **record: Any) -> ExportLogsServiceRequest:
    """One log record; `said` are its attributes."""
    request = ExportLogsServiceRequest()
    logs = request.resource_logs.add().scope_logs.add()
    logs.scope.name = scope
    about = {"time_unix_nano": 7, "trace_id": TRACE, "span_id": SPAN}
    given: dict[str, Any] = {"event_name": EVENT, **about, **record}
    said = given.pop("said", SAID)
    made = logs.log_records.add(
        event_name=given["event_name"],
        time_unix_nano=given["time_unix_nano"],
        trace_id=bytes.fromhex(given["trace_id"]),
        span_id=bytes.fromhex(given["span_id"]),
    )
    made.attributes.extend(KeyValue(key=key, value=_value(one)) for key, one in said.items())
    return request


def _value(given: Any) -> AnyValue:
    if isinstance(given, bool):
        return AnyValue(bool_value=given)
    return (
        AnyValue(double_value=given) if isinstance(given, float) else AnyValue(string_value=given)
    )


def _as_json(request: ExportLogsServiceRequest) -> bytes:
    record = request.resource_logs[0].scope_logs[0].log_records[0]
    attributes = [{"key": one.key, "value": _json_value(one.value)} for one in record.attributes]
    written = {
        "eventName": record.event_name,
        "timeUnixNano": str(record.time_unix_nano),
        "traceId": record.trace_id.hex(),
        "spanId": record.span_id.hex(),
        "attributes": attributes,
    }
    scope = {"name": request.resource_logs[0].scope_logs[0].scope.name}
    logs = [{"scope": scope, "logRecords": [written]}]
    return json.dumps({"resourceLogs": [{"scopeLogs": logs}]}).encode()


def _json_value(value: AnyValue) -> dict[str, Any]:
    match value.WhichOneof("value"):
        case "double_value":
            return {"doubleValue": value.double_value}
        case "bool_value":
            return {"boolValue": value.bool_value}
        case _:
            return {"stringValue": value.string_value}


def _both(request: ExportLogsServiceRequest) -> Assessment:
    """The one assessment of a body, which is the same in both encodings."""
    (one,) = read_logs(request.SerializeToString(), PROTOBUF, NOW_NS).assessments
    assert (one,) == read_logs(_as_json(request), JSON, NOW_NS).assessments
    return one


def test_an_evaluation_says_who_found_what_about_which_span() -> None:
    """The same in protobuf and JSON."""
    assert _both(_body()) == READ


def test_an_event_may_be_named_by_an_attribute() -> None:
    """As senders did before the field of that name."""
    assert _both(_body(event_name="", said={**SAID, "event.name": EVENT})) == READ


@pytest.mark.parametrize(
    ("record", "changed"),
    [
        ({"span_id": ""}, {"key": MatchKey(TargetKind.TRACE, TRACE)}),
        ({"span_id": "0" * 16}, {"key": MatchKey(TargetKind.TRACE, TRACE)}),
        ({"trace_id": "", "span_id": ""}, {"key": None}),
        ({"trace_id": "0" * 32}, {"key": None}),
        (
            {"trace_id": "", "span_id": "", "said": {**SAID, "ragmon.request_id": "m-1"}},
            {"key": MatchKey(TargetKind.REQUEST_ID, "m-1")},
        ),
        ({"time_unix_nano": 0}, {"time_ns": NOW_NS, "stamped": True}),
        ({"said": {**SAID, "ragmon.annotator_kind": "odd"}}, {"kind": AnnotatorKind.UNKNOWN}),
        ({"said": {**SAID, "gen_ai.evaluation.score.value": True}}, {"score": None}),
        ({"said": {**SAID, "gen_ai.evaluation.score.value": 1e300}}, {"score": None}),
        (
            {"said": {**SAID, NAME: "ragmon.x"}},
            {"name": "ragmon.x", "own": True},
        ),
        ({"scope": "ragmon"}, {"own": True}),
    ],
)
def test_what_is_not_said_is_none(record: dict[str, Any], changed: dict[str, Any]) -> None:
    """And ragmon's own scores are known by their name and their scope."""
    assert _both(_body(**record)) == replace(READ, **changed)


@pytest.mark.parametrize("media_type", [PROTOBUF, JSON])
def test_other_records_are_only_counted(media_type: str) -> None:
    """Whatever they hold."""
    request = _body(event_name="something.else")
    content = request.SerializeToString() if media_type == PROTOBUF else _as_json(request)
    read = read_logs(content, media_type, NOW_NS)
    assert ((), 1, 0, ()) == (read.assessments, read.ignored, read.rejected, read.problems)


def test_a_record_that_cannot_be_read_costs_no_other() -> None:
    """Its place is named."""
    document = json.loads(_as_json(_body()))
    records = document["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    records.append({**records[0], "traceId": "not hexadecimal"})
    read = read_logs(json.dumps(document).encode(), JSON, NOW_NS)
    assert ((READ,), 1) == (read.assessments, read.rejected)
    assert read.problems[0].startswith("resourceLogs[0].scopeLogs[0].logRecords[1]")


@given(st.binary(max_size=60), st.sampled_from((PROTOBUF, JSON)))
def test_any_bytes_give_a_body_or_a_clear_error(content: bytes, media_type: str) -> None:
    """Never anything else."""
    try:
        read = read_logs(content, media_type, NOW_NS)
    except MalformedError:
        return
    assert read.ignored >= 0
