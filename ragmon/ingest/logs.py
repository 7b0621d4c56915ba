"""OTLP log bodies to the evaluations in them; all other records are only counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from google.protobuf.message import DecodeError
from opentelemetry.proto.logs.v1 import logs_pb2 as pb

from ragmon import semconv
from ragmon.errors import MalformedError
from ragmon.ingest import json_fields as of
from ragmon.ingest.evaluations import is_evaluation, of_log
from ragmon.ingest.frames import walk
from ragmon.ingest.json_body import load
from ragmon.ingest.json_fields import FieldError, Fields, Json
from ragmon.ingest.otlp_json import elements, warnings
from ragmon.ingest.split import JSON
from ragmon.model.assessment import Assessment

_REQUEST: Final = "ExportLogsServiceRequest"
_EVENT: Final = semconv.GEN_AI_EVALUATION_EVENT
_EVENT_BYTES: Final = _EVENT.encode()
_MOST_PROBLEMS: Final = 5

_RECORD: Final[Fields] = {
    "timeUnixNano": of.integer("time_unix_nano"),
    "observedTimeUnixNano": of.integer("observed_time_unix_nano"),
    "eventName": of.text("event_name"),
    "attributes": of.attributes("attributes", 5),
    "traceId": of.hexadecimal("trace_id"),
    "spanId": of.hexadecimal("span_id"),
}

_Read: TypeAlias = tuple[str, "pb.LogRecord | str | None"]
"""The scope's name, and a record, why it cannot be read, or None where it is of other things."""


@dataclass(frozen=True, slots=True)
class LogBody:
    """What a body of logs holds.

    `ignored` are the records of other things, `rejected` evaluations that cannot be read.
    `problems` has a line for each of the first of them, and for what was surely not meant.
    """

    assessments: tuple[Assessment, ...]
    ignored: int
    rejected: int
    problems: tuple[str, ...]


def read_logs(content: bytes, media_type: str, received_ns: int) -> LogBody:
    """Read an uncompressed ExportLogsServiceRequest.

    media_type: `application/json`, or protobuf for anything else.

    Raises:
        MalformedError: the body as a whole cannot be decoded.
        TooLargeError: it has more records or values than a body may have.
    """
    assessments: list[Assessment] = []
    problems: list[str] = []
    ignored = rejected = 0
    if media_type == JSON:
        document = load(content)
        problems.extend(warnings(document, "logs"))
        reads = _json_records(document)
    else:
        reads = _records(content)
    for scope_name, read in reads:
        if isinstance(read, str):
            rejected += 1
            problems.extend([read] if len(problems) < _MOST_PROBLEMS else ())
        elif read is None or not is_evaluation(read):
            ignored += 1
        else:
            assessments.append(of_log(read, scope_name, received_ns))
    return LogBody(tuple(assessments), ignored, rejected, tuple(problems))


def _records(content: bytes) -> Iterator[_Read]:
    for frame in walk(content, _REQUEST):
        scope = _scope_name(frame.scope)
        for start, end in frame.leaves:
            yield scope, _record(content[start:end])


def _scope_name(scope: bytes) -> str:
    try:
        return pb.ScopeLogs.FromString(scope).scope.name
    except DecodeError as error:
        raise MalformedError(f"the body is no {_REQUEST}") from error


def _record(raw: bytes) -> pb.LogRecord | str | None:
    if _EVENT_BYTES not in raw:
        return None
    try:
        return pb.LogRecord.FromString(raw)
    except DecodeError:
        return "undecodable: nested too deeply, or a text that is not UTF-8"


def _json_records(document: Json) -> Iterator[_Read]:
    for i, resource in enumerate(elements(document, "resourceLogs", "")):
        at = f"resourceLogs[{i}]"
        for j, scope in enumerate(elements(resource, "scopeLogs", at)):
            where = f"{at}.scopeLogs[{j}]"
            name = _json_scope_name(scope)
            for k, source in enumerate(elements(scope, "logRecords", where)):
                yield name, _json_record(source, f"{where}.logRecords[{k}]")


def _json_scope_name(scope: Json) -> str:
    named = scope.get("scope") if isinstance(scope, dict) else None
    name = named.get("name") if isinstance(named, dict) else None
    return name if isinstance(name, str) else ""


def _json_record(source: Json, where: str) -> pb.LogRecord | str | None:
    if not _may_be_evaluation(source):
        return None
    record = pb.LogRecord()
    try:
        of.fill(record, source, _RECORD)
    except FieldError as error:
        return f"{where}{error}"
    return record


def _may_be_evaluation(source: Json) -> bool:
    if not isinstance(source, dict):
        return False
    named = source.get("eventName")
    if named:
        return named == _EVENT
    listed = source.get("attributes")
    return isinstance(listed, list) and any(
        isinstance(one, dict) and one.get("key") == semconv.EVENT_NAME for one in listed
    )
