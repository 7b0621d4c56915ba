"""Sending spans: what passes, in what portions, and how a dead endpoint is borne.

Imports the SDK; loaded by `configure` only where there is somewhere to send to.
"""

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Final

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from ragmon import semconv
from ragmon.capture.destination import Destination, timeout_is_set, without_otlp_variables
from ragmon.capture.settings import SCOPE

_log = logging.getLogger("ragmon.capture")
_TIMEOUT_S: Final = 5.0
_REQUEST_CHARS: Final = 3 << 20
"""Text and vectors in one export request; receivers take 4 MiB of gRPC by default."""
_MOST_MARKS: Final = 32_768
_HEAVY: Final = (semconv.PROMPT, semconv.ANSWER, semconv.SOURCE_TEXT, semconv.VECTORS)
_HEAVY_LISTS: Final = (
    semconv.DOCUMENTS_TEXT,
    semconv.INPUT_DOCUMENTS_TEXT,
    semconv.CONTEXT_TEXT,
)
_NOISY: Final = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.common.http",
    "opentelemetry.exporter.otlp.proto.grpc.exporter",
    "opentelemetry.exporter.otlp.proto.common._internal",
    "opentelemetry.exporter.otlp.proto.common._internal.trace_encoder",
    "opentelemetry.sdk._shared_internal",
    "opentelemetry.sdk.trace.export",
    "urllib3.connectionpool",
)


class _Hush(logging.Filter):
    """Drops what the exporters log while they work for ragmon, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self._local = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002 -- logging's signature
        return not getattr(self._local, "on", False)

    def __enter__(self) -> None:
        self._local.on = True

    def __exit__(self, *_: object) -> None:
        self._local.on = False


_hush = _Hush()


class QuietExporter(SpanExporter):
    """An exporter that warns once when its endpoint fails, and then is silent.

    Called by one thread at a time, the batch processor's.
    """

    def __init__(self, inner: SpanExporter, place: str) -> None:
        self._inner = inner
        self._place = place
        self._warned = False
        self._down = False
        self._closing = False
        for name in _NOISY:
            logging.getLogger(name).addFilter(_hush)

    @property
    def down(self) -> bool:
        """Whether the last export failed."""
        return self._down

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans, in portions that receivers take."""
        if self._closing and self._down:
            return SpanExportResult.FAILURE
        results = [self._send(portion) for portion in portions(spans)]
        failed = SpanExportResult.FAILURE in results
        return SpanExportResult.FAILURE if failed else SpanExportResult.SUCCESS

    def _send(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            with _hush:
                result = self._inner.export(spans)
        except Exception:  # noqa: BLE001 -- whatever it was, the application must not see it
            result = SpanExportResult.FAILURE
        self._down = result is not SpanExportResult.SUCCESS
        if self._down and not self._warned:
            self._warned = True
            _log.warning(
                "cannot send spans to %s; they are dropped until it answers, "
                "and this is said only once",
                self._place,
            )
        return result

    def hurry(self) -> None:
        """The process ends: waste no time on an endpoint that does not answer."""
        self._closing = True
        if self._down:
            self.shutdown()

    def shutdown(self) -> None:
        """Close the connection."""
        with _hush:
            self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 -- the SDK's
        """Nothing is held here."""
        return True


class QuietProcessor(BatchSpanProcessor):
    """The SDK's batch processor, without waiting for a dead endpoint at the end."""

    def __init__(self, exporter: QuietExporter) -> None:
        super().__init__(exporter)
        self._quiet = exporter

    def on_end(self, span: ReadableSpan) -> None:
        """Queue the span; a queue that a dead endpoint filled is no news."""
        with _hush if self._quiet.down else nullcontext():
            super().on_end(span)

    def shutdown(self) -> None:
        """Send what is queued, and stop."""
        self._quiet.hurry()
        with _hush:
            super().shutdown()  # type: ignore[no-untyped-call]


class RagProcessor(QuietProcessor):
    """Passes ragmon's spans, those of known RAG dialects, and their local ancestors.

    For an application's own provider, through which web and database spans go as well.
    Children end first: a span that passes marks its parent. The marks are kept in two
    generations, so that their number is bounded without a lock.
    """

    def __init__(self, exporter: QuietExporter) -> None:
        super().__init__(exporter)
        self._marks: set[int] = set()
        self._older: set[int] = set()

    def on_end(self, span: ReadableSpan) -> None:
        """Queue the span if it passes."""
        context = span.context
        if context is None:
            return
        marked = context.span_id in self._marks or context.span_id in self._older
        if marked or speaks_of_rag(span):
            self._mark_parent(span)
            super().on_end(span)

    def _mark_parent(self, span: ReadableSpan) -> None:
        parent = span.parent
        if parent is None or parent.is_remote:
            return
        self._marks.add(parent.span_id)
        if len(self._marks) > _MOST_MARKS:
            self._older, self._marks = self._marks, set()


def speaks_of_rag(span: ReadableSpan) -> bool:
    """Whether a span is ragmon's or in a dialect that ragmon reads."""
    scope = span.instrumentation_scope
    if scope is not None and scope.name == SCOPE:
        return True
    if any(key.startswith(semconv.DIALECT_PREFIXES) for key in span.attributes or ()):
        return True
    return any(event.name in semconv.DIALECT_EVENTS for event in span.events)


def portions(spans: Sequence[ReadableSpan]) -> Iterator[Sequence[ReadableSpan]]:
    """The spans in order, cut where the text of one request would grow too large."""
    start, total = 0, 0
    for place, span in enumerate(spans):
        weight = _weight(span)
        if total + weight > _REQUEST_CHARS and place > start:
            yield spans[start:place]
            start, total = place, 0
        total += weight
    if start < len(spans):
        yield spans[start:]


def _weight(span: ReadableSpan) -> int:
    attributes = span.attributes or {}
    lists: Any = (attributes.get(name, ()) for name in _HEAVY_LISTS)
    return sum(_length(attributes.get(name)) for name in _HEAVY) + sum(
        sum(map(_length, texts)) for texts in lists
    )


def _length(text: object) -> int:
    """Characters of a text, whatever methods a subclass of str may have; bytes of vectors."""
    if isinstance(text, bytes):
        return len(text)
    return str.__len__(text) if isinstance(text, str) else 0


def make_exporter(destination: Destination) -> QuietExporter:
    """The exporter for a destination, over gRPC or HTTP."""
    if destination.url is None:
        return QuietExporter(_stock_exporter(destination), destination.place)
    with without_otlp_variables():
        return QuietExporter(_stock_exporter(destination), destination.place)


def _stock_exporter(destination: Destination) -> SpanExporter:
    timeout_s = None if timeout_is_set() else _TIMEOUT_S
    if destination.protocol == "grpc":
        return _grpc_exporter(destination, timeout_s)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )

    return OTLPSpanExporter(
        endpoint=destination.url,
        headers=dict(destination.headers) or None,
        timeout=timeout_s,
    )


def _grpc_exporter(destination: Destination, timeout_s: float | None) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )

    return OTLPSpanExporter(
        endpoint=destination.url,
        headers={name.lower(): value for name, value in destination.headers.items()} or None,
        timeout=timeout_s,
    )
