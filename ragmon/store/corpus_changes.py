"""What a write to the corpus changed, for requests of which time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from ragmon.model.corpus import ANY_EVIDENCE, chunk_digest, document_digest
from ragmon.store import corpus_versions
from ragmon.store.corpus_timeline import Change, Timeline

_NOTHING: Timeline[Any] = Timeline()


@dataclass(frozen=True, slots=True)
class Readable:
    """What requests can read of some documents and chunks, by id."""

    documents: Mapping[str, Timeline[Any]]
    chunks: Mapping[str, Timeline[Any]]


def readable(
    connection: Connection, pipeline: int, document_ids: Iterable[str], chunk_ids: Iterable[str]
) -> Readable:
    """What can be read of these at the moment.

    The time of a chunk's registration tells which version of its document a request reads.
    """
    documents = corpus_versions.of_documents(connection, pipeline, document_ids)
    places = corpus_versions.of_chunks(connection, pipeline, chunk_ids)
    return Readable(
        {one: time.seen(lambda version: version.tokens_hash) for one, time in documents.items()},
        {one: time.seen(lambda at: (*at.version[1:], *at[1:])) for one, time in places.items()},
    )


def changes(before: Readable, after: Readable) -> dict[int, list[Change[Any]]]:
    """Digest -> what changed of the chunk or document that it stands for."""
    found: defaultdict[int, list[Change[Any]]] = defaultdict(list)
    for chunk_id, change in _changed(before.chunks, after.chunks):
        found[chunk_digest(chunk_id)].append(change)
    for document_id, change in _changed(before.documents, after.documents):
        found[document_digest(document_id)].append(change)
        found[ANY_EVIDENCE].append(change)
    return found


def _changed(
    before: Mapping[str, Timeline[Any]], after: Mapping[str, Timeline[Any]]
) -> Iterable[tuple[str, Change[Any]]]:
    for name in before.keys() | after.keys():
        change = Change(before.get(name, _NOTHING), after.get(name, _NOTHING))
        if change.since_ns is not None:
            yield name, change
