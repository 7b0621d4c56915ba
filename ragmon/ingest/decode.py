"""Canonical bytes to spans, late: where they are measured."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1 import trace_pb2 as pb

from ragmon.errors import MalformedError
from ragmon.ingest.wire import parent_is_remote
from ragmon.model.flow import SpanPart
from ragmon.model.span import Attributes, AttributeValue, Span, SpanEvent, SpanKind, StatusCode

_KINDS: Final[Mapping[int, SpanKind]] = {kind.value: kind for kind in SpanKind}
_CODES: Final[Mapping[int, StatusCode]] = {code.value: code for code in StatusCode}


class _Context(NamedTuple):
    resource: Attributes
    scope_name: str


def decode(parts: Iterable[SpanPart]) -> tuple[Span, ...]:
    """The spans of these parts, in their order.

    Equal contexts are decoded once, and their spans share one resource. Arrays become
    tuples, key-value lists dicts, an empty value None; of a repeated key the last wins.

    Raises:
        MalformedError: the bytes are not those of a span (a damaged store).
    """
    contexts: dict[bytes, _Context] = {}
    try:
        return tuple([_span(part, _context(part.context, contexts)) for part in parts])
    except DecodeError as error:
        raise MalformedError("a kept span cannot be decoded") from error


def _context(content: bytes, known: dict[bytes, _Context]) -> _Context:
    found = known.get(content)
    if found is None:
        message = pb.ResourceSpans.FromString(content)
        names = [scope.scope.name for scope in message.scope_spans]
        found = _Context(attributes(message.resource.attributes), "".join(names[:1]))
        known[content] = found
    return found


def _span(part: SpanPart, context: _Context) -> Span:
    message = pb.Span.FromString(part.span)
    status = message.status
    return Span(
        trace_id=part.trace_id,
        span_id=part.span_id,
        parent_id=part.parent_id,
        name=message.name,
        kind=_KINDS.get(message.kind, SpanKind.UNSPECIFIED),
        start_ns=message.start_time_unix_nano,
        end_ns=part.end_ns,
        attributes=attributes(message.attributes),
        events=tuple([_event(event) for event in message.events]),
        status=_CODES.get(status.code, StatusCode.UNSET),
        status_message=status.message,
        parent_is_remote=parent_is_remote(message.flags),
        trace_state=message.trace_state,
        resource=context.resource,
        scope_name=context.scope_name,
        dropped=message.dropped_attributes_count + message.dropped_events_count,
        arrival_ns=part.arrival_ns,
    )


def _event(message: pb.Span.Event) -> SpanEvent:
    return SpanEvent(message.name, message.time_unix_nano, attributes(message.attributes))


def attributes(pairs: Iterable[Any]) -> Attributes:
    """Protobuf's pairs of key and value as a dict; of a repeated key the last wins."""
    # Most values are texts that are not empty: asking for the text first saves asking
    # which kind it is.
    return {pair.key: (value := pair.value).string_value or _value(value) for pair in pairs}


def _value(message: AnyValue) -> AttributeValue:
    kind = message.WhichOneof("value")
    match kind:
        case "array_value":
            values = message.array_value.values
            return tuple([value.string_value or _value(value) for value in values])
        case "kvlist_value":
            return attributes(message.kvlist_value.values)
        case None | "string_value_strindex":
            return None
    value: AttributeValue = getattr(message, kind)
    return value
