"""zstd at level 1: the best bytes for CPU on spans (measured; see docs/architecture.md)."""

import threading

import zstandard

_LEVEL = 1


class _Codec(threading.local):
    """A compressor and a decompressor per thread: neither may be shared."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_codec = _Codec()


def compress(content: bytes) -> bytes:
    """One zstd frame that carries its size."""
    return _codec.compressor.compress(content)


def decompress(frame: bytes) -> bytes:
    """What `compress` was given."""
    return _codec.decompressor.decompress(frame)
