"""The corpus at rest: documents are registered, and the requests that this changes touched."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from ragmon.model.corpus import CorpusDocument, CorpusOutcome, CorpusReceipt
from ragmon.model.result import Cause
from ragmon.store import corpus_content, corpus_readers, corpus_versions, touched
from ragmon.store.chunks import chunks
from ragmon.store.corpus_changes import changes, readable
from ragmon.store.corpus_content import Content
from ragmon.store.corpus_timeline import Timeline
from ragmon.store.corpus_versions import Version
from ragmon.store.interned import Interned
from ragmon.store.schema import (
    CORPUS_DOCUMENT,
    CORPUS_REGISTRATION,
    CORPUS_REVISION,
    PIPELINE,
)

POSTED = 0
"""Stands for the trace of documents that no trace registered."""

_NOTHING: Timeline[Version] = Timeline()


class Registration(NamedTuple):
    """A version of a document (by row) at a time, and the trace that says so (by row)."""

    document: int
    registered_ns: int
    trace: int


class _Placed(NamedTuple):
    """A registration with what it registers."""

    pipeline: int
    document_id: str
    registration: Registration


_REVISIONS = select(PIPELINE.c.name, CORPUS_REVISION.c.pipeline, CORPUS_REVISION.c.revision).join(
    PIPELINE, PIPELINE.c.id == CORPUS_REVISION.c.pipeline
)

_MOVE_REVISION = (
    upsert(CORPUS_REVISION)
    .values(pipeline=bindparam("of_pipeline"), revision=1)
    .on_conflict_do_update(
        index_elements=[CORPUS_REVISION.c.pipeline],
        set_={"revision": CORPUS_REVISION.c.revision + 1},
    )
)

_BY_TRACES = (
    select(
        CORPUS_DOCUMENT.c.pipeline,
        CORPUS_DOCUMENT.c.document_id,
        CORPUS_REGISTRATION.c.document,
        CORPUS_REGISTRATION.c.registered_ns,
        CORPUS_REGISTRATION.c.trace,
    )
    .join_from(
        CORPUS_REGISTRATION,
        CORPUS_DOCUMENT,
        CORPUS_DOCUMENT.c.id == CORPUS_REGISTRATION.c.document,
    )
    .where(CORPUS_REGISTRATION.c.trace.in_(bindparam("traces", expanding=True)))
)

_OF_DOCUMENT = (
    select(
        PIPELINE.c.name,
        CORPUS_DOCUMENT.c.pipeline,
        CORPUS_DOCUMENT.c.document_id,
        CORPUS_REGISTRATION.c.document,
        CORPUS_REGISTRATION.c.registered_ns,
        CORPUS_REGISTRATION.c.trace,
    )
    .join_from(
        CORPUS_REGISTRATION,
        CORPUS_DOCUMENT,
        CORPUS_DOCUMENT.c.id == CORPUS_REGISTRATION.c.document,
    )
    .join(PIPELINE, PIPELINE.c.id == CORPUS_DOCUMENT.c.pipeline)
    .where(CORPUS_DOCUMENT.c.document_id == bindparam("document_id"))
)

_STANDING = select(CORPUS_REGISTRATION).where(
    CORPUS_REGISTRATION.c.document.in_(bindparam("documents", expanding=True))
)

WITHDRAW = delete(CORPUS_REGISTRATION).where(
    CORPUS_REGISTRATION.c.document == bindparam("of_document"),
    CORPUS_REGISTRATION.c.registered_ns == bindparam("at_ns"),
    CORPUS_REGISTRATION.c.trace == bindparam("of_trace"),
)


class Revision(NamedTuple):
    """The number of a pipeline, and how often its corpus changed."""

    pipeline: int
    revision: int


def revisions(connection: Connection) -> dict[str, Revision]:
    """The pipelines that have a corpus, by name."""
    found = connection.execute(_REVISIONS)
    return {name: Revision(pipeline, revision) for name, pipeline, revision in found}


def put(
    connection: Connection,
    interned: Interned,
    documents: Sequence[CorpusDocument],
    limit_bytes: int,
) -> CorpusReceipt:
    """Register posted documents, and touch the traces that read something else now."""
    given = [(POSTED, document) for document in documents]
    return _register(connection, interned, given, (), limit_bytes)


def replace(
    connection: Connection,
    interned: Interned,
    of_traces: Mapping[int, Sequence[CorpusDocument]],
    limit_bytes: int,
) -> int:
    """Register exactly these documents for each trace, by its row; how many were refused.

    What a trace registered before and does no longer is withdrawn.
    """
    before = [
        _Placed(row.pipeline, row.document_id, Registration(*row[2:]))
        for some in chunks(of_traces)
        for row in connection.execute(_BY_TRACES, {"traces": some})
    ]
    given = [(trace, one) for trace, documents in of_traces.items() for one in documents]
    if not given and not before:
        return 0
    receipt = _register(connection, interned, given, before, limit_bytes)
    return receipt.outcomes.count(CorpusOutcome.REFUSED)


def withdraw(
    connection: Connection, interned: Interned, document_id: str, pipeline: str | None
) -> tuple[int, list[int]]:
    """Withdraw a document, in one pipeline or all, and touch who read it.

    Returns how many versions went, and the rows of traces that registered them.
    """
    found = connection.execute(_OF_DOCUMENT, {"document_id": document_id})
    of_pipelines = (row for row in found if pipeline in (None, row.name))
    before = [_Placed(*row[1:3], Registration(*row[3:])) for row in of_pipelines]
    if before:
        _register(connection, interned, (), before, 0)
    versions, traces = ({one.registration[place] for one in before} for place in (0, 2))
    return len(versions), sorted(traces - {POSTED})


@dataclass(slots=True)
class _Writing:
    """The change of one pipeline's corpus. outcomes: place in the order given -> outcome."""

    connection: Connection
    pipeline: int
    given: list[tuple[int, int, Content]] = field(default_factory=list)  # place, trace, content
    before: list[_Placed] = field(default_factory=list)
    outcomes: dict[int, CorpusOutcome] = field(default_factory=dict)
    wanted: dict[Registration, list[int]] = field(default_factory=dict)  # places
    document_ids: dict[int, str] = field(default_factory=dict)


