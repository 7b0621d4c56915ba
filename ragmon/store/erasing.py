"""Facts that are erased on demand: a trace becomes gone at once, and what reaches it goes."""

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection, Delete, Select, and_, bindparam, delete, func, or_, select

from ragmon.model.erasure import DocumentTarget, ErasedFacts
from ragmon.model.flow import TraceState
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.store import corpus, corpus_expiry, feedback, retention, traces
from ragmon.store.chunks import chunks
from ragmon.store.database import Database
from ragmon.store.interned import Interned
from ragmon.store.keying import Hasher, keyed
from ragmon.store.schema import FEEDBACK, KEPT, LABEL, MATCH_KEY, TRACE

_REACHED = (
    select(TRACE.c.trace_id)
    .join_from(MATCH_KEY, TRACE, TRACE.c.id == MATCH_KEY.c.trace)
    .where(MATCH_KEY.c.digest == bindparam("digest"))
)
_WITH_CONTENT = select(KEPT.c.trace).where(KEPT.c.trace.in_(bindparam("traces", expanding=True)))
_NAMES = select(TRACE.c.trace_id).where(TRACE.c.id.in_(bindparam("traces", expanding=True)))
_OTHER, _OTHER_KEY = TRACE.alias("other"), MATCH_KEY.alias("other_key")
_REACHES_OTHERS = (
    select(_OTHER.c.id)
    .join_from(_OTHER_KEY, _OTHER, _OTHER.c.id == _OTHER_KEY.c.trace)
    .where(
        _OTHER_KEY.c.digest == LABEL.c.digest,
        _OTHER.c.state != TraceState.GONE.value,
    )
    .exists()
)
_LABELS_UNDER = delete(LABEL).where(
    LABEL.c.digest == bindparam("of_digest"),
    LABEL.c.kind == bindparam("of_kind"),
    LABEL.c.target == bindparam("of_target"),
    ~_REACHES_OTHERS,
)
_FEEDBACK_UNDER = delete(FEEDBACK).where(FEEDBACK.c.digest == bindparam("of_digest"))


class SqliteErasure:
    """An `ErasureStore` in the store's file. hasher: by which queries are known, if they are."""

    def __init__(self, database: Database, interned: Interned, hasher: Hasher | None) -> None:
        self._database = database
        self._interned = interned
        self._hasher = hasher

    def traces(self, key: MatchKey) -> tuple[str, ...]:
        """The stored traces with a request that a match key reaches."""
        digest = keyed(key, self._hasher).digest
        with self._database.read() as connection:
            return tuple(connection.execute(_REACHED, {"digest": digest}).scalars())

    def erase(
        self, trace_ids: Collection[str], keys: Collection[MatchKey], now_ns: int
    ) -> ErasedFacts:
        """Make these traces gone, stored or not, with the labels and feedback that reach them."""
        stored_keys = [keyed(key, self._hasher) for key in keys]
        with self._database.write() as connection:
            return _erase(connection, self._interned, trace_ids, stored_keys, now_ns)

    def erase_document(self, target: DocumentTarget) -> tuple[ErasedFacts, tuple[str, ...]]:
        """Withdraw every registration of a document; requests that read it are touched.

        Traces that registered it hold its text and are gone; what else they registered stays.
        """
        place = (target.document_id, target.pipeline)
        with self._database.write() as connection:
            documents, rows = corpus.withdraw(connection, self._interned, *place)
            corpus_expiry.let_go(connection, rows)
            kept = _take_content(connection, rows)
            named = [
                connection.execute(_NAMES, {"traces": some}).scalars() for some in chunks(rows)
            ]
            trace_ids = tuple(one for some in named for one in some)
        return ErasedFacts(kept, documents=documents), trace_ids

    def scrub(self) -> None:
        """Leave no byte in the files of what was deleted."""
        self._database.scrub()


def _erase(
    connection: Connection,
    interned: Interned,
    trace_ids: Collection[str],
    keys: Collection[MatchKey],
    now_ns: int,
) -> ErasedFacts:
    said = feedback.forget(connection, trace_ids)
    rows = [trace.id for trace in traces.stored(connection, trace_ids).values()]
    corpus.replace(connection, interned, dict.fromkeys(rows, ()), 0)
    kept = _take_content(connection, rows)
    _mark_gone(connection, trace_ids, now_ns)
    labels = sum(_delete_labels(connection, some) for some in chunks(trace_ids))
    labels += sum(connection.execute(_of_requests(some)).rowcount for some in chunks(rows))
    labels += sum(connection.execute(_LABELS_UNDER, _place(key)).rowcount for key in keys)
    said += sum(connection.execute(_FEEDBACK_UNDER, _place(key)).rowcount for key in keys)
    standing = sum(connection.execute(_standing(some)).scalar_one() for some in chunks(rows))
    return ErasedFacts(kept, labels, said, standing_labels=standing)


def _take_content(connection: Connection, rows: Sequence[int]) -> int:
    """Make these traces gone, by row; how many were not."""
    kept = 0
    for some in chunks(rows):
        with_content = connection.execute(_WITH_CONTENT, {"traces": some}).scalars().all()
        if with_content:
            retention.take_content(connection, with_content)
        kept += len(with_content)
    return kept


def _mark_gone(connection: Connection, trace_ids: Iterable[str], now_ns: int) -> None:
    """Traces that are not stored get a row that keeps whatever comes of them out."""
    known = traces.stored(connection, trace_ids)
    first = traces.next_id(connection)
    new = [trace_id for trace_id in sorted(trace_ids) if trace_id not in known]
    gone = {"revision": 1, "state": TraceState.GONE.value, "first_ns": now_ns, "event_ns": now_ns}
    traces.add(
        connection,
        [{"id": first + place, "trace_id": one, **gone} for place, one in enumerate(new)],
    )


def _delete_labels(connection: Connection, trace_ids: Sequence[str]) -> int:
    """Labels on these traces and on their spans."""
    digests = [MatchKey(TargetKind.TRACE, trace_id).digest for trace_id in trace_ids]
    whole = and_(LABEL.c.kind == TargetKind.TRACE.value, LABEL.c.digest.in_(digests))
    of_spans = and_(
        LABEL.c.kind == TargetKind.SPAN.value, func.substr(LABEL.c.target, 1, 32).in_(trace_ids)
    )
    return connection.execute(delete(LABEL).where(or_(whole, of_spans))).rowcount


def _of_requests(rows: Sequence[int]) -> Delete:
    """Labels on request ids that no trace but these has."""
    digests = select(MATCH_KEY.c.digest).where(MATCH_KEY.c.trace.in_(rows))
    of_ids = LABEL.c.kind == TargetKind.REQUEST_ID.value
    return delete(LABEL).where(of_ids, LABEL.c.digest.in_(digests), ~_REACHES_OTHERS)


def _standing(rows: Sequence[int]) -> Select[int]:
    digests = select(MATCH_KEY.c.digest).where(MATCH_KEY.c.trace.in_(rows))
    of_queries = LABEL.c.kind == TargetKind.QUERY.value
    return select(func.count()).where(of_queries, LABEL.c.digest.in_(digests))


def _place(key: MatchKey) -> dict[str, object]:
    return {"of_digest": key.digest, "of_kind": key.kind.value, "of_target": key.value}
