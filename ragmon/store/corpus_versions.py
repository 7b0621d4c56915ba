"""Registered documents and chunks at rest: which version of each stands at which time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, bindparam, select

from ragmon.model.corpus import chunk_digest
from ragmon.store.chunks import chunks
from ragmon.store.corpus_timeline import Registered, Timeline, timeline
from ragmon.store.schema import CORPUS_CHUNK, CORPUS_DOCUMENT, CORPUS_REGISTRATION

_Value = TypeVar("_Value")


class Version(NamedTuple):
    """A version of a document as one registration has it; equal tokens have an equal hash."""

    id: int
    document_id: str
    tokens_hash: str
    registered_ns: int


class ChunkPlace(NamedTuple):
    """Where a chunk lies in a version; first is None where it could not be located."""

    version: Version
    first: int | None
    end: int | None


_VERSION = (
    CORPUS_DOCUMENT.c.id,
    CORPUS_DOCUMENT.c.document_id,
    CORPUS_DOCUMENT.c.tokens_hash,
    CORPUS_DOCUMENT.c.content_hash,
    CORPUS_REGISTRATION.c.registered_ns,
)

_REGISTERED = CORPUS_REGISTRATION.c.document == CORPUS_DOCUMENT.c.id
_IN_PIPELINE = CORPUS_DOCUMENT.c.pipeline == bindparam("pipeline")
# A sum, lest SQLite walks all documents of the pipeline instead of looking up the chunks.
_OF_PIPELINE = CORPUS_DOCUMENT.c.pipeline + 0 == bindparam("pipeline")

_OF_DOCUMENTS = (
    select(*_VERSION)
    .distinct()
    .join_from(CORPUS_DOCUMENT, CORPUS_REGISTRATION, _REGISTERED)
    .where(_IN_PIPELINE, CORPUS_DOCUMENT.c.document_id.in_(bindparam("ids", expanding=True)))
)

_OF_CHUNKS = (
    select(CORPUS_CHUNK.c.chunk_id, CORPUS_CHUNK.c.first, CORPUS_CHUNK.c.end, *_VERSION)
    .distinct()
    .join_from(CORPUS_CHUNK, CORPUS_DOCUMENT, CORPUS_CHUNK.c.document == CORPUS_DOCUMENT.c.id)
    .join(CORPUS_REGISTRATION, _REGISTERED)
    .where(_OF_PIPELINE, CORPUS_CHUNK.c.digest.in_(bindparam("digests", expanding=True)))
)

_CHUNK_IDS = select(CORPUS_CHUNK.c.chunk_id).where(
    CORPUS_CHUNK.c.document.in_(bindparam("versions", expanding=True))
)


def of_documents(
    connection: Connection, pipeline: int, document_ids: Iterable[str]
) -> Mapping[str, Timeline[Version]]:
    """The versions of each registered document of a pipeline, over time."""
    found: defaultdict[str, list[Registered[Version]]] = defaultdict(list)
    for some in chunks(sorted(set(document_ids))):
        for row in connection.execute(_OF_DOCUMENTS, {"pipeline": pipeline, "ids": some}):
            found[row.document_id].append(_registered(row, _version(row)))
    return {document_id: timeline(those) for document_id, those in found.items()}


def of_chunks(
    connection: Connection, pipeline: int, chunk_ids: Iterable[str]
) -> Mapping[str, Timeline[ChunkPlace]]:
    """The places of each registered chunk of a pipeline, over time."""
    wanted = set(chunk_ids)
    found: defaultdict[str, list[Registered[ChunkPlace]]] = defaultdict(list)
    for some in chunks(sorted({chunk_digest(one) for one in wanted})):
        for row in connection.execute(_OF_CHUNKS, {"pipeline": pipeline, "digests": some}):
            place = ChunkPlace(_version(row), row.first, row.end)
            found[row.chunk_id].append(_registered(row, place))
    # Ids of one digest are told apart here.
    return {chunk_id: timeline(found[chunk_id]) for chunk_id in wanted & found.keys()}


def chunk_ids(connection: Connection, versions: Iterable[int]) -> set[str]:
    """The ids of all chunks of these versions."""
    return {
        chunk_id
        for some in chunks(sorted(versions))
        for chunk_id in connection.execute(_CHUNK_IDS, {"versions": some}).scalars()
    }


def _version(row: Any) -> Version:
    return Version(row.id, row.document_id, row.tokens_hash, row.registered_ns)


def _registered(row: Any, value: _Value) -> Registered[_Value]:
    return Registered(row.registered_ns, row.document_id, row.content_hash, value)
