"""Documents of the corpus on their way to the database: their hashes and their rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, delete, func, insert, select

from ragmon.model.corpus import CorpusDocument, TokenRange, chunk_digest
from ragmon.store.chunks import chunks
from ragmon.store.schema import (
    CORPUS_CHUNK,
    CORPUS_DOCUMENT,
    CORPUS_REGISTRATION,
    CORPUS_TOKENS,
)

_BYTES = select(func.coalesce(func.sum(CORPUS_DOCUMENT.c.bytes), 0))

_STORED = select(
    CORPUS_DOCUMENT.c.id, CORPUS_DOCUMENT.c.document_id, CORPUS_DOCUMENT.c.content_hash
).where(
    CORPUS_DOCUMENT.c.pipeline == bindparam("pipeline"),
    CORPUS_DOCUMENT.c.document_id.in_(bindparam("ids", expanding=True)),
)

_UNREGISTERED = select(CORPUS_DOCUMENT.c.id).where(
    CORPUS_DOCUMENT.c.id.in_(bindparam("versions", expanding=True)),
    ~select(CORPUS_REGISTRATION.c.document)
    .where(CORPUS_REGISTRATION.c.document == CORPUS_DOCUMENT.c.id)
    .exists(),
)


@dataclass(frozen=True, slots=True)
class Content:
    """A document with its hashes. chunks: each id once, at its first range."""

    document: CorpusDocument
    chunks: Mapping[str, TokenRange | None]
    tokens_hash: str
    content_hash: str
    bytes: int

    @property
    def name(self) -> tuple[str, str]:
        """What tells it from every other version in its pipeline."""
        return self.document.document_id, self.content_hash


def content(document: CorpusDocument) -> Content:
    """Hash a document; the order of its chunks makes no difference."""
    places: dict[str, TokenRange | None] = {}
    for chunk_id, place in document.chunks:
        places.setdefault(chunk_id, place)
    encoded = document.tokens.encode()
    tokens_hash = sha256(encoded).hexdigest()
    listed = [[one, *(place[1:] if place else ())] for one, place in sorted(places.items())]
    content_hash = sha256(orjson.dumps([tokens_hash, listed])).hexdigest()
    return Content(document, places, tokens_hash, content_hash, len(encoded))


def total_bytes(connection: Connection) -> int:
    """Bytes of the tokens of every version."""
    return int(connection.execute(_BYTES).scalar_one())


def stored(
    connection: Connection, pipeline: int, contents: Sequence[Content]
) -> dict[tuple[str, str], int]:
    """The row of every stored version of these documents, by name."""
    ids = sorted({one.document.document_id for one in contents})
    return {
        (row.document_id, row.content_hash): row.id
        for some in chunks(ids)
        for row in connection.execute(_STORED, {"pipeline": pipeline, "ids": some})
    }


def add(connection: Connection, pipeline: int, one: Content) -> int:
    """Store a new version; its row."""
    made = connection.execute(
        insert(CORPUS_DOCUMENT).values(
            pipeline=pipeline,
            document_id=one.document.document_id,
            content_hash=one.content_hash,
            tokens_hash=one.tokens_hash,
            bytes=one.bytes,
        )
    )
    number = int(made.inserted_primary_key[0])  # type: ignore[index]
    connection.execute(insert(CORPUS_TOKENS).values(document=number, tokens=one.document.tokens))
    if one.chunks:
        rows = [_chunk_row(number, *chunk) for chunk in one.chunks.items()]
        connection.execute(insert(CORPUS_CHUNK), rows)
    return number


def _chunk_row(document: int, chunk_id: str, place: TokenRange | None) -> dict[str, Any]:
    first, end = place[1:] if place else (None, None)
    return {
        "digest": chunk_digest(chunk_id),
        "document": document,
        "chunk_id": chunk_id,
        "first": first,
        "end": end,
    }


def remove_unregistered(connection: Connection, versions: Sequence[int]) -> None:
    """Delete those of these versions that nothing registers any more."""
    for some in chunks(versions):
        gone = connection.execute(_UNREGISTERED, {"versions": some}).scalars().all()
        connection.execute(delete(CORPUS_CHUNK).where(CORPUS_CHUNK.c.document.in_(gone)))
        connection.execute(delete(CORPUS_TOKENS).where(CORPUS_TOKENS.c.document.in_(gone)))
        connection.execute(delete(CORPUS_DOCUMENT).where(CORPUS_DOCUMENT.c.id.in_(gone)))
