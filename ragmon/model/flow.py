"""What crosses from one room to the next on the way from bytes to results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TypeAlias

from ragmon.model.corpus import CorpusDocument, Sources
from ragmon.model.gold import GoldLabel
from ragmon.model.indexing import IndexingRun
from ragmon.model.record import RequestRecord
from ragmon.model.result import Cause, RequestKey, Result

Offset: TypeAlias = int


class Ends(IntEnum):
    """What the end of a span says about its trace."""

    NOTHING = 0
    ENTRY = 1
    REQUEST = 2


@dataclass(frozen=True, slots=True)
class SpanPart:
    """One span in canonical protobuf bytes, with the little that routing needs.

    `context` is a serialised ResourceSpans of the resource, scope and schema URLs without
    spans (one object shared by all spans of a body that have it); `span` the serialised
    Span. `arrival_ns` is when it first came, on the processor's clock.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    ends: Ends
    end_ns: int
    arrival_ns: int
    context: bytes
    span: bytes

    @property
    def size(self) -> int:
        """Bytes this part is accounted with, without its context."""
        return len(self.span) + 96


def held_bytes(spans: Iterable[SpanPart]) -> int:
    """Bytes that spans of one trace are accounted with: each distinct context counts once."""
    contexts: set[bytes] = set()
    size = 0
    for span in spans:
        contexts.add(span.context)
        size += span.size
    return size + sum(map(len, contexts))


@dataclass(frozen=True, slots=True)
class Part:
    """The spans of one trace in one body."""

    trace_id: str
    spans: tuple[SpanPart, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """One export request as it came. `parts` is what it splits into, where that is known already.

    `media_type` is `application/x-protobuf` or `application/json`, `encoding` `gzip` or
    empty. `span_count` counts the valid spans in it.
    """

    received_ns: int
    media_type: str
    encoding: str
    content: bytes
    span_count: int
    parts: tuple[Part, ...] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A body with its place in the inbox, and the bytes that it takes there."""

    offset: Offset
    body: Body
    stored_bytes: int


class DropReason(StrEnum):
    """Why spans were dropped: a closed set."""

    INVALID = "invalid"
    TRACE_TOO_LARGE = "trace_too_large"
    EXPIRED = "expired"
    FAILED = "failed"


class Refusal(StrEnum):
    """Why a body was refused as a whole: a closed set."""

    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    OVERLOADED = "overloaded"
    TOO_MANY = "too_many"
    UNAVAILABLE = "unavailable"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Spans that will never be part of a result."""

    reason: DropReason
    spans: int


class ReleaseReason(StrEnum):
    """Why a trace was handed on to be settled."""

    COMPLETE = "complete"
    IDLE = "idle"
    MAX_AGE = "max_age"
    EVICTED = "evicted"
    SHUTDOWN = "shutdown"


@dataclass(frozen=True, slots=True)
class Release:
    """One trace's spans since its last release, in order of arrival.

    It holds the inbox's low-water mark at `low_offset` until `Assembler.done`.
    """

    trace_id: str
    spans: tuple[SpanPart, ...]
    reason: ReleaseReason
    low_offset: Offset
    first_ns: int
    last_ns: int


class TraceState(StrEnum):
    """What is still kept of a stored trace."""

    SETTLED = "settled"
    SEALED = "sealed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Kept:
    """What the store holds of one trace.

    `revision` 0 means nothing. `spans` is empty once the trace is sealed or gone; `span_ids`
    says which spans are known all the same. `touched` says why it is to be settled again,
    None where it is not. Of a sealed trace `sealed` holds its reduced records and `results`
    what was measured at last, without what they read and by what they are found.
    """

    trace_id: str
    revision: int = 0
    state: TraceState = TraceState.SETTLED
    spans: tuple[SpanPart, ...] = ()
    span_ids: frozenset[str] = frozenset()
    touched: Cause | None = None
    sealed: bytes = b""
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Sealable:
    """A settled trace whose spans may go, by its row and the time of its first settle."""

    row: int
    trace_id: str
    first_ns: int


@dataclass(frozen=True, slots=True)
class Sealed:
    """What is kept of a trace from now on in place of its spans: its reduced records."""

    kept: Kept
    records: bytes


@dataclass(frozen=True, slots=True)
class Draft:
    """A trace read into records, before labels are known.

    `spans` is the union to keep, ordered by span id. Of the spans that arrived with this
    release `settled` are new, `duplicates` were known, `dropped` were refused. `expired`
    says that nothing of the trace may be stored any more. `runs` are its indexing runs.
    """

    kept: Kept
    spans: tuple[SpanPart, ...]
    records: tuple[RequestRecord, ...]
    settled: int = 0
    duplicates: int = 0
    dropped: tuple[Dropped, ...] = ()
    expired: bool = False
    runs: tuple[IndexingRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """The labels that stand under a set of match keys, and what requests read of the corpus.

    corpus_read: pipeline -> the revision of its corpus that `sources` was read at.
    """

    labels: tuple[GoldLabel, ...] = ()
    sources: Mapping[RequestKey, Sources] = field(default_factory=dict)
    corpus_read: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """The results of one trace, to be stored together, with the facts they were made from.

    `labels_read` are the labels found under the results' match keys; the commit checks
    that they still stand there unchanged, and that no corpus of `corpus_read` moved on.
    `corpus` are the documents that the trace's chunking runs register.
    """

    draft: Draft
    results: tuple[Result, ...]
    labels_read: tuple[GoldLabel, ...]
    cause: Cause
    corpus_read: Mapping[str, int] = field(default_factory=dict)
    corpus: tuple[CorpusDocument, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """A trace whose facts changed while it was settled: load it and settle it again."""

    trace_id: str


@dataclass(frozen=True, slots=True)
class Touch:
    """A stored trace that a label reached, and has to be settled again."""

    trace_id: str
    cause: Cause


class LabelOutcome(StrEnum):
    """What became of one posted label."""

    ACCEPTED = "accepted"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class LabelReceipt:
    """What became of a batch of labels, in the order given.

    `unmatched` counts those (of accepted and replaced) that no stored request has yet;
    a query label is standing and never counts there.
    """

    outcomes: tuple[LabelOutcome, ...]
    unmatched: int = 0


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Labels that wait for their request; `oldest_ns` is when the oldest was made."""

    count: int
    oldest_ns: int | None
