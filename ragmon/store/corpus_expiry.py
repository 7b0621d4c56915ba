"""What of the corpus no request can read any more."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, exists, func, select, update

from ragmon.store import corpus_content
from ragmon.store.chunks import chunks
from ragmon.store.corpus import POSTED, WITHDRAW
from ragmon.store.schema import CORPUS_CHUNK, CORPUS_DOCUMENT, CORPUS_REGISTRATION

_HERE, _THERE = CORPUS_DOCUMENT.alias("here"), CORPUS_DOCUMENT.alias("there")
_NEWER = CORPUS_REGISTRATION.alias("newer")
_SAME_CHUNK = CORPUS_CHUNK.alias("same_chunk")

_DOCUMENT_AGAIN = exists().where(
    _THERE.c.pipeline == CORPUS_DOCUMENT.c.pipeline,
    _THERE.c.document_id == CORPUS_DOCUMENT.c.document_id,
    _NEWER.c.document == _THERE.c.id,
    _NEWER.c.registered_ns > CORPUS_REGISTRATION.c.registered_ns,
    _NEWER.c.registered_ns <= bindparam("before_ns"),
)

_NEWEST_OF_THE_CHUNK = (
    select(func.max(_NEWER.c.registered_ns))
    .where(
        _SAME_CHUNK.c.digest == CORPUS_CHUNK.c.digest,
        _SAME_CHUNK.c.chunk_id == CORPUS_CHUNK.c.chunk_id,
        _THERE.c.id == _SAME_CHUNK.c.document,
        _THERE.c.pipeline == _HERE.c.pipeline,
        _NEWER.c.document == _THERE.c.id,
        _NEWER.c.registered_ns <= bindparam("before_ns"),
    )
    .correlate(CORPUS_CHUNK, _HERE)
    .scalar_subquery()
)

_IS_NEWEST_OF_A_CHUNK = exists().where(
    CORPUS_CHUNK.c.document == CORPUS_REGISTRATION.c.document,
    _HERE.c.id == CORPUS_CHUNK.c.document,
    CORPUS_REGISTRATION.c.registered_ns >= _NEWEST_OF_THE_CHUNK,
)

_SUPERSEDED = (
    select(
        CORPUS_REGISTRATION.c.document,
        CORPUS_REGISTRATION.c.registered_ns,
        CORPUS_REGISTRATION.c.trace,
    )
    .join_from(
        CORPUS_REGISTRATION,
        CORPUS_DOCUMENT,
        CORPUS_DOCUMENT.c.id == CORPUS_REGISTRATION.c.document,
    )
    .where(
        CORPUS_REGISTRATION.c.registered_ns < bindparam("before_ns"),
        _DOCUMENT_AGAIN,
        ~_IS_NEWEST_OF_A_CHUNK,
    )
)

_DISOWN = (
    update(CORPUS_REGISTRATION)
    .prefix_with("OR REPLACE")
    .where(CORPUS_REGISTRATION.c.trace.in_(bindparam("traces", expanding=True)))
    .values(trace=POSTED)
)


class Superseded(NamedTuple):
    """A registration that a newer one replaced for everybody."""

    of_document: int
    at_ns: int
    of_trace: int


def let_go(connection: Connection, traces: Iterable[int]) -> None:
    """What these traces registered stays, though they are no more."""
    for some in chunks(traces):
        connection.execute(_DISOWN, {"traces": some})


def superseded(connection: Connection, before_ns: int) -> list[Superseded]:
    """Registrations that no request after a time can read.

    The document, and each of its chunks, was registered again by then.
    """
    found = connection.execute(_SUPERSEDED, {"before_ns": before_ns})
    return [Superseded(*row) for row in found]


def remove(connection: Connection, registrations: list[Superseded]) -> None:
    """Delete registrations, and the versions that nothing registers any more."""
    connection.execute(WITHDRAW, [one._asdict() for one in registrations])
    corpus_content.remove_unregistered(connection, [one.of_document for one in registrations])
