"""One answer to a scrape: format, compression, headers."""

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import (
    CONTENT_TYPE_PLAIN_0_0_4,
    choose_encoder,
    generate_latest,
    gzip_accepted,
)

__all__ = ["Exposition", "expose"]


@dataclass(frozen=True, slots=True)
class Exposition:
    """The body of an answer to a scrape; `encoding` is `gzip` or empty."""

    body: bytes
    content_type: str
    encoding: str

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of the answer."""
        headers = {"Content-Type": self.content_type, "Vary": "Accept, Accept-Encoding"}
        return {**headers, "Content-Encoding": self.encoding} if self.encoding else headers


def expose(collectors: CollectorRegistry, accept: str, accept_encoding: str) -> Exposition:
    """Encode all families as the two headers of the scrape ask for."""
    encode, content_type = _encoder(accept)
    body = encode(collectors)
    if not gzip_accepted(accept_encoding):
        return Exposition(body, content_type, "")
    return Exposition(gzip.compress(body, compresslevel=3, mtime=0), content_type, "gzip")


def _encoder(accept: str) -> tuple[Callable[[CollectorRegistry], bytes], str]:
    try:
        return choose_encoder(accept)
    except (TypeError, ValueError):  # a version that is no number
        return generate_latest, CONTENT_TYPE_PLAIN_0_0_4
