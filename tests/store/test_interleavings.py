"""Whatever order facts come in, and whatever crashes: equal stores, nothing observed twice.

Pieces of traces, labels and documents are sent, time passes, the real loop is restarted and
crashes at named points. In the end the store must equal the one that all facts settled at once
give (rules.md 1), and no observation of a request may have been made twice.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from sqlalchemy import Connection, event

from ragmon.app.ledger import Ledger
from ragmon.app.processor import Processor, ProcessorSettings
from ragmon.assemble import Assembler, AssemblySettings
from ragmon.ingest.split import split
from ragmon.labels import parse_label
from ragmon.metrics.registry import build
from ragmon.model.corpus import CorpusDocument, CorpusReceipt, Sources, TokenRange, Wanted
from ragmon.model.flow import (
    Body,
    Conflict,
    Draft,
    Dropped,
    Kept,
    Known,
    LabelReceipt,
    Offset,
    Release,
    Settled,
)
from ragmon.model.gold import GoldLabel, MatchKey
from ragmon.model.measurement import NotMeasured
from ragmon.model.result import Cause, Fresh, Observation, RequestKey, Result
from ragmon.settle import TraceLimits, draft, record_keys, settle, wanted
from ragmon.store.aside import NoAside
from ragmon.store.inbox import SqliteInbox
from ragmon.store.observations import ScoreName, score_name
from ragmon.store.protocol import Store
from ragmon.store.sqlite import SqliteStore
from ragmon.text.tokens import joined

S = 10**9
START_NS = 1_800_000_000 * S
PROTOBUF = "application/x-protobuf"
REGISTRY = build()
TRACES = {name: name * 32 for name in "abcd"}

# --- the facts --------------------------------------------------------------------------


def attribute(key: str, value: Any) -> KeyValue:
    return KeyValue(key=key, value=any_value(value))


def any_value(value: Any) -> AnyValue:
    if isinstance(value, list):
        return AnyValue(array_value=ArrayValue(values=[any_value(one) for one in value]))
    kind = {str: "string_value", int: "int_value", float: "double_value"}[type(value)]
    return AnyValue(**{kind: value})


def span(
    trace: str, number: int, parent: int | None, start_s: float, end_s: float, **values: Any
) -> Span:
    """A ragmon span; the names of `values` have `__` for a dot."""
    return Span(
        trace_id=bytes.fromhex(TRACES[trace]),
        span_id=number.to_bytes(8, "big"),
        parent_span_id=b"" if parent is None else parent.to_bytes(8, "big"),
        name=f"span {number}",
        start_time_unix_nano=START_NS + int(start_s * S),
        end_time_unix_nano=START_NS + int(end_s * S),
        attributes=[attribute(key.replace("__", "."), value) for key, value in values.items()],
    )


def request(trace: str, number: int, end_s: float, **values: Any) -> Span:
    return span(trace, number, None, 0, end_s, ragmon__stage="request", **values)


def retrieval(trace: str, number: int, parent: int, end_s: float, ids: list[str]) -> Span:
    return span(
        trace,
        number,
        parent,
        0.1,
        end_s,
        ragmon__stage="retrieval",
        ragmon__documents__id=ids,
        ragmon__documents__text=[f"text of {one} in 1999" for one in ids],
    )


def generation(trace: str, number: int, parent: int, end_s: float, model: str, tokens: int) -> Span:
    return span(
        trace,
        number,
        parent,
        0.5,
        end_s,
        ragmon__stage="generation",
        gen_ai__request__model=model,
        gen_ai__usage__input_tokens=tokens,
        ragmon__answer="text of 1999",
    )


def split_into(trace: str, number: int, end_s: float, **chunks: str) -> Span:
    """A chunking run over a document of these chunks."""
    return span(
        trace,
        number,
        None,
        0,
        end_s,
        ragmon__stage="chunking",
        ragmon__source__id="doc",
        ragmon__source__text=" ".join(chunks.values()),
        ragmon__documents__id=[*chunks],
        ragmon__documents__text=[*chunks.values()],
    )


ASKED = {"ragmon__query": "What is it?", "ragmon__request_id": "order-7"}

# Trace a: a request whose second model and longer retrieval come late. Trace b: parts that
# may stand alone before their root comes. Trace c: an orphan that is a request of its own
# until the request span comes whose interval contains it, and until a second such one comes.
# Trace d: splits a document, of which less was known at first.
SPANS: Mapping[str, Span] = {
    "a request": request("a", 1, 2, **ASKED),
    "a retrieval": retrieval("a", 2, 1, 0.4, ["d1", "d2"]),
    "a retrieval, longer": retrieval("a", 2, 1, 0.45, ["d2", "d3"]),
    "a generation": generation("a", 3, 1, 1, "small", 10),
    "a second model": generation("a", 4, 1, 1.5, "large", 99),
    "b request": request("b", 1, 3, ragmon__query="what is  IT"),
    "b retrieval": retrieval("b", 2, 1, 0.4, ["d1"]),
    "b generation": generation("b", 3, 1, 2, "small", 5),
    "c request": request("c", 1, 9, **ASKED),
    "c other request": request("c", 5, 8, ragmon__query="something else"),
    "c orphan": retrieval("c", 3, 2, 0.4, ["d9"]),
    "c orphan's call": generation("c", 4, 3, 1, "small", 5),
    "d split": split_into("d", 1, 1, d1="text of"),
    "d split, longer": split_into("d", 1, 2.5, d1="text of d1", d2="text of d2 in 1999"),
}


def label(labelled_s: int, **posted: Any) -> tuple[GoldLabel, ...]:
    return parse_label({"labelled_at": START_NS // S + labelled_s, **posted}, 0)


LABELS: Sequence[tuple[GoldLabel, ...]] = (
    label(5, trace_id=TRACES["a"], relevant_ids=["d1"], reference_answers=["text of 1999"]),
    label(6, trace_id=TRACES["a"], relevant_ids=["d2"], revision=1),
    label(7, request_id="order-7", relevant_ids=["d3", "d9"]),
    label(8, request_id="order-7", relevant_ids=["d1"], annotator="second"),
    label(9, query="what is it", relevant_ids={"d1": 2.0}, reference_answers=["text"]),
    label(1, query="what is it", relevant_ids=["d2"], annotator="third", revision=2),
    label(11, query="What is it", relevant_ids={"d2": 2.0}, revision=1),
    label(12, request_id="order-7", relevant_ids=["d2"], revision=1),
    label(3, trace_id=TRACES["c"], span_id="0" * 15 + "2", relevant_ids=["d9"]),
    label(4, trace_id=TRACES["b"], pipeline="elsewhere", relevant_ids=["d1"], revision=9),
    label(5, query="what is it", expected_evidence=["of d2", {"text": "1999", "document": "doc"}]),
    label(6, trace_id=TRACES["a"], expected_evidence=["text of"]),
)


def registered(at_s: int, document_id: str, **chunks: str) -> CorpusDocument:
    """A document of these chunks, in order."""
    words = [word for text in chunks.values() for word in text.split()]
    places, first = [], 0
    for chunk_id, text in chunks.items():
        end = first + len(text.split())
        places.append((chunk_id, TokenRange(document_id, first, end)))
        first = end
    return CorpusDocument("unknown", document_id, joined(words), tuple(places), START_NS + at_s * S)


DOCUMENTS: Sequence[CorpusDocument] = (
    registered(1, "doc", d1="text of d1 in 1999", d2="of d2"),
    registered(5, "doc", d1="text of d1 in 1999", d2="of d2"),
    registered(4, "doc", d1="in 1999 text", d3="of d2 again"),
    registered(2, "other", d2="of d2 elsewhere", d9="text of d9"),
)

PROBES: Mapping[RequestKey, Wanted] = {
    RequestKey("probe", str(at_s)): Wanted(
        "unknown", START_NS + at_s * S, ("d1", "d2", "d3", "d9"), ("other",), (" of d2 ",)
    )
    for at_s in range(7)
}


def body(names: Iterable[str], now_ns: int) -> Body:
    exported = ExportTraceServiceRequest()
    scope = exported.resource_spans.add().scope_spans.add()
    scope.spans.extend(SPANS[name] for name in names)
    content = exported.SerializeToString()
    return Body(now_ns, PROTOBUF, "", content, len(scope.spans))


# --- the system, with faults --------------------------------------------------------------


class Crash(BaseException):
    """The process ends here."""


POINTS = (
    "before append",
    "after append",
    "before labels",
    "after labels",
    "before corpus",
    "after corpus",
    "before commit",
    "after commit",
    "after observe",
    "before forget",
)


class Faults:
    """Ends the process at a named point when its turn has come."""

    def __init__(self) -> None:
        self.armed: str | None = None
        self.passes = 0

    def arm(self, point: str, passes: int) -> None:
        self.armed, self.passes = point, passes

    def disarm(self) -> None:
        self.armed = None

    def at(self, point: str) -> None:
        if point == self.armed:
            if self.passes == 0:
                self.armed = None
                raise Crash(point)
            self.passes -= 1


class CrashingInbox(SqliteInbox):
    """An inbox that may end before or after its transactions."""

    def __init__(self, folder: Path, faults: Faults) -> None:
        super().__init__(folder, 1 << 30)
        self.faults = faults

    def append(self, bodies: Sequence[Body]) -> list[Offset]:
        self.faults.at("before append")
        offsets = super().append(bodies)
        self.faults.at("after append")
        return offsets

    def forget(self, before: Offset) -> None:
        self.faults.at("before forget")
        super().forget(before)


class CrashingStore(SqliteStore):
    """A store that may end in or after its transactions, and where a fact may come between."""

    def __init__(
        self,
        folder: Path,
        faults: Faults,
        posted: set[GoldLabel],
        documents: set[CorpusDocument],
    ) -> None:
        super().__init__(folder)
        self.faults = faults
        self.posted = posted
        self.documents = documents
        self.between: tuple[GoldLabel, ...] = ()
        self.document_between: CorpusDocument | None = None
        self._doing = "nothing"
        event.listen(self._database._writer, "commit", self._before_commit)

    def _before_commit(self, _: Connection) -> None:
        self.faults.at(f"before {self._doing}")

    def known(self, keys: Iterable[MatchKey]) -> Known:
        found = super().known(keys)
        labels, self.between = self.between, ()
        if labels:
            super().put_labels(labels, START_NS)
            self.posted.update(labels)
        return found

    def sources(
        self, wanted: Mapping[RequestKey, Wanted]
    ) -> tuple[Mapping[RequestKey, Sources], Mapping[str, int]]:
        found = super().sources(wanted)
        document, self.document_between = self.document_between, None
        if document:
            super().put_corpus([document])
            self.documents.add(document)
        return found

    def put_corpus(self, documents: Sequence[CorpusDocument]) -> CorpusReceipt:
        with self._named("corpus"):
            return super().put_corpus(documents)

    def commit(
        self, settled: Sequence[Settled], now_ns: int, *, silent: bool = False
    ) -> tuple[list[Fresh], list[Conflict]]:
        with self._named("commit"):
            return super().commit(settled, now_ns, silent=silent)

    def put_labels(self, labels: Sequence[GoldLabel], now_ns: int) -> LabelReceipt:
        with self._named("labels"):
            return super().put_labels(labels, now_ns)

    @contextmanager
    def _named(self, what: str) -> Iterator[None]:
        self._doing = what
        try:
            yield
        finally:
            self._doing = "nothing"
        self.faults.at(f"after {what}")


class Observed(Ledger):
    """What the counters were told, over all lives of the process."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.fresh: list[Fresh] = []

    def observe(self, fresh: Iterable[Fresh]) -> None:
        self.fresh.extend(fresh)
        self.faults.at("after observe")

    def committed(self, draft: Draft, releases: Sequence[Release], now_ns: int) -> None:
        pass

    def dropped(self, dropped: Iterable[Dropped]) -> None:
        assert list(dropped) == []

    def settle_duration(self, seconds: float) -> None:
        assert seconds == 0.0

    def corpus_refused(self, documents: int) -> None:
        raise AssertionError("the corpus had no room")

    def error(self) -> None:
        raise AssertionError("a trace could not be settled")


