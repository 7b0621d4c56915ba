"""The canonical bytes of one span, and what can be told from it without decoding it.

Two bodies that carry the same span, in whatever encoding, give equal bytes: fields in the
order of their numbers, unknown fields kept as they came.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2 as pb

from ragmon.errors import MalformedError
from ragmon.ingest.bounds import CONTEXT_BYTES, SPAN_BYTES
from ragmon.model.flow import Ends, SpanPart
from ragmon.semconv import STAGE

_NO_TRACE: Final = bytes(16)
_NO_SPAN: Final = bytes(8)
_MAX_TIME_NS: Final = (1 << 63) - 1
_PARENT_IS_REMOTE: Final = 0x300  # "it is known whether" and "it is"
_ENTRY_KINDS: Final = frozenset((pb.Span.SPAN_KIND_SERVER, pb.Span.SPAN_KIND_CONSUMER))
_REQUEST: Final = "request"
_REQUEST_STAGE: Final = KeyValue(
    key=STAGE, value=AnyValue(string_value=_REQUEST)
).SerializeToString(deterministic=True)

Read: TypeAlias = "pb.Span | MalformedError"
"""A span, or why it could not be read."""


@dataclass(frozen=True, slots=True)
class ScopeGroup:
    """The spans of one scope of one resource, in their order.

    `where` names the scope's place in the request; `context` is shared by the spans.
    """

    where: str
    context: bytes
    spans: Iterable[Read]


def place(resource: int, scope: int) -> str:
    """Where a scope stands in a request, in the words of OTLP/JSON."""
    return f"resourceSpans[{resource}].scopeSpans[{scope}]"


def span_part(span: pb.Span, context: bytes, received_ns: int) -> SpanPart:
    """One span as it is kept and routed.

    Raises:
        MalformedError: an id has the wrong length or is all zero, a time lies beyond what
            63 bits of nanoseconds hold, or the span or its context is over its bound.
    """
    trace_id, span_id, parent_id = span.trace_id, span.span_id, span.parent_span_id
    _check_id("trace id", trace_id, _NO_TRACE)
    _check_id("span id", span_id, _NO_SPAN)
    if parent_id and len(parent_id) != len(_NO_SPAN):
        raise MalformedError(f"parent span id of {len(parent_id)} bytes, expected 8 or none")
    end_ns = span.end_time_unix_nano
    if end_ns > _MAX_TIME_NS or span.start_time_unix_nano > _MAX_TIME_NS:
        raise MalformedError("a time beyond the year 2262")
    if len(context) > CONTEXT_BYTES:
        raise MalformedError(f"a resource of {len(context)} bytes, at most {CONTEXT_BYTES}")
    content = span.SerializeToString(deterministic=True)
    if len(content) > SPAN_BYTES:
        raise MalformedError(f"a span of {len(content)} bytes, at most {SPAN_BYTES}")
    return SpanPart(
        trace_id.hex(),
        span_id.hex(),
        parent_hex(parent_id),
        _ends(span, content),
        end_ns,
        received_ns,
        context,
        content,
    )


def parent_hex(parent_id: bytes) -> str | None:
    """A parent's id in hex; None on a root, which some senders write as zeros."""
    return None if not parent_id or parent_id == _NO_SPAN else parent_id.hex()


def parent_is_remote(flags: int) -> bool:
    """Whether a span's flags say that its parent lives in another process."""
    return flags & _PARENT_IS_REMOTE == _PARENT_IS_REMOTE


def context_bytes(resource: pb.ResourceSpans, scope: pb.ScopeSpans) -> bytes:
    """The resource, scope and schema URLs as a ResourceSpans without spans.

    Both messages are left without their lists.
    """
    del scope.spans[:]
    del resource.scope_spans[:]
    resource.scope_spans.append(scope)
    content = resource.SerializeToString(deterministic=True)
    del resource.scope_spans[:]
    return content


def _check_id(what: str, raw: bytes, zero: bytes) -> None:
    if len(raw) != len(zero):
        raise MalformedError(f"{what} of {len(raw)} bytes, expected {len(zero)}")
    if raw == zero:
        raise MalformedError(f"{what} is all zero")


def _ends(span: pb.Span, content: bytes) -> Ends:
    if parent_hex(span.parent_span_id) is None:
        return Ends.REQUEST
    # Looking through canonical bytes is far cheaper than walking every span's attributes.
    if _REQUEST_STAGE in content and _stage(span) == _REQUEST:
        return Ends.REQUEST
    if parent_is_remote(span.flags) or span.kind in _ENTRY_KINDS:
        return Ends.ENTRY
    return Ends.NOTHING


def _stage(span: pb.Span) -> str:
    stages = [a.value.string_value for a in span.attributes if a.key == STAGE]
    return stages[-1] if stages else ""
