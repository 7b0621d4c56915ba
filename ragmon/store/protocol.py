"""What the rest of the processor may ask of durable state."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragmon.model.assessment import Feedback, FeedbackCount, FeedbackGroup
from ragmon.model.corpus import CorpusDocument, CorpusReceipt, Sources, Wanted
from ragmon.model.erasure import DocumentTarget, ErasedFacts, Rewritten
from ragmon.model.flow import (
    Body,
    Conflict,
    Entry,
    Kept,
    Known,
    LabelReceipt,
    Offset,
    Sealable,
    Sealed,
    Settled,
    Touch,
    Unmatched,
)
from ragmon.model.gold import GoldLabel, MatchKey
from ragmon.model.label_views import LabelChoice, LabelCount
from ragmon.model.result import Fresh, RequestKey, Result
from ragmon.model.window import Dirty, RollUp


@dataclass(frozen=True, slots=True)
class Expired:
    """What one expiry took away: traces that are gone, traces and labels that were deleted."""

    gone: int = 0
    deleted: int = 0
    labels: int = 0


class Inbox(Protocol):
    """Bodies that were acknowledged and may not be stored yet, in order of arrival.

    One appender, one reader; `forget` belongs to the reader.
    """

    @property
    def bytes(self) -> int:
        """Bytes of the bodies as they are kept."""
        ...

    @property
    def limit_bytes(self) -> int:
        """The bound of `bytes`."""
        ...

    @property
    def unread_spans(self) -> int:
        """Spans of the bodies that the cursor has not reached."""
        ...

    @property
    def replayed_spans(self) -> int:
        """Spans of the bodies that were found at start."""
        ...

    def append(self, bodies: Sequence[Body]) -> list[Offset]:
        """Keep all bodies or none; returning means that they survive a crash.

        Raises:
            OverloadedError: they do not fit below `limit_bytes`.
            StoreUnavailableError: the disk takes nothing at the moment.
        """
        ...

    def read(self, limit: int) -> list[Entry]:
        """The next entries, at most `limit`, from a cursor that starts at the oldest kept."""
        ...

    def rewrite(self, change: Callable[[Body], Body | None]) -> Rewritten:
        """Replace each body for which `change` has another one; None leaves it as it is.

        Raises:
            StoreUnavailableError: not all were replaced; call it again.
        """
        ...

    def scrub(self) -> None:
        """Leave no byte at rest of what is no longer kept.

        Raises:
            StoreUnavailableError: it could not be done now.
        """
        ...

    def forget(self, before: Offset) -> None:
        """Let go of every entry below an offset; none of them may be unread.

        Raises:
            StoreUnavailableError: the disk takes nothing at the moment.
        """
        ...


class Store(Protocol):
    """The owner of facts and results. Any thread may call it.

    Every method that writes is one serialisable transaction, and raises
    StoreUnavailableError where it cannot be committed now; nothing of it stands then.
    """

    @property
    def corpus_refused(self) -> int:
        """Documents that commits could not register: their tokens did not fit."""
        ...

    def load(self, trace_ids: Iterable[str]) -> dict[str, Kept]:
        """What is kept of each trace; one that is not stored has the revision 0."""
        ...

    def known(self, keys: Iterable[MatchKey]) -> Known:
        """The labels under any of these match keys, each at its newest version."""
        ...

    def sources(
        self, wanted: Mapping[RequestKey, Wanted]
    ) -> tuple[Mapping[RequestKey, Sources], Mapping[str, int]]:
        """What requests read of the corpus, each at its own time.

        Also the revision of each pipeline's corpus that it was read at, 0 where nothing was
        ever registered; such requests have no sources.
        """
        ...

    def commit(
        self, settled: Sequence[Settled], now_ns: int, *, silent: bool = False
    ) -> tuple[list[Fresh], list[Conflict]]:
        """Replace the results of each trace, unless its facts are no longer the facts.

        A trace whose revision moved, or under whose match keys other labels stand than
        it was settled with, or whose corpus was read at another revision, is a conflict, and
        the others stand. What a trace registers in the corpus is replaced with it. A silent
        commit marks everything as observed and has nothing fresh.
        """
        ...

    def put_labels(self, labels: Sequence[GoldLabel], now_ns: int) -> LabelReceipt:
        """Keep labels, the greatest version of each, and touch the traces they reach."""
        ...

    def put_corpus(self, documents: Sequence[CorpusDocument]) -> CorpusReceipt:
        """Register documents, and touch the kept traces that read something else now."""
        ...

    def touched(self, limit: int) -> list[Touch]:
        """Stored traces that have to be settled again; a commit clears them."""
        ...

    def untouch(self, trace_ids: Iterable[str]) -> None:
        """Give up settling these traces again: they were set aside."""
        ...

    def labels_unmatched(self) -> Unmatched:
        """Labels that no commit has used yet, without the standing ones."""
        ...

    def labels(self, choice: LabelChoice) -> Iterator[GoldLabel]:
        """The chosen labels, each at its newest version, in the order they first came."""
        ...

    def label_counts(self) -> tuple[LabelCount, ...]:
        """Labels by field and annotator, the most numerous first, at most a thousand."""
        ...

    def rows(self, start_ns: int, end_ns: int, pipeline: str | None = None) -> Iterator[Result]:
        """Results with start_ns <= event_ns < end_ns, of one pipeline or all.

        Span ids and match keys are left out; a winner of a trace that is gone has no
        key value.
        """
        ...

    def dirty_minutes(self, limit: int, behind: Dirty | None = None) -> list[Dirty]:
        """Minutes whose roll-ups are out of date, half of them the latest, these first.

        The others follow `behind` by pipeline and minute, round and round: whoever hands in
        the last one of each portion comes to every minute, however many there are.
        """
        ...

    def dirty_within(self, start_minute: int, end_minute: int) -> list[Dirty]:
        """Every minute with start_minute <= minute < end_minute whose roll-ups are out of date.

        By pipeline and minute.
        """
        ...

    def put_roll_up(self, dirty: Dirty, roll_ups: Iterable[RollUp]) -> None:
        """Replace the roll-ups of a minute; it stays dirty if it was dirtied since."""
        ...

    def roll_ups(self, start_minute: int, end_minute: int) -> Iterator[RollUp]:
        """Stored roll-ups with start_minute <= minute < end_minute."""
        ...

    def pipelines(self) -> tuple[str, ...]:
        """The pipelines with results, sorted."""
        ...

    def sealable(self, now_ns: int, limit: int, behind: Sealable | None = None) -> list[Sealable]:
        """Traces whose spans may be kept no longer, the oldest first, at most `limit`.

        They follow `behind` where it is given. A trace that is to be settled again is not
        among them.
        """
        ...

    def seal(self, sealed: Sequence[Sealed]) -> int:
        """Keep the records of each trace in place of its spans; returns of how many.

        A trace whose revision moved, or that is to be settled again, is passed over.
        """
        ...

    @property
    def bytes(self) -> int:
        """Bytes of all that is stored, without what was deleted."""
        ...

    def shrink(self) -> int:
        """Where the store is over its bound, take away a batch of the oldest; how many traces.

        Spans and texts go first, and numbers once none are left.
        """
        ...

    def expire(self, now_ns: int) -> Expired:
        """Take away what is older than it may be kept."""
        ...


class FeedbackStore(Protocol):
    """What users thought of requests. Any thread may call it; writes are as in a `Store`."""

    def put(self, feedback: Sequence[Feedback], now_ns: int) -> LabelReceipt:
        """Keep feedback, the newest version of each voice; what became of it, and what waits."""
        ...

    def count_new(self, behind: int, limit: int) -> tuple[Mapping[FeedbackGroup, int], int]:
        """Feedback whose request has come, counted once, of the next `limit` that wait.

        Those behind an id; returns the last one looked at, 0 at the end.
        """
        ...

    def unmatched(self) -> int:
        """How much feedback waits for its request."""
        ...

    def within(
        self, start_ns: int, end_ns: int, pipeline: str | None = None
    ) -> tuple[FeedbackCount, ...]:
        """Feedback on requests with start_ns <= event_ns < end_ns, at most a thousand counts."""
        ...


class ErasureStore(Protocol):
    """Erases facts for good. Any thread may call it."""

    def traces(self, key: MatchKey) -> tuple[str, ...]:
        """The stored traces with a request that a match key reaches."""
        ...

    def erase(
        self, trace_ids: Collection[str], keys: Collection[MatchKey], now_ns: int
    ) -> ErasedFacts:
        """Make these traces gone, stored or not, with the labels and feedback that reach them.

        keys: labels and feedback under them go too, if they reach no other kept trace.

        Raises:
            StoreUnavailableError: nothing was erased.
        """
        ...

    def erase_document(self, target: DocumentTarget) -> tuple[ErasedFacts, tuple[str, ...]]:
        """Withdraw every registration of a document; with the traces that are gone as they made it.

        Raises:
            StoreUnavailableError: nothing was erased.
        """
        ...

    def scrub(self) -> None:
        """Leave no byte in the files of what is no longer kept.

        Raises:
            StoreUnavailableError: it could not be done now.
        """
        ...
