"""OTLP/JSON bodies to spans, by hand: twenty times as fast as protobuf's own JSON reader."""

from collections.abc import Iterator
from typing import Final

from opentelemetry.proto.trace.v1 import trace_pb2 as pb

from ragmon.errors import MalformedError
from ragmon.ingest import json_fields as of
from ragmon.ingest.json_fields import FieldError, Fields, Json
from ragmon.ingest.wire import Read, ScopeGroup, context_bytes, place

# The number given to `attributes` is how many messages lie around each of its values.
_STATUS: Final[Fields] = {"message": of.text("message"), "code": of.enum("code")}
_EVENT: Final[Fields] = {
    "timeUnixNano": of.integer("time_unix_nano"),
    "name": of.text("name"),
    "attributes": of.attributes("attributes", 6),
    "droppedAttributesCount": of.integer("dropped_attributes_count"),
}
_LINK: Final[Fields] = {
    "traceId": of.hexadecimal("trace_id"),
    "spanId": of.hexadecimal("span_id"),
    "traceState": of.text("trace_state"),
    "attributes": of.attributes("attributes", 6),
    "droppedAttributesCount": of.integer("dropped_attributes_count"),
    "flags": of.integer("flags"),
}
_SPAN: Final[Fields] = {
    "traceId": of.hexadecimal("trace_id"),
    "spanId": of.hexadecimal("span_id"),
    "traceState": of.text("trace_state"),
    "parentSpanId": of.hexadecimal("parent_span_id"),
    "flags": of.integer("flags"),
    "name": of.text("name"),
    "kind": of.enum("kind"),
    "startTimeUnixNano": of.integer("start_time_unix_nano"),
    "endTimeUnixNano": of.integer("end_time_unix_nano"),
    "attributes": of.attributes("attributes", 5),
    "droppedAttributesCount": of.integer("dropped_attributes_count"),
    "events": of.many("events", _EVENT),
    "droppedEventsCount": of.integer("dropped_events_count"),
    "links": of.many("links", _LINK),
    "droppedLinksCount": of.integer("dropped_links_count"),
    "status": of.one("status", _STATUS),
}
_ENTITY: Final[Fields] = {
    "schemaUrl": of.text("schema_url"),
    "type": of.text("type"),
    "idKeys": of.texts("id_keys"),
    "descriptionKeys": of.texts("description_keys"),
}
_RESOURCE: Final[Fields] = {
    "attributes": of.attributes("attributes", 4),
    "droppedAttributesCount": of.integer("dropped_attributes_count"),
    "entityRefs": of.many("entity_refs", _ENTITY),
}
_SCOPE: Final[Fields] = {
    "name": of.text("name"),
    "version": of.text("version"),
    "attributes": of.attributes("attributes", 5),
    "droppedAttributesCount": of.integer("dropped_attributes_count"),
}
_RESOURCE_SPANS: Final[Fields] = {
    "resource": of.one("resource", _RESOURCE),
    "schemaUrl": of.text("schema_url"),
}
_SCOPE_SPANS: Final[Fields] = {
    "scope": of.one("scope", _SCOPE),
    "schemaUrl": of.text("schema_url"),
}


def scope_groups(document: Json) -> Iterator[ScopeGroup]:
    """The spans of an OTLP/JSON request, in their order.

    Raises:
        MalformedError: the document is no such request (also while iterating).
    """
    for i, resource in enumerate(elements(document, "resourceSpans", "")):
        at = f"resourceSpans[{i}]"
        for j, scope in enumerate(elements(resource, "scopeSpans", at)):
            where = place(i, j)
            spans = elements(scope, "spans", where)
            yield ScopeGroup(where, _context(resource, scope, where), map(_read_span, spans))


def elements(source: Json, key: str, at: str) -> list[Json]:
    """The list under a key of an object that stands `at` some place; empty where absent.

    Raises:
        MalformedError: it is no object, or what stands there no list.
    """
    if not isinstance(source, dict):
        raise MalformedError(f"{at or 'the body'}: expected a JSON object")
    found = source.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise MalformedError(f"{at}.{key}: expected a list".removeprefix("."))
    return found


def _context(resource: Json, scope: Json, where: str) -> bytes:
    resource_spans, scope_spans = pb.ResourceSpans(), pb.ScopeSpans()
    try:
        of.fill(resource_spans, resource, _RESOURCE_SPANS)
        of.fill(scope_spans, scope, _SCOPE_SPANS)
    except FieldError as error:
        raise MalformedError(f"{where}{error}") from None
    return context_bytes(resource_spans, scope_spans)


def _read_span(source: Json) -> Read:
    span = pb.Span()
    try:
        of.fill(span, source, _SPAN)
    except FieldError as error:
        return MalformedError(str(error).lstrip(".: "))
    return span


def warnings(document: Json, signal: str = "spans") -> tuple[str, ...]:
    """What is legal but surely not meant: keys in snake_case, which OTLP/JSON ignores."""
    if not isinstance(document, dict):
        return ()
    found = [key for key in (f"resource_{signal}",) if key in document]
    for resource in elements(document, f"resource{signal.title()}", ""):
        if isinstance(resource, dict) and f"scope_{signal}" in resource:
            found.append(f"scope_{signal}")
            break
    return tuple(f"the key {key!r} is ignored: OTLP/JSON keys are lowerCamelCase" for key in found)
