"""Where spans go, worked out from arguments and the environment."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

Protocol: TypeAlias = Literal["grpc", "http/protobuf"]
TRACES_PATH: Final = "/v1/traces"
LABELS_PATH: Final = "/v1/labels"
FEEDBACK_PATH: Final = "/v1/feedback"
_OTLP: Final = "OTEL_EXPORTER_OTLP_"
_GRPC_PORT: Final = 4317
_HTTP_PORT: Final = 4318


@dataclass(frozen=True, slots=True)
class Destination:
    """One OTLP endpoint. `url` None leaves everything to the OTEL_* variables."""

    url: str | None
    protocol: Protocol
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def place(self) -> str:
        """The endpoint as a person knows it, without credentials."""
        parts = urlsplit(self.url or otel_endpoint() or "")
        host = parts.hostname or ""
        return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"


def find_own(
    endpoint: str | None, protocol: Protocol | None, headers: Mapping[str, str] | None
) -> Destination | None:
    """The endpoint given to ragmon itself, by argument or RAGMON_ENDPOINT."""
    url = endpoint or os.environ.get("RAGMON_ENDPOINT")
    if not url:
        return None
    if "://" not in url:
        url = f"http://{url}"
    chosen = protocol or _guess(url)
    if chosen == "http/protobuf" and not url.rstrip("/").endswith(TRACES_PATH):
        url = url.rstrip("/") + TRACES_PATH
    return Destination(url, chosen, headers or {})


def find_labels(endpoint: str | None, own: Destination | None) -> str | None:
    """Where labels are posted: by argument, RAGMON_LABELS_ENDPOINT, or beside ragmon's spans.

    None where that cannot be known. The OTEL_* variables do not count: what they name may be
    a collector, which takes no labels.

    Raises:
        ValueError: it is no HTTP endpoint.
    """
    url = endpoint or os.environ.get("RAGMON_LABELS_ENDPOINT")
    if not url:
        return None if own is None else _beside(own)
    if "://" not in url:
        url = f"http://{url}"
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("labels_endpoint must be an HTTP endpoint")
    bare = url.rstrip("/")
    return bare if bare.endswith(LABELS_PATH) else bare + LABELS_PATH


def feedback_beside(labels: str | None) -> str | None:
    """Where feedback is posted: beside the labels."""
    return None if labels is None else labels.removesuffix(LABELS_PATH) + FEEDBACK_PATH


def _beside(own: Destination) -> str | None:
    """Labels go where spans go by HTTP; of a gRPC port only the usual one tells the other."""
    parts = urlsplit(own.url or "")
    if parts.scheme not in ("http", "https"):
        return None
    if own.protocol == "http/protobuf":
        path = parts.path.rstrip("/").removesuffix(TRACES_PATH) + LABELS_PATH
        return parts._replace(path=path).geturl()
    if parts.port != _GRPC_PORT:
        return None
    place = parts.netloc.removesuffix(f":{_GRPC_PORT}")
    return f"{parts.scheme}://{place}:{_HTTP_PORT}{LABELS_PATH}"


def find_otel(protocol: Protocol | None, headers: Mapping[str, str] | None) -> Destination | None:
    """The endpoint that the standard OTEL_* variables name, if they name one."""
    url = otel_endpoint()
    if not url or os.environ.get("OTEL_TRACES_EXPORTER", "").strip() == "none":
        return None
    named = os.environ.get(f"{_OTLP}TRACES_PROTOCOL") or os.environ.get(f"{_OTLP}PROTOCOL")
    if protocol is None and named in ("grpc", "http/protobuf"):
        protocol = named  # type: ignore[assignment]
    return Destination(None, protocol or _guess(url), headers or {})


def otel_endpoint() -> str | None:
    """The endpoint of the OTEL_* variables."""
    return os.environ.get(f"{_OTLP}TRACES_ENDPOINT") or os.environ.get(f"{_OTLP}ENDPOINT")


def sdk_disabled() -> bool:
    """Whether OTEL_SDK_DISABLED turns everything off."""
    return os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def timeout_is_set() -> bool:
    """Whether the OTEL_* variables bound the time of an export."""
    return f"{_OTLP}TIMEOUT" in os.environ or f"{_OTLP}TRACES_TIMEOUT" in os.environ


@contextmanager
def without_otlp_variables() -> Iterator[None]:
    """Hide OTEL_EXPORTER_OTLP_* while an exporter is made that they are not about.

    The application's variables are for its own backend, and its headers are often keys:
    an exporter for another endpoint would send them there.
    """
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(_OTLP)}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _guess(url: str) -> Protocol:
    try:
        return "grpc" if urlsplit(url).port == _GRPC_PORT else "http/protobuf"
    except ValueError:
        return "http/protobuf"
