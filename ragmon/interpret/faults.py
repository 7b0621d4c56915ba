"""Spans that failed, and with what."""

from collections.abc import Iterable
from typing import Final

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.tree import Node
from ragmon.model.span import Span, StatusCode

UNNAMED: Final = "_OTHER"
"""The error type where a span says only that it failed (OpenTelemetry's own fallback)."""

# Looking a member up on its class costs ten times a name, and every span is asked.
_ERROR: Final = StatusCode.ERROR


def failed(span: Span) -> bool:
    """Whether a span ended in an error: by its status, or by naming the error's type."""
    return span.status is _ERROR or _declared(span) is not None


def error_type(nodes: Iterable[Node]) -> str | None:
    """The error type of the first failed span that names one; None where none failed."""
    broken = [node.span for node in nodes if failed(node.span)]
    if not broken:
        return None
    named = (name for span in broken if (name := _named(span)) is not None)
    return next(named, UNNAMED)


def _declared(span: Span) -> str | None:
    value = span.attributes.get(semconv.ERROR_TYPE)
    return None if value is None else scalars.name(value)


def _named(span: Span) -> str | None:
    """By its `error.type`, else by the last exception it recorded."""
    exceptions = (
        scalars.name(event.attributes.get(semconv.EXCEPTION_TYPE))
        for event in reversed(span.events)
        if event.name == semconv.EXCEPTION_EVENT
    )
    return _declared(span) or next(filter(None, exceptions), None)
