"""Where chunks lie in the document they were cut from, as chunkers say it."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final

from ragmon import semconv
from ragmon.capture.columns import NESTED_FIELDS
from ragmon.capture.documents import listed, read_documents
from ragmon.capture.fields import as_count, field, is_plain_tuple
from ragmon.capture.recording import Recording
from ragmon.capture.settings import MAX_DOCUMENTS

START_FIELDS: Final = (
    "start_index",
    "start_char_idx",
    "split_idx_start",
    "start_offset",
    "start_char",
    "char_start",
    "start",
)
END_FIELDS: Final = (
    "end_index",
    "end_char_idx",
    "end_offset",
    "end_char",
    "char_end",
    "end",
)
UNKNOWN: Final = -1


def write_offsets(recording: Recording, value: Any) -> None:
    """Record the offsets of chunks, where at least one of them carries some.

    A chunk that only says where it starts ends where its text does.
    """
    documents = read_documents(value)
    if documents is None:
        return
    texts = documents.texts or repeat("")
    spans = [_span(chunk, text) for chunk, text in zip(listed(value) or (), texts, strict=False)]
    if any(start != UNKNOWN for start, _ in spans):
        recording.put(semconv.DOCUMENTS_START, _column(spans, 0))
        recording.put(semconv.DOCUMENTS_END, _column(spans, 1))


def _column(spans: Sequence[tuple[int, int]], place: int) -> tuple[int, ...]:
    return tuple(span[place] for span in spans[:MAX_DOCUMENTS])


def _span(chunk: Any, text: str) -> tuple[int, int]:
    if isinstance(chunk, str) or is_plain_tuple(chunk):
        return UNKNOWN, UNKNOWN
    holders = [chunk, *(field(chunk, name) for name in NESTED_FIELDS)]
    start, end = _first(holders, START_FIELDS), _first(holders, END_FIELDS)
    if end is None and start is not None and text:
        end = start + len(text)
    if start is None or end is None or start > end:
        return UNKNOWN, UNKNOWN
    return start, end


def _first(holders: Sequence[Any], names: Sequence[str]) -> int | None:
    found = (as_count(field(holder, name)) for holder in holders for name in names)
    return next((count for count in found if count is not None), None)
