"""What spans and log events say about how good a request was, lifted out as it stands."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from ragmon import semconv
from ragmon.ingest.decode import attributes, decode
from ragmon.model.assessment import AnnotatorKind, Assessment
from ragmon.model.flow import SpanPart
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.span import Attributes, AttributeValue

_ANNOTATION: Final = re.compile(
    r"(?:(?P<of>trace|session)\.)?(?P<list>evaluations|annotations)\.(?P<at>[0-9]{1,9})"
    r"\.(?:evaluation|annotation)\.(?P<part>name|score|label|annotator_kind|identifier)"
)
_LISTS: Final = (b"evaluations.", b"annotations.")
_NO_TRACE: Final = bytes(16)
_NO_SPAN: Final = bytes(8)
_NEVER_NS: Final = 1 << 63
_LARGEST: Final = 1e12


def of_log(record: LogRecord, scope_name: str, received_ns: int) -> Assessment:
    """What a log event named `gen_ai.evaluation.result` says of the span that it belongs to."""
    said = attributes(record.attributes)
    name = _text(said.get(semconv.GEN_AI_EVALUATION_NAME))
    time_ns = record.time_unix_nano or record.observed_time_unix_nano
    stamped = not 0 < time_ns < _NEVER_NS
    kind = said.get(semconv.ANNOTATOR_KIND, said.get(semconv.OPENINFERENCE_ANNOTATOR_KIND))
    return Assessment(
        key=_log_key(record, said),
        pipeline=_text(said.get(semconv.PIPELINE)),
        name=name,
        score=_number(said.get(semconv.GEN_AI_EVALUATION_SCORE)),
        label=_text(said.get(semconv.GEN_AI_EVALUATION_LABEL)),
        kind=_kind(kind),
        annotator=_text(said.get(semconv.ANNOTATOR)),
        time_ns=received_ns if stamped else time_ns,
        stamped=stamped,
        own=_is_own(name) or f"{scope_name}.".startswith(semconv.OWN_PREFIX),
    )


def is_evaluation(record: LogRecord) -> bool:
    """Whether a log record is such an event."""
    if record.event_name:
        return record.event_name == semconv.GEN_AI_EVALUATION_EVENT
    named = attributes(record.attributes).get(semconv.EVENT_NAME)
    return named == semconv.GEN_AI_EVALUATION_EVENT


def of_span(part: SpanPart) -> tuple[Assessment, ...]:
    """What the annotations on a span say of it, of its trace, and of its session.

    Their time is the end of the span.
    """
    # Looking through canonical bytes is far cheaper than decoding every span once more.
    if not any(named in part.span for named in _LISTS):
        return ()
    (span,) = decode((part,))
    return tuple(_annotations(part, span.attributes))


def _annotations(part: SpanPart, said: Attributes) -> Iterator[Assessment]:
    found: dict[tuple[str, str, int], dict[str, AttributeValue]] = defaultdict(dict)
    for key, value in said.items():
        if match := _ANNOTATION.fullmatch(key):
            place = (match["of"] or "", match["list"], int(match["at"]))
            found[place][match["part"]] = value
    for (of, _, _), parts in sorted(found.items()):
        yield _annotation(part, of, parts)


def _annotation(part: SpanPart, of: str, said: Mapping[str, AttributeValue]) -> Assessment:
    name = _text(said.get("name"))
    stamped = not part.end_ns
    return Assessment(
        key=_span_key(part.trace_id, "" if of else part.span_id),
        pipeline=None,
        name=name,
        score=_number(said.get("score")),
        label=_text(said.get("label")),
        kind=_kind(said.get(semconv.OPENINFERENCE_ANNOTATOR_KIND)),
        annotator=_text(said.get("identifier")),
        time_ns=part.arrival_ns if stamped else part.end_ns,
        stamped=stamped,
        own=_is_own(name),
        of_session=of == "session",
    )


def _log_key(record: LogRecord, said: Attributes) -> MatchKey | None:
    """The span or trace of a record; the application's request id where it has neither."""
    trace_id, span_id = record.trace_id, record.span_id
    if len(trace_id) == len(_NO_TRACE) and trace_id != _NO_TRACE:
        if span_id in (b"", _NO_SPAN):
            return _span_key(trace_id.hex(), "")
        return _span_key(trace_id.hex(), span_id.hex()) if len(span_id) == len(_NO_SPAN) else None
    request_id = _text(said.get(semconv.REQUEST_ID))
    return MatchKey(TargetKind.REQUEST_ID, request_id) if request_id else None


def _span_key(trace_id: str, span_id: str) -> MatchKey:
    if span_id:
        return MatchKey(TargetKind.SPAN, f"{trace_id}/{span_id}")
    return MatchKey(TargetKind.TRACE, trace_id)


def _is_own(name: str | None) -> bool:
    return name is not None and name.startswith(semconv.OWN_PREFIX)


def _kind(value: AttributeValue) -> AnnotatorKind:
    try:
        return AnnotatorKind(str(value).lower())
    except ValueError:
        return AnnotatorKind.UNKNOWN


def _text(value: AttributeValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: AttributeValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST else None