class World:
    """Senders, labellers, time and death."""

    def __init__(self, folder: Path, traces: str) -> None:
        self.folder = folder
        self.faults = Faults()
        self.observed = Observed(self.faults)
        self.names = [name for name in SPANS if name[0] in traces]
        self.sent: set[str] = set()
        self.posted: set[GoldLabel] = set()
        self.documents: set[CorpusDocument] = set()
        self.crashed = False
        self.now_ns = START_NS
        self.open()

    def open(self) -> None:
        self.inbox = CrashingInbox(self.folder, self.faults)
        self.store = CrashingStore(self.folder, self.faults, self.posted, self.documents)
        self.processor = Processor(
            self.inbox,
            self.store,
            Assembler(AssemblySettings()),
            REGISTRY,
            self.observed,
            NoAside(),
            ProcessorSettings(TraceLimits(), retention_ns=10**6 * S, batch_traces=2),
            lambda: 0.0,
        )

    def close(self) -> None:
        self.inbox.close()
        self.store.close()

    def acknowledged(self, act: Callable[[], object]) -> None:
        """Do it until it is answered: who was not answered comes again."""
        while not self.survived(act):
            pass

    def survived(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except Crash:
            self.crashed = True
            self.restart()
            return False
        return True

    def send(self, *places: int) -> None:
        names = [self.names[place % len(self.names)] for place in places]
        self.acknowledged(lambda: self.inbox.append([body(names, self.now_ns)]))
        self.sent.update(names)

    def post(self, place: int) -> None:
        labels = LABELS[place]
        self.acknowledged(lambda: self.store.put_labels(labels, self.now_ns))
        self.posted.update(labels)

    def post_between_known_and_commit(self, place: int) -> None:
        self.store.between = LABELS[place]

    def register(self, place: int) -> None:
        document = DOCUMENTS[place]
        self.acknowledged(lambda: self.store.put_corpus([document]))
        self.documents.add(document)

    def register_between_reading_and_commit(self, place: int) -> None:
        self.store.document_between = DOCUMENTS[place]

    def step(self, seconds: int) -> None:
        self.now_ns += seconds * S
        self.survived(lambda: self.processor.step(self.now_ns))

    def arm(self, point: str, passes: int) -> None:
        self.faults.arm(point, passes)

    def restart(self) -> None:
        self.close()
        self.open()

    def end(self) -> None:
        self.faults.disarm()
        self.settle_everything()
        self.check()

    def settle_everything(self) -> None:
        for _ in range(2):
            self.now_ns += 1000 * S
            self.processor.step(self.now_ns)
        assert 0 == self.processor.open_spans
        assert 0 == self.inbox.bytes
        assert [] == self.store.touched(10)

    def check(self) -> None:
        with SqliteStore(None) as reference:
            settle_at_once(reference, self.sent, self.posted, self.documents)
            assert contents(reference) == contents(self.store)
            rows = list(reference.rows(0, 2**62))
        self.check_observations(rows)

    def check_observations(self, rows: Iterable[Result]) -> None:
        seen = [
            (fresh.key, name)
            for fresh in self.observed.fresh
            for name in (
                *(score_name(slot) for slot, _ in fresh.scores),
                *(name for name, _ in fresh.observations),
            )
        ]
        assert [] == repeated(seen)
        in_trace = [(key.trace_id, name) for key, name in seen]
        if not {"c request", "c other request"} <= self.sent:
            # One request a trace, under whatever key: an heir observes nothing again.
            assert [] == repeated(in_trace)
        if not self.crashed:
            assert measured(rows) <= set(in_trace)


def repeated(names: Iterable[Hashable]) -> list[Hashable]:
    return [name for name, times in Counter(names).items() if times > 1]


def settle_at_once(
    store: Store,
    sent: Iterable[str],
    posted: Iterable[GoldLabel],
    documents: Iterable[CorpusDocument],
) -> None:
    """Every label and document first, then every trace whole, and what splits before all."""
    store.put_labels(sorted(posted, key=repr), START_NS)
    store.put_corpus(sorted(documents, key=repr))
    content = body(sorted(sent), START_NS).content
    parts = split(content, PROTOBUF, START_NS).parts
    for part in sorted(parts, key=lambda one: one.trace_id, reverse=True):
        whole = draft(Kept(part.trace_id), part.spans, TraceLimits())
        labels = store.known(record_keys(whole))
        sources, read = store.sources(wanted(whole, labels))
        known = replace(labels, sources=sources, corpus_read=read)
        store.commit([settle(whole, known, REGISTRY, Cause.LATE_SPAN)], START_NS)


def contents(store: Store) -> tuple[object, ...]:
    """What makes two stores equal: results, winning labels, kept spans but their arrival.

    And what requests of any time read of the corpus.
    """
    kept = store.load(TRACES.values())
    rows = sorted(store.rows(0, 2**62), key=lambda row: row.key)
    spans = {
        trace_id: [replace(part, arrival_ns=0) for part in found.spans]
        for trace_id, found in kept.items()
    }
    labels = store.known({one.key for posted in LABELS for one in posted}).labels
    return rows, spans, set(labels), store.sources(PROBES)[0]


def measured(rows: Iterable[Result]) -> set[tuple[str, ScoreName | Observation]]:
    """What has a value, by trace: a request may have had another key when it was observed."""
    return {
        (row.key.trace_id, score_name(slot))
        for row in rows
        for slot, value in zip(row.layout, row.values, strict=True)
        if not isinstance(value, NotMeasured)
    }


PLACES = st.integers(0, len(SPANS))
POSTS = st.integers(0, len(LABELS) - 1)
REGISTRATIONS = st.integers(0, len(DOCUMENTS) - 1)
EVENTS = st.one_of(
    st.lists(PLACES, min_size=1, max_size=2).map(lambda places: ("send", *places)),
    st.tuples(st.just("post"), POSTS),
    st.tuples(st.just("post_between_known_and_commit"), POSTS),
    st.tuples(st.just("register"), REGISTRATIONS),
    st.tuples(st.just("register_between_reading_and_commit"), REGISTRATIONS),
    st.tuples(st.just("step"), st.sampled_from([1, 7, 70])),
    st.just(("step", 70)),
    st.tuples(st.just("arm"), st.sampled_from(POINTS), st.integers(0, 2)),
    st.just(("restart",)),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    # Few traces at a time, so that much happens to each.
    traces=st.sampled_from(["a", "b", "c", "c", "ad", "bd", "abcd"]),
    events=st.lists(EVENTS, min_size=15, max_size=50),
)
def test_any_interleaving_ends_in_the_same_store(
    traces: str, events: list[tuple[Any, ...]]
) -> None:
    """And observes nothing twice, with a fault before or after any commit."""
    with tempfile.TemporaryDirectory() as folder, closing(World(Path(folder), traces)) as world:
        for name, *arguments in events:
            getattr(world, name)(*arguments)
        world.end()