def _register(
    connection: Connection,
    interned: Interned,
    given: Sequence[tuple[int, CorpusDocument]],
    before: Iterable[_Placed],
    limit_bytes: int,
) -> CorpusReceipt:
    writings: dict[int, _Writing] = {}
    for place, (trace, document) in enumerate(given):
        number = interned.pipeline_id(connection, document.pipeline)
        writing = writings.setdefault(number, _Writing(connection, number))
        writing.given.append((place, trace, corpus_content.content(document)))
    for placed in before:
        writings.setdefault(placed.pipeline, _Writing(connection, placed.pipeline)).before.append(
            placed
        )
    outcomes: dict[int, CorpusOutcome] = {}
    reached: set[int] = set()
    for writing in writings.values():
        _add_versions(writing, limit_bytes)
        reached |= _move_registrations(writing)
        outcomes.update(writing.outcomes)
    touched.touch(connection, reached, Cause.CORPUS)
    return CorpusReceipt(tuple(outcomes[place] for place in range(len(given))), len(reached))


def _add_versions(writing: _Writing, limit_bytes: int) -> None:
    """Store what is not stored yet, as far as it fits."""
    contents = [one for _, _, one in writing.given]
    stored = corpus_content.stored(writing.connection, writing.pipeline, contents)
    room = None
    for place, trace, one in writing.given:
        if one.name not in stored:
            if room is None:
                room = limit_bytes - corpus_content.total_bytes(writing.connection)
            if one.bytes > room:
                writing.outcomes[place] = CorpusOutcome.REFUSED
                continue
            room -= one.bytes
            stored[one.name] = corpus_content.add(writing.connection, writing.pipeline, one)
        number = stored[one.name]
        writing.document_ids[number] = one.document.document_id
        registration = Registration(number, one.document.registered_ns, trace)
        writing.wanted.setdefault(registration, []).append(place)


def _move_registrations(writing: _Writing) -> set[int]:
    """Write what changed; the traces, by row id, that read something else now."""
    standing = _standing(writing)
    new = [one for one in writing.wanted if one not in standing]
    gone = [one for one in writing.before if one.registration not in writing.wanted]
    changed_ids = {writing.document_ids[one.document] for one in new}
    changed_ids |= {one.document_id for one in gone}
    before = corpus_versions.of_documents(writing.connection, writing.pipeline, changed_ids)
    _tell(writing, standing, before)
    if not changed_ids:
        return set()
    reached = _write_and_reach(writing, new, gone, changed_ids)
    corpus_content.remove_unregistered(
        writing.connection, [one.registration.document for one in gone]
    )
    return reached


def _write_and_reach(
    writing: _Writing,
    new: Sequence[Registration],
    gone: Sequence[_Placed],
    document_ids: set[str],
) -> set[int]:
    connection, pipeline = writing.connection, writing.pipeline
    if not corpus_readers.has_any(connection, pipeline):
        _write(writing, new, gone)
        return set()
    versions = {one.document for one in (*new, *(placed.registration for placed in gone))}
    chunk_ids = corpus_versions.chunk_ids(connection, versions)
    before = readable(connection, pipeline, document_ids, chunk_ids)
    _write(writing, new, gone)
    after = readable(connection, pipeline, document_ids, chunk_ids)
    return corpus_readers.reached(connection, pipeline, changes(before, after))


def _standing(writing: _Writing) -> set[Registration]:
    documents = sorted({one.document for one in writing.wanted})
    return {
        Registration(*row)
        for some in chunks(documents)
        for row in writing.connection.execute(_STANDING, {"documents": some})
    }


def _tell(
    writing: _Writing, standing: set[Registration], before: Mapping[str, Timeline[Version]]
) -> None:
    """Say of each document whether it is news: it is none where it stood at its time."""
    said = {one[:2] for one in standing}
    for registration, places in writing.wanted.items():
        document, registered_ns, _ = registration
        versions = before.get(writing.document_ids[document], _NOTHING)
        stood = versions.at(registered_ns) if versions.had_by(registered_ns) else None
        known = registration[:2] in said or (stood is not None and stood.id == document)
        first, *again = places
        writing.outcomes[first] = CorpusOutcome.UNCHANGED if known else CorpusOutcome.ACCEPTED
        writing.outcomes.update(dict.fromkeys(again, CorpusOutcome.UNCHANGED))
        said.add(registration[:2])


def _write(writing: _Writing, new: Sequence[Registration], gone: Sequence[_Placed]) -> None:
    connection = writing.connection
    if new:
        connection.execute(insert(CORPUS_REGISTRATION), [one._asdict() for one in new])
    if gone:
        rows = [
            {"of_document": document, "at_ns": registered_ns, "of_trace": trace}
            for _, _, (document, registered_ns, trace) in gone
        ]
        connection.execute(WITHDRAW, rows)
    connection.execute(_MOVE_REVISION, {"of_pipeline": writing.pipeline})
