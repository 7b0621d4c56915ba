"""Whether queries and the corpus rest as hashes, and the change to that.

It is said once and stays: what was hashed cannot be read again.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from sqlalchemy import Connection, bindparam, insert, literal, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from ragmon.errors import StoreError
from ragmon.model.corpus import CorpusDocument, TokenRange
from ragmon.model.flow import Settled, TraceState
from ragmon.model.gold import GoldLabel, MatchKey, TargetKind
from ragmon.model.result import Cause
from ragmon.store.corpus_content import content
from ragmon.store.labels import of_row
from ragmon.store.schema import (
    CORPUS_CHUNK,
    CORPUS_DOCUMENT,
    CORPUS_TOKENS,
    KEYING,
    LABEL,
    TOUCHED,
    TRACE,
)

_REKEY = (
    update(LABEL)
    .where(LABEL.c.id == bindparam("at"))
    .values(digest=bindparam("to_digest"), target=bindparam("to_target"), query=bindparam("words"))
)

_NEXT_DOCUMENT = (
    select(CORPUS_DOCUMENT.c.id, CORPUS_DOCUMENT.c.document_id, CORPUS_TOKENS.c.tokens)
    .join_from(CORPUS_DOCUMENT, CORPUS_TOKENS, CORPUS_TOKENS.c.document == CORPUS_DOCUMENT.c.id)
    .where(CORPUS_DOCUMENT.c.id > bindparam("after"))
    .order_by(CORPUS_DOCUMENT.c.id)
    .limit(1)
)

_ALL_SETTLED = (
    upsert(TOUCHED)
    .from_select(
        ["trace", "cause"],
        select(TRACE.c.id, literal(Cause.VERSION.value)).where(
            TRACE.c.state == TraceState.SETTLED.value
        ),
    )
    .on_conflict_do_nothing()
)


class Hasher(Protocol):
    """What makes hashes under one key."""

    @property
    def check(self) -> str:
        """Tells this key from every other one, and nothing about it."""
        ...

    def name(self, text: str) -> str:
        """What stands for a whole text."""
        ...

    def tokens(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The hash of each token, in order."""
        ...


def is_keyed(connection: Connection, hasher: Hasher | None) -> bool:
    """Whether what rests here is hashed.

    Raises:
        StoreError: it is, and the hasher is not the one that it was hashed with.
    """
    check = connection.execute(select(KEYING.c.key_check)).scalar()
    if check is None:
        return False
    if hasher is None:
        raise StoreError("the store keeps hashes and their key is missing; restore the key's file")
    if hasher.check != check:
        raise StoreError("the store was made with another key; give that one")
    return True


def key(connection: Connection, hasher: Hasher) -> None:
    """Hash what rests as plain words, and have every settled trace settled anew."""
    connection.execute(insert(KEYING).values(key_check=hasher.check))
    _key_labels(connection, hasher)
    _hash_corpus(connection, hasher)
    connection.execute(_ALL_SETTLED)


def keyed(key: MatchKey, hasher: Hasher | None) -> MatchKey:
    """A match key as it stands here: that of a query by its hash, where queries are hashed."""
    if hasher is None or key.kind is not TargetKind.QUERY:
        return key
    return MatchKey(TargetKind.QUERY, hasher.name(key.value))


def keyed_label(label: GoldLabel, hasher: Hasher) -> GoldLabel:
    """A label as it is matched here; its `query` keeps the words, to be shown."""
    if label.key.kind is not TargetKind.QUERY or label.query is not None:
        return label
    words = label.key.value
    return replace(label, key=MatchKey(TargetKind.QUERY, hasher.name(words)), query=words)


def hashed_document(document: CorpusDocument, hasher: Hasher) -> CorpusDocument:
    """A document with the hashes of its tokens in their place."""
    hashes = hasher.tokens(document.tokens.split(" ")[1:-1])
    return replace(document, tokens="".join((" ", *(f"{one} " for one in hashes))))


def hashed_settled(settled: Settled, hasher: Hasher) -> Settled:
    """A settled trace that registers its documents so."""
    return replace(
        settled, corpus=tuple(hashed_document(document, hasher) for document in settled.corpus)
    )


def _key_labels(connection: Connection, hasher: Hasher) -> None:
    on_queries = select(LABEL).where(LABEL.c.kind == TargetKind.QUERY.value)
    rows = [
        {
            "at": row.id,
            "to_digest": label.key.digest,
            "to_target": label.key.value,
            "words": label.query,
        }
        for row in connection.execute(on_queries)
        for label in (keyed_label(of_row(row), hasher),)
    ]
    if rows:
        connection.execute(_REKEY, rows)


def _hash_corpus(connection: Connection, hasher: Hasher) -> None:
    after = 0
    while row := connection.execute(_NEXT_DOCUMENT, {"after": after}).first():
        after = row.id
        _hash_document(connection, row, hasher)


def _hash_document(connection: Connection, row: Any, hasher: Hasher) -> None:
    listed = select(CORPUS_CHUNK).where(CORPUS_CHUNK.c.document == row.id)
    chunks = tuple(
        (one.chunk_id, None if one.first is None else TokenRange("", one.first, one.end))
        for one in connection.execute(listed)
    )
    plain = CorpusDocument("", row.document_id, row.tokens, chunks, 0)
    made = content(hashed_document(plain, hasher))
    connection.execute(
        update(CORPUS_DOCUMENT)
        .where(CORPUS_DOCUMENT.c.id == row.id)
        .values(content_hash=made.content_hash, tokens_hash=made.tokens_hash, bytes=made.bytes)
    )
    connection.execute(
        update(CORPUS_TOKENS)
        .where(CORPUS_TOKENS.c.document == row.id)
        .values(tokens=made.document.tokens)
    )
