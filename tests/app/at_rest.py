"""What can be read in the files of a store, whatever its tables say."""

from pathlib import Path

import pytest

from ragmon.store import compression


class Readable:
    """Compresses nothing, so that a text is found in whatever page of a file it lies."""

    def compress(self, content: bytes) -> bytes:
        return content

    decompress = compress
    compressor = decompressor = property(lambda self: self)


@pytest.fixture(autouse=True)
def readable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts rest as they are."""
    monkeypatch.setattr(compression, "_codec", Readable())


def rests(folder: Path, text: str) -> bool:
    """Whether a text is in any file of a folder, in any case."""
    return any(
        text.lower().encode() in path.read_bytes().lower()
        for path in folder.rglob("*")
        if path.is_file()
    )
