"""What can be read in the files of a store, whatever its tables say."""

from collections.abc import Iterator
from pathlib import Path

import zstandard

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def _at_rest(folder: Path) -> Iterator[bytes]:
    """Every byte in the files of a store, and what is compressed in them."""
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            yield content
            for start in _places(content, ZSTD_MAGIC):
                yield _inflated(content[start:])


def _places(content: bytes, magic: bytes) -> Iterator[int]:
    place = content.find(magic)
    while place >= 0:
        yield place
        place = content.find(magic, place + 1)


def _inflated(content: bytes) -> bytes:
    """As much of a frame as is left of it; large values lie in several pages."""
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(content)
    except zstandard.ZstdError:
        return b""


def rests(folder: Path, text: str) -> bool:
    """Whether a text is in any file of a folder, in any case, plain or compressed."""
    return any(text.lower().encode() in content.lower() for content in _at_rest(folder))
