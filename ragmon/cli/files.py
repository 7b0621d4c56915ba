"""Files of traces: OTLP JSON (one request, or one a line) or protobuf, also gzipped."""

from collections.abc import Iterator
from pathlib import Path

from ragmon.errors import MalformedError
from ragmon.ingest.compression import inflate
from ragmon.ingest.split import JSON, PROTOBUF, SplitBody, split

_GZIP = b"\x1f\x8b"
_SPANS = b'"resourceSpans"'
_LIMIT_BYTES = 1 << 32


def read_bodies(path: Path, received_ns: int) -> Iterator[SplitBody]:
    """Split every export request of one file.

    Raises:
        MalformedError: the file cannot be read or holds no OTLP; the message names it.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MalformedError(f"{path}: {error.strerror}") from None
    if content.startswith(_GZIP):
        try:
            content = inflate(content, "gzip", _LIMIT_BYTES)
        except MalformedError as error:
            raise MalformedError(f"{path}: {error}") from None
    if not content.strip():
        raise MalformedError(f"{path}: is empty")
    for place, media_type, request in _requests(path, content):
        if media_type == JSON and _SPANS not in request:
            raise MalformedError(f"{place}: is no OTLP export request: it has no {_SPANS.decode()}")
        try:
            yield split(request, media_type, received_ns)
        except MalformedError as error:
            raise MalformedError(f"{place}: {error}") from None


def _requests(path: Path, content: bytes) -> Iterator[tuple[str, str, bytes]]:
    """(where it stands, media type, bytes) of each request."""
    if not content.lstrip().startswith(b"{"):
        yield str(path), PROTOBUF, content
    elif _one_a_line(content):
        for number, line in enumerate(content.splitlines(), start=1):
            if line.strip():
                yield f"{path}:{number}", JSON, line
    else:
        yield str(path), JSON, content


def _one_a_line(content: bytes) -> bool:
    """Whether each line is an object of its own, as the Collector's file exporter writes."""
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    return len(lines) > 1 and all(line.startswith(b"{") and line.endswith(b"}") for line in lines)
