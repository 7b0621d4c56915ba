"""Posted documents to chunked documents, with every fault of one named at once."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from ragmon.errors import MalformedError
from ragmon.model.indexing import Chunk, ChunkedDocument
from ragmon.text import Text
from ragmon.text.source import Source

_LONGEST_NAME: Final = 1024
_LONGEST_FAULT: Final = 200
_LATEST_NS: Final = 1 << 63
_PLAIN: Final = {"extra_forbidden": "unknown key", "model_type": "must be an object"}
"""What a type of fault is told as; of others pydantic's message."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_Name = Annotated[StrictStr, Field(min_length=1, max_length=_LONGEST_NAME)]
_Offset = Annotated[StrictInt, Field(ge=0)]


class DocumentError(MalformedError):
    """A document that cannot be used; `faults` has a line for each fault, without its text."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class PostedDocument:
    """A document as it was posted. A pipeline of None was not given."""

    pipeline: str | None
    document: ChunkedDocument
    registered_ns: int


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Chunk(_Shape):
    id: _Name
    start: _Offset | None = None
    end: _Offset | None = None
    text: StrictStr | None = None


class _Document(_Shape):
    document_id: _Name
    text: StrictStr
    chunks: tuple[_Chunk, ...]
    pipeline: _Name | None = None
    registered_at: datetime | None = None


def parse_document(posted: object, received_ns: int) -> PostedDocument:
    """Read one posted object: a document and its chunks.

    A chunk is where its offsets say; without them where its text stands in the document.
    `registered_at` (ISO 8601, or seconds since the epoch) is `received_ns` where absent.

    Raises:
        DocumentError: with every fault of the object.
    """
    if not isinstance(posted, dict):
        raise DocumentError(("a document must be a JSON object",))
    try:
        given = _Document.model_validate(posted)
    except ValidationError as error:
        raise DocumentError(tuple(_faults(error))) from None
    registered_ns = _nanoseconds(given.registered_at, received_ns)
    faults = (*_time_faults(registered_ns), *_chunk_faults(given))
    if faults:
        raise DocumentError(faults)
    return PostedDocument(given.pipeline, _chunked(given), registered_ns)


def _faults(error: ValidationError) -> Iterator[str]:
    """Where and what, never the value."""
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        place = ".".join(str(part)[:64] for part in fault["loc"])
        what = _PLAIN.get(fault["type"], fault["msg"])
        yield f"{place}: {what}"[:_LONGEST_FAULT]


def _nanoseconds(moment: datetime | None, received_ns: int) -> int:
    if moment is None:
        return received_ns
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    elapsed = aware - _EPOCH
    seconds = elapsed.days * 86_400 + elapsed.seconds
    return seconds * 1_000_000_000 + elapsed.microseconds * 1_000


def _time_faults(registered_ns: int) -> Iterator[str]:
    if not 0 <= registered_ns < _LATEST_NS:
        yield "registered_at: must lie from 1970 to 2262"


def _chunk_faults(given: _Document) -> Iterator[str]:
    length = len(given.text)
    for at, chunk in enumerate(given.chunks):
        for fault in _chunk_fault(chunk, length):
            yield f"chunks.{at}{fault}"
    for chunk_id, times in Counter(chunk.id for chunk in given.chunks).items():
        if times > 1:
            places = [str(at) for at, chunk in enumerate(given.chunks) if chunk.id == chunk_id]
            yield f"chunks.{places[1]}.id: the same as that of chunk {places[0]}"


def _chunk_fault(chunk: _Chunk, length: int) -> Iterator[str]:
    if (chunk.start is None) != (chunk.end is None):
        yield ": start and end go together"
    elif chunk.start is None or chunk.end is None:
        if chunk.text is None:
            yield ": give start and end, or text"
    elif chunk.start > chunk.end:
        yield f".start: {chunk.start} lies after end {chunk.end}"
    elif chunk.end > length:
        yield f".end: {chunk.end} lies outside of the text of {length} characters"


def _chunked(given: _Document) -> ChunkedDocument:
    chunks = tuple(_chunk(chunk, given.text) for chunk in given.chunks)
    return ChunkedDocument(given.document_id, Source(given.text), chunks)


def _chunk(chunk: _Chunk, text: str) -> Chunk:
    if chunk.start is None or chunk.end is None:
        return Chunk(chunk.id, Text(chunk.text or ""))
    own = text[chunk.start : chunk.end] if chunk.text is None else chunk.text
    return Chunk(chunk.id, Text(own), (chunk.start, chunk.end))
