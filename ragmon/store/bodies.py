"""The one table of the inbox, and a body as its row."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from zstandard import ZstdError

from ragmon.model.flow import Body, Entry, Offset
from ragmon.store.compression import compress, decompress

FORGOTTEN_AT_ONCE = 256  # deleting so many takes about 10 ms

METADATA = MetaData()

# `stored_bytes` stands before the content: summing it never reads a body's pages.
BODY = Table(
    "body",
    METADATA,
    Column("offset", Integer, primary_key=True),
    Column("received_ns", BigInteger, nullable=False),
    Column("span_count", Integer, nullable=False),
    Column("stored_bytes", Integer, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("encoding", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

INSERT = insert(BODY)

READ = (
    select(BODY)
    .where(BODY.c.offset >= bindparam("start"), BODY.c.offset < bindparam("stop"))
    .order_by(BODY.c.offset)
    .limit(bindparam("limit"))
)

SIZE = select(func.coalesce(func.sum(BODY.c.stored_bytes), 0)).where(
    BODY.c.offset <= bindparam("through")
)

DELETE = delete(BODY).where(BODY.c.offset <= bindparam("through"))

REPLACE = (
    update(BODY)
    .where(BODY.c.offset == bindparam("at"))
    .values(
        {
            name: bindparam(f"to_{name}")
            for name in ("span_count", "stored_bytes", "media_type", "encoding", "content")
        }
    )
)

TOTALS = select(
    func.coalesce(func.min(BODY.c.offset), 1),
    func.coalesce(func.max(BODY.c.offset) + 1, 1),
    func.coalesce(func.sum(BODY.c.stored_bytes), 0),
    func.coalesce(func.sum(BODY.c.span_count), 0),
)
"""Oldest offset, next offset, bytes, spans."""


def pack_body(offset: Offset, body: Body) -> dict[str, Any]:
    """A row: the content as it came if it came gzipped, else compressed here."""
    content = body.content if body.encoding else compress(body.content)
    return {
        "offset": offset,
        "received_ns": body.received_ns,
        "span_count": body.span_count,
        "stored_bytes": len(content),
        "media_type": body.media_type,
        "encoding": body.encoding,
        "content": content,
    }


def unpack_body(row: Any) -> Entry:
    """The entry of a row, not split yet.

    A row that was damaged on disk gives a body without media type, its bytes as stored:
    the reader counts it and goes on.
    """
    media_type, content = row.media_type, row.content
    try:
        content = content if row.encoding else decompress(content)
    except ZstdError:
        media_type = ""
    body = Body(row.received_ns, media_type, row.encoding, content, row.span_count)
    return Entry(row.offset, body, row.stored_bytes)
