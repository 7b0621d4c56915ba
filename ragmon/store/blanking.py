"""Parts of a SQLite file that hold nothing, overwritten.

Secure deletion overwrites a deleted row where it lies. But rows move between neighbouring
pages, and what a page held before stays in its unallocated part, where no deletion finds it.
"""

import os
from collections.abc import Iterator
from typing import Final

from ragmon.errors import StoreError

# https://www.sqlite.org/fileformat2.html, 1.3 and 1.6
_HEADER_BYTES: Final = 100
_HEADERS: Final = {2: 12, 5: 12, 10: 8, 13: 8}  # kind of a b-tree page -> bytes of its header
_MOST_PAGES: Final = 1 << 25  # beyond, the number at the start of other pages looks like a kind
_READ_BYTES: Final = 1 << 20


def blank(file: int) -> int:
    """Overwrite what no page of an open database uses; how many pages had something there.

    Nobody may write to the database meanwhile, its log must be empty, and whoever wrote to it
    before must read its pages anew.

    Raises:
        StoreError: the file is too large for its pages to be told apart (128 GiB).
        OSError: it cannot be read or written.
    """
    page_bytes = _page_bytes(file)
    size = os.fstat(file).st_size if page_bytes else 0
    if page_bytes and size // page_bytes >= _MOST_PAGES:
        raise StoreError("the database is too large to be cleared of what was deleted")
    blanked = 0
    for start in range(0, size, _READ_BYTES):
        for at, length in _remnants(os.pread(file, _READ_BYTES, start), start, page_bytes):
            os.pwrite(file, bytes(length), at)
            blanked += 1
    if blanked:
        os.fsync(file)
    return blanked


def _page_bytes(file: int) -> int:
    """Bytes of a page; 0 for an empty file."""
    header = os.pread(file, _HEADER_BYTES, 0)
    size = int.from_bytes(header[16:18], "big")
    return 1 << 16 if size == 1 else size


def _remnants(read: bytes, start: int, page_bytes: int) -> Iterator[tuple[int, int]]:
    """Place and length of each unallocated part that is not blank."""
    for page in range(0, len(read), page_bytes):
        header = page + (0 if start + page else _HEADER_BYTES)
        length = _HEADERS.get(read[header])
        if length is None:
            continue
        cells = int.from_bytes(read[header + 3 : header + 5], "big")
        first = header + length + 2 * cells
        end = page + (int.from_bytes(read[header + 5 : header + 7], "big") or 1 << 16)
        if read.count(0, first, end) < end - first <= page_bytes:
            yield start + first, end - first
