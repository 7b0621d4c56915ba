"""The corpus at rest: what requests read of it, in whatever order things come."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, func, select

from ragmon.metrics.sources import sources_of
from ragmon.model.corpus import (
    NO_SOURCES,
    CorpusDocument,
    CorpusOutcome,
    Sources,
    TokenRange,
    Wanted,
    digests,
)
from ragmon.model.flow import Conflict, Settled, Touch
from ragmon.model.result import Cause, RequestKey, Result
from ragmon.store.schema import CORPUS_CHUNK, CORPUS_DOCUMENT, CORPUS_REGISTRATION, CORPUS_TOKENS
from ragmon.store.settings import StoreSettings
from ragmon.store.sqlite import SqliteStore
from ragmon.text.tokens import joined

Make = Callable[..., Result]
MakeSettled = Callable[..., Settled]
Put = Callable[..., None]

S = 10**9
EVENT_NS = 1_800_000_000 * S
KEY = RequestKey("t1", "r1")


def document(
    text: str = "a b c",
    *,
    document_id: str = "d",
    chunks: Sequence[str] = ("d-0",),
    at_ns: int = EVENT_NS,
    pipeline: str = "p",
) -> CorpusDocument:
    """A document whose chunks each hold one token, in order; those beyond it are not located."""
    words = text.split()
    places = [
        (one, TokenRange(document_id, at, at + 1) if at < len(words) else None)
        for at, one in enumerate(chunks)
    ]
    return CorpusDocument(pipeline, document_id, joined(words), tuple(places), at_ns)


def wanting(
    *chunk_ids: str, at_ns: int = EVENT_NS, documents: Sequence[str] = (), evidence: str = ""
) -> Wanted:
    runs = (joined(evidence.split()),) if evidence else ()
    return Wanted("p", at_ns, chunk_ids, tuple(documents), runs)


def read(store: SqliteStore, wanted: Wanted) -> Sources:
    sources, _ = store.sources({KEY: wanted})
    return sources.get(KEY, NO_SOURCES)


def keep(store: SqliteStore, put: Put, make: Make, wanted: Wanted, trace_id: str = "t1") -> None:
    """Keep the result of a request that reads this."""
    result = make(
        trace_id=trace_id,
        event_ns=wanted.event_ns,
        pipeline=wanted.pipeline,
        wanted=digests(wanted),
    )
    put(store, [result], now_ns=wanted.event_ns)


def touched(store: SqliteStore) -> list[str]:
    """Which traces are to be settled again; nothing is afterwards."""
    found = [touch.trace_id for touch in store.touched(100)]
    store.untouch(found)
    return found


# --- what is read -----------------------------------------------------------------------

NAMES = ("d", "e")
CHUNKS = ("x", "y", "z")
TIMES = st.integers(1, 6)
TEXTS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(" ".join)
DOCUMENTS = st.builds(
    document,
    TEXTS,
    document_id=st.sampled_from(NAMES),
    chunks=st.lists(st.sampled_from(CHUNKS), max_size=3, unique=True),
    at_ns=TIMES,
    pipeline=st.sampled_from("ppq"),
)
# Two versions of one document at one time: nothing says which is meant.
CORPORA = st.lists(
    DOCUMENTS, max_size=6, unique_by=lambda one: (one.document_id, one.registered_ns, one.pipeline)
)
WANTED = st.builds(
    Wanted,
    st.sampled_from("ppq"),
    TIMES,
    st.lists(st.sampled_from(CHUNKS), max_size=3, unique=True).map(tuple),
    st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple),
    st.lists(TEXTS.map(lambda text: joined(text.split())), max_size=2, unique=True).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(corpus=CORPORA, wanted=st.lists(WANTED, min_size=1, max_size=4), repeated=CORPORA)
def test_requests_read_what_the_reference_reads(
    corpus: list[CorpusDocument], wanted: list[Wanted], repeated: list[CorpusDocument]
) -> None:
    """By SQL as by the pure rule, however often a document is registered."""
    again = [one for one in corpus if one in repeated]
    by_key = {RequestKey("t", str(number)): one for number, one in enumerate(wanted)}
    with SqliteStore(None) as store:
        for one in (*corpus, *again):
            store.put_corpus([one])
            store.sources(by_key)  # what is remembered in between stays true
        found, _ = store.sources(by_key)
        assert {key: found.get(key, NO_SOURCES) for key in by_key} == {
            key: sources_of(corpus, one) for key, one in by_key.items()
        }


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(corpus=CORPORA, wanted=WANTED, before=st.integers(0, 6))
def test_a_registration_touches_every_request_that_reads_something_else(
    make_result: Make, put: Put, corpus: list[CorpusDocument], wanted: Wanted, before: int
) -> None:
    """Whatever was registered before the request came."""
    with SqliteStore(None) as store:
        store.put_corpus(corpus[:before])
        keep(store, put, make_result, wanted)
        for number in range(before, len(corpus)):
            old, new = (sources_of(corpus[:end], wanted) for end in (number, number + 1))
            receipt = store.put_corpus([corpus[number]])
            assert old == new or receipt.touched == 1
            assert len(touched(store)) == receipt.touched


# --- what is touched --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "reached"),
    [
        (wanting("d-0"), True),
        (wanting("e-0", "d-0"), True),
        (wanting("e-0"), False),
        (wanting(documents=["d"]), True),
        (wanting(documents=["e"]), False),
        (wanting(evidence="b c"), True),
        (wanting(), False),
    ],
)
def test_only_requests_that_read_the_document_are_touched(
    store: SqliteStore, make_result: Make, put: Put, wanted: Wanted, reached: bool
) -> None:
    """By a chunk that they retrieved, or by their gold evidence."""
    keep(store, put, make_result, wanted)
    assert store.put_corpus([document()]).touched == reached
    assert store.touched(9) == ([Touch("t1", Cause.CORPUS)] if reached else [])


def test_a_request_of_another_pipeline_is_not_touched(
    store: SqliteStore, make_result: Make, put: Put
) -> None:
    """Chunk ids belong to their pipeline."""
    keep(store, put, make_result, wanting("d-0"))
    assert store.put_corpus([document(pipeline="q")]).touched == 0


@pytest.mark.parametrize(("at_ns", "reached"), [(5, ["late"]), (1, ["early", "late"]), (9, [])])
def test_a_new_version_touches_those_that_it_holds_for(
    store: SqliteStore, make_result: Make, put: Put, at_ns: int, reached: list[str]
) -> None:
    """Requests before it keep the version that they had."""
    keep(store, put, make_result, wanting("d-0", at_ns=4), "early")
    keep(store, put, make_result, wanting("d-0", at_ns=6), "late")
    store.put_corpus([document(at_ns=2)])
    touched(store)
    versions = [document("b a", at_ns=at_ns)]
    if at_ns == 1:  # also for those before everything registered
        versions.append(document("b a", at_ns=3))
    assert store.put_corpus(versions).touched == len(reached)
    assert touched(store) == reached


def test_a_document_again_touches_nothing(store: SqliteStore, make_result: Make, put: Put) -> None:
    """At its time or later: every nightly ingestion registers the same."""
    keep(store, put, make_result, wanting("d-0"))
    outcomes = [
        store.put_corpus([document(at_ns=EVENT_NS + after)]) for after in (-9, -9, -9 + 86_400 * S)
    ]
    assert [(one.outcomes, one.touched) for one in outcomes] == [
        ((CorpusOutcome.ACCEPTED,), 1),
        ((CorpusOutcome.UNCHANGED,), 0),
        ((CorpusOutcome.UNCHANGED,), 0),
    ]


def test_a_request_that_is_gone_is_not_touched(tmp_path: Path, make_result: Make, put: Put) -> None:
    """Its texts are no more, so nothing can be computed anew."""
    with SqliteStore(tmp_path, StoreSettings(keep_s=10)) as store:
        keep(store, put, make_result, wanting("d-0"))
        store.expire(EVENT_NS + 11 * S)
        assert store.put_corpus([document()]).touched == 0


# --- commits ----------------------------------------------------------------------------


def test_a_corpus_that_moved_is_a_conflict(
    store: SqliteStore, make_result: Make, make_settled: MakeSettled
) -> None:
    """A document registered between reading and committing may not be missed."""
    _, read_at = store.sources({KEY: wanting("d-0")})
    store.put_corpus([document()])
    kept = store.load(["t1"])["t1"]
    settled = replace(make_settled(kept, make_result()), corpus_read=read_at)
    assert store.commit([settled], EVENT_NS) == ([], [Conflict("t1")])
    _, read_at = store.sources({KEY: wanting("d-0")})
    fresh, conflicts = store.commit([replace(settled, corpus_read=read_at)], EVENT_NS)
    assert (len(fresh), conflicts) == (1, [])


def test_a_commit_that_registers_is_no_conflict_with_itself(
    store: SqliteStore, make_result: Make, make_settled: MakeSettled
) -> None:
    """Requests of the same batch are settled again, since they read too early."""
    wanted = wanting("d-0")
    kept = store.load(["t1", "t2"])
    _, read_at = store.sources({KEY: wanted})
    asked = make_settled(kept["t1"], make_result(wanted=digests(wanted)))
    split = make_settled(kept["t2"])
    batch = [replace(asked, corpus_read=read_at), replace(split, corpus=(document(),))]
    _, conflicts = store.commit(batch, EVENT_NS)
    assert (conflicts, touched(store)) == ([], ["t1"])
    assert read(store, wanted) == sources_of([document()], wanted)


def test_what_a_trace_registers_is_replaced_with_it(
    store: SqliteStore, make_result: Make, make_settled: MakeSettled, put: Put
) -> None:
    """What half a trace said is withdrawn, unless somebody else says it too."""
    wanted = wanting("d-0", "e-0")
    keep(store, put, make_result, wanted, "asking")

    def settle(*documents: CorpusDocument) -> list[str]:
        settled = make_settled(store.load(["t2"])["t2"])
        assert store.commit([replace(settled, corpus=documents)], EVENT_NS)[1] == []
        return touched(store)

    half, other = document("a", at_ns=1), document(document_id="e", chunks=["e-0"])
    assert settle(half, other) == ["asking"]
    store.put_corpus([other])
    assert settle(document(at_ns=2)) == ["asking"]
    assert read(store, wanted) == sources_of([document(at_ns=2), other], wanted)
    assert settle(document(at_ns=2)) == []


def test_what_a_trace_registered_outlives_it(tmp_path: Path, make_settled: MakeSettled) -> None:
    """The row of a trace that is deleted may be given to another one."""
    with SqliteStore(tmp_path, StoreSettings(keep_s=10, retention_s=20)) as store:
        settled = make_settled(store.load(["t2"])["t2"])
        store.commit([replace(settled, corpus=(document(),))], EVENT_NS)
        store.expire(EVENT_NS + 120 * S)
        store.put_corpus([document()])
        other = make_settled(store.load(["t3"])["t3"])
        store.commit([other], EVENT_NS + 120 * S)
        assert read(store, wanting("d-0")) == sources_of([document()], wanting("d-0"))


# --- bounds -----------------------------------------------------------------------------


def test_tokens_are_bounded(tmp_path: Path) -> None:
    """What does not fit is refused; what is stored already needs no room."""
    with SqliteStore(tmp_path, StoreSettings(corpus_bytes=10)) as store:
        documents = [document(), document("x y z", document_id="e"), document("x", document_id="f")]
        receipt = store.put_corpus([*documents, documents[0]])
        assert receipt.outcomes == (
            CorpusOutcome.ACCEPTED,
            CorpusOutcome.REFUSED,
            CorpusOutcome.ACCEPTED,
            CorpusOutcome.UNCHANGED,
        )


def test_a_commit_without_room_stands(tmp_path: Path, make_settled: MakeSettled) -> None:
    """The results are right without the document, and the store says how many it refused."""
    with SqliteStore(tmp_path, StoreSettings(corpus_bytes=3)) as store:
        settled = make_settled(store.load(["t2"])["t2"])
        assert store.commit([replace(settled, corpus=(document(),))], EVENT_NS) == ([], [])
        assert store.corpus_refused == 1
        assert read(store, wanting("d-0")) == NO_SOURCES


def test_the_corpus_survives_a_restart(tmp_path: Path) -> None:
    """What was answered is durable."""
    with SqliteStore(tmp_path) as store:
        store.put_corpus([document()])
    with SqliteStore(tmp_path) as store:
        assert read(store, wanting("d-0")) == sources_of([document()], wanting("d-0"))


def test_what_nobody_reads_any_more_is_deleted(tmp_path: Path) -> None:
    """Superseded before retention began: in the document and in each of its chunks."""
    later = EVENT_NS + 1000 * S
    kept = [
        document("a b", chunks=["d-1"], at_ns=EVENT_NS + 2 * S),  # the newest of d-1
        document("a b c d", at_ns=EVENT_NS + 3 * S),
        document("b", at_ns=later),
    ]
    with SqliteStore(tmp_path, StoreSettings(keep_s=1, retention_s=500)) as store:
        store.put_corpus([document(), document(at_ns=EVENT_NS + S), *kept])
        store.expire(later)
        rows = [
            _count(store, table)
            for table in (CORPUS_REGISTRATION, CORPUS_DOCUMENT, CORPUS_TOKENS, CORPUS_CHUNK)
        ]
        assert rows == [3, 3, 3, 3]
        wanted = wanting("d-0", "d-1", at_ns=later - 1, evidence="a b")
        assert read(store, wanted) == sources_of(kept, wanted)


def _count(store: SqliteStore, table: Table) -> int:
    with store._database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
