"""Setting capture up, and taking it down."""

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args
from weakref import WeakKeyDictionary

from opentelemetry import trace

from ragmon import semconv
from ragmon._version import __version__
from ragmon.capture import faults
from ragmon.capture.destination import (
    Destination,
    Protocol,
    feedback_beside,
    find_labels,
    find_otel,
    find_own,
    sdk_disabled,
)
from ragmon.capture.posting import feedback_poster, poster
from ragmon.capture.settings import (
    MAX_TEXT_CHARS,
    MAX_VECTOR_BYTES,
    SCOPE,
    Content,
    Settings,
    active,
)

_log = logging.getLogger("ragmon.capture")
_lock: Final = threading.Lock()


class _Installed:
    """What ragmon added, per provider: the processors by endpoint, and whether it made it."""

    def __init__(self) -> None:
        self.processors: WeakKeyDictionary[Any, dict[str | None, Any]] = WeakKeyDictionary()
        self.made: Any = None
        self.provider: Any = None


_installed = _Installed()


def configure(
    *,
    service: str | None = None,
    pipeline: str | None = None,
    pipeline_version: str | None = None,
    endpoint: str | None = None,
    labels_endpoint: str | None = None,
    protocol: Protocol | None = None,
    headers: Mapping[str, str] | None = None,
    content: Content = "on",
    max_text_chars: int = MAX_TEXT_CHARS,
    vectors: bool | None = None,
    max_vector_bytes: int = MAX_VECTOR_BYTES,
    tracer_provider: trace.TracerProvider | None = None,
) -> None:
    """Say who this application is and where its spans go. Call it once, at start.

    Calling it again changes the settings and adds nothing twice. It returns at once,
    whether or not the endpoint answers, and never raises (see `RAGMON_STRICT`).

    Where the application has a TracerProvider, spans go through it; with an endpoint of
    its own (`endpoint` or RAGMON_ENDPOINT), ragmon adds one batch processor to it, which
    passes spans of RAG stages and their ancestors only. Where there is none, ragmon makes
    one, to which the SDK's `OTEL_*` variables apply; the exporter's (OTEL_EXPORTER_OTLP_*)
    apply where the endpoint comes from them.

    Args:
        service: The service's name; by default OTEL_SERVICE_NAME or the resource's.
        pipeline: The pipeline's name, for metrics and labels; the service's by default.
        pipeline_version: Which version of it this is, e.g. a release or a prompt's.
        endpoint: The OTLP endpoint, such as `http://localhost:4318`; by default
            RAGMON_ENDPOINT, and where ragmon makes the provider OTEL_EXPORTER_OTLP_ENDPOINT.
        labels_endpoint: Where `ragmon.label` and `ragmon.feedback` post; by default
            RAGMON_LABELS_ENDPOINT, else the endpoint's own host. Give it where spans go through
            a collector.
        protocol: `grpc` or `http/protobuf`; by default what the port says (4317 is gRPC).
        headers: Headers of every export, such as a token.
        content: `on` sends questions, documents, prompts and answers; `off` none of them.
        max_text_chars: Longest text that is sent whole, in characters, 1 or more.
        vectors: Whether embedding spans send their vectors; by default RAGMON_SEND_VECTORS=1,
            and no. With `content="off"` none are sent.
        max_vector_bytes: Most bytes of vectors of one span, 4 a number; more are not sent.
        tracer_provider: The provider to use, where it is not the global one.

    Example:
        ragmon.configure(service="helpdesk", pipeline="faq", endpoint="http://localhost:4318")
    """
    try:
        with _lock:
            active.settings = Settings(
                pipeline=pipeline or service,
                pipeline_version=pipeline_version,
                content=_content(content),
                max_text_chars=max(max_text_chars, 1),
                vectors=_vectors_are_wanted() if vectors is None else vectors,
                max_vector_bytes=max_vector_bytes,
            )
            own = find_own(endpoint, protocol, headers)
            provider = _provider(tracer_provider, service, own or find_otel(protocol, headers))
            _add_own(provider, own)
            active.tracer = provider.get_tracer(SCOPE, __version__)
            _installed.provider = provider
            labels = None if sdk_disabled() else find_labels(labels_endpoint, own)
            poster.aim(labels, headers or {})
            feedback_poster.aim(feedback_beside(labels), headers or {})
    except Exception as fault:  # noqa: BLE001 -- an application must start all the same
        faults.report(fault, "configuring")


