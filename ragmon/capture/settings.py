"""What `ragmon.configure` set, as every decorated call reads it."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from opentelemetry.trace import ProxyTracerProvider, Tracer

from ragmon._version import __version__

Content: TypeAlias = Literal["on", "off"]
SCOPE: Final = "ragmon"
"""The name of the tracer all of ragmon's spans come from."""
MAX_TEXT_CHARS: Final = 64 * 1024
LIST_TEXTS: Final = 16
"""A list of documents may carry this many texts of the greatest length."""
MAX_DOCUMENTS: Final = 10_000
MAX_VECTOR_BYTES: Final = 2 << 20
"""Vectors of one span; receivers take 4 MiB of gRPC by default."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How spans are written.

    `pipeline` None leaves it to the resource's `service.name`. `max_text_chars` bounds one
    text, in characters. `vectors` sends what was embedded, up to `max_vector_bytes` a span.
    """

    pipeline: str | None = None
    pipeline_version: str | None = None
    content: Content = "on"
    max_text_chars: int = MAX_TEXT_CHARS
    vectors: bool = False
    max_vector_bytes: int = MAX_VECTOR_BYTES


class _Active:
    """The settings and the tracer in force; replaced, never changed in place."""

    __slots__ = ("settings", "tracer")

    def __init__(self) -> None:
        self.settings = Settings()
        # A proxy: it becomes real with whatever provider the application sets later.
        self.tracer: Tracer = ProxyTracerProvider().get_tracer(SCOPE, __version__)


active = _Active()
