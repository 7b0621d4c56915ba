"""Compressed bodies, never inflated beyond a limit."""

import zlib
from collections.abc import Callable, Iterable
from typing import Final

from ragmon.errors import MalformedError, TooLargeError

GZIP: Final = "gzip"
DEFLATE: Final = "deflate"
IDENTITY: Final = ""

ENCODINGS: Final = frozenset((GZIP, DEFLATE, IDENTITY))
"""The content codings that are understood; an uncompressed body has the empty one."""

_WINDOW_BITS: Final = {GZIP: 31, DEFLATE: 15}
_INPUT_STEP: Final = 64 << 10
_OUTPUT_STEP: Final = 1 << 20
_MOST_MEMBERS: Final = 10_000


def inflate(
    content: bytes | Iterable[bytes],
    encoding: str,
    limit: int,
    reserve: Callable[[int], None] | None = None,
) -> bytes:
    """The uncompressed bytes, at most `limit` of them.

    Args:
        content: the body, whole or in chunks.
        encoding: one of ENCODINGS.
        limit: most bytes of the result.
        reserve: called with the number of bytes before they are held; may raise.

    Raises:
        MalformedError: the stream is damaged or ends early, or the encoding is unknown.
        TooLargeError: the result is over the limit; at most 1 MiB more was inflated.
    """
    inflated = _Inflated(limit, reserve)
    chunks = (content,) if isinstance(content, bytes) else content
    if encoding == IDENTITY:
        for chunk in chunks:
            inflated.add(chunk)
    elif encoding in _WINDOW_BITS:
        _inflate(chunks, _WINDOW_BITS[encoding], inflated)
    else:
        raise MalformedError(f"unknown content encoding {encoding[:40]!r}")
    return b"".join(inflated.pieces)


class _Inflated:
    """Collects what was inflated and watches the limit."""

    def __init__(self, limit: int, reserve: Callable[[int], None] | None) -> None:
        self.pieces: list[bytes] = []
        self._limit = limit
        self._size = 0
        self._reserve = reserve

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise TooLargeError(f"the body is over {self._limit} bytes uncompressed")
        if self._reserve is not None:
            self._reserve(len(piece))
        self.pieces.append(piece)


def _inflate(chunks: Iterable[bytes], window_bits: int, inflated: _Inflated) -> None:
    stream = _Stream(window_bits, inflated)
    try:
        for step in _steps(chunks):
            stream.feed(step)
    except zlib.error as error:
        raise MalformedError(f"the compressed body is damaged: {error}") from error
    stream.close()


class _Stream:
    """One compressed body; gzip members may be strung together in it."""

    def __init__(self, window_bits: int, inflated: _Inflated) -> None:
        self._window_bits = window_bits
        self._inflated = inflated
        self._member = zlib.decompressobj(window_bits)
        self._members = 1

    def feed(self, step: bytes) -> None:
        # Output may stay inside the decompressor, but never behind the stream's last bytes:
        # they are its checksum.
        while step:
            if self._member.eof:
                self._next_member()
            self._inflated.add(self._member.decompress(step, _OUTPUT_STEP))
            step = self._member.unconsumed_tail or self._member.unused_data

    def close(self) -> None:
        if not self._member.eof:
            raise MalformedError("the compressed body ends early")

    def _next_member(self) -> None:
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise MalformedError(f"more than {_MOST_MEMBERS} compressed members")
        self._member = zlib.decompressobj(self._window_bits)


def _steps(chunks: Iterable[bytes]) -> Iterable[bytes]:
    """The same bytes in small steps, for what is left of a step is copied."""
    for chunk in chunks:
        for start in range(0, len(chunk), _INPUT_STEP):
            yield chunk[start : start + _INPUT_STEP]