def flush(timeout_s: float = 5.0) -> bool:
    """Send queued spans, labels and feedback, waiting at most this long; whether all was tried.

    For short-lived processes (functions in a cloud, batch jobs). Never call it per request.
    """
    deadline_s = time.monotonic() + timeout_s
    spans = _bounded(_flush, timeout_s)
    return _drain(deadline_s) and spans


def shutdown(timeout_s: float = 5.0) -> bool:
    """Send what is queued and stop sending, waiting at most this long.

    A provider that ragmon made is shut down, one of the application's own only loses
    ragmon's processor. Not needed at a normal exit, where the SDK does the same.
    """
    deadline_s = time.monotonic() + timeout_s
    spans = _bounded(_shutdown, timeout_s)
    posted = _drain(deadline_s)
    poster.aim(None, {})
    feedback_poster.aim(None, {})
    return posted and spans


def _drain(deadline_s: float) -> bool:
    drained = [
        one.drain(max(0.0, deadline_s - time.monotonic())) for one in (poster, feedback_poster)
    ]
    return all(drained)


def _vectors_are_wanted() -> bool:
    return os.environ.get("RAGMON_SEND_VECTORS", "").strip() == "1"


def _content(content: str) -> Content:
    if content in get_args(Content):
        return content  # type: ignore[return-value]
    # What was meant is unknown; withholding is the mistake that can be mended.
    _log.warning("content=%r is none of on, off: content is withheld", content)
    return "off"


def _provider(
    given: trace.TracerProvider | None, service: str | None, destination: Destination | None
) -> trace.TracerProvider:
    """The provider to use: the one given, the application's, or one made here."""
    provider = given or trace.get_tracer_provider()
    if not isinstance(provider, trace.ProxyTracerProvider) or sdk_disabled():
        return provider
    if destination is None:
        _log.warning(
            "no endpoint is configured and the application has no TracerProvider: "
            "nothing is captured"
        )
        return provider
    made: trace.TracerProvider = _make(service, destination)
    trace.set_tracer_provider(made)
    return made


def _make(service: str | None, destination: Destination) -> Any:
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415

    from ragmon.capture.exporting import QuietProcessor, make_exporter  # noqa: PLC0415

    settings = active.settings
    named = {
        semconv.SERVICE_NAME: service,
        semconv.PIPELINE: settings.pipeline,
        semconv.PIPELINE_VERSION: settings.pipeline_version,
    }
    resource = Resource.create({name: value for name, value in named.items() if value is not None})
    made = TracerProvider(resource=resource)
    processor = QuietProcessor(make_exporter(destination))
    made.add_span_processor(processor)
    _installed.processors[made] = {destination.url: processor}
    _installed.made = made
    return made


def _add_own(provider: Any, own: Destination | None) -> None:
    """Add a processor for ragmon's endpoint to the application's provider, once."""
    if own is None or sdk_disabled() or isinstance(provider, trace.ProxyTracerProvider):
        return
    if not hasattr(provider, "add_span_processor"):
        _log.warning("the TracerProvider takes no processors: nothing is sent to %s", own.place)
        return
    added = _installed.processors.setdefault(provider, {})
    if own.url in added:
        return
    from ragmon.capture.exporting import RagProcessor, make_exporter  # noqa: PLC0415

    processor = RagProcessor(make_exporter(own))
    provider.add_span_processor(processor)
    added[own.url] = processor


def _processors() -> list[Any]:
    return [one for added in _installed.processors.values() for one in added.values()]


def _flush() -> bool:
    own = _processors()
    if not own and hasattr(_installed.provider, "force_flush"):
        return bool(_installed.provider.force_flush())
    sent = [processor.force_flush() for processor in own]
    return all(sent)


def _shutdown() -> bool:
    for processor in _processors():
        processor.shutdown()
    if _installed.made is not None:
        _installed.made.shutdown()
    return True


def _bounded(work: Callable[[], bool], timeout_s: float) -> bool:
    """Run it in a thread of its own; the SDK's own time limits do not hold."""
    done: list[bool] = []

    def run() -> None:
        try:
            done.append(work())
        except Exception:  # noqa: BLE001 -- whatever a provider raises, the answer is no
            done.append(False)

    thread = threading.Thread(target=run, name="ragmon-flush", daemon=True)
    thread.start()
    thread.join(timeout_s)
    return bool(done and done[0])
