"""Erasing on demand: what a target reaches, taken out of every place where it rests."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from ragmon.app.processor import Processor
from ragmon.app.turn import Turn
from ragmon.errors import MalformedError, OverloadedError
from ragmon.ingest.split import PROTOBUF, split
from ragmon.labels import LabelError, match_keys
from ragmon.labels.erasure import parse_erasure
from ragmon.metrics.registration import register
from ragmon.model.erasure import DocumentTarget, ErasedFacts, ErasureTarget
from ragmon.model.flow import Draft, Kept, SpanPart, TraceState
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.indexing import ChunkedDocument, Chunking, IndexingRun
from ragmon.settle import TraceLimits, draft
from ragmon.store.aside import SetAside
from ragmon.store.protocol import ErasureStore, Inbox, Store

_LONGEST_WAIT_S = 30.0
_RUN_RETRY_S = 10
_BODY = "body-"


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased for posted targets, and a line for each that is none.

    outcomes: `erased` and `not_found`, counting targets. counts: what went, by its kind.
    """

    outcomes: Mapping[str, int]
    counts: Mapping[str, int]
    faults: Sequence[str]


class ErasureDesk:
    """Erases what is asked for. Any thread may call it.

    settling: held by whoever settles, so that nothing is settled while something is erased.
    """

    def __init__(
        self,
        store: Store,
        erasure: ErasureStore,
        inbox: Inbox,
        processor: Processor,
        aside: SetAside,
        limits: TraceLimits,
        settling: Turn,
    ) -> None:
        self._store = store
        self._erasure = erasure
        self._inbox = inbox
        self._processor = processor
        self._aside = aside
        self._limits = limits
        self._settling = settling

    def post(self, posted: Iterable[object], now_ns: int) -> Erased:
        """Erase every usable target; on return no byte of what they reached is at rest.

        Raises:
            OverloadedError: it cannot be told yet what all of them reach; nothing was erased.
            StoreUnavailableError: not all was erased; post it again.
        """
        targets: list[ErasureTarget] = []
        faults: list[str] = []
        for position, one in enumerate(posted):
            try:
                targets.append(parse_erasure(one))
            except LabelError as error:
                faults.extend(f"target {position}: {fault}" for fault in error.faults)
        return self._erase_all(targets, faults, now_ns) if targets else Erased({}, {}, faults)

    def _erase_all(
        self, targets: Sequence[ErasureTarget], faults: Sequence[str], now_ns: int
    ) -> Erased:
        if not self._settling.acquire(_LONGEST_WAIT_S):
            raise OverloadedError("much is being settled", retry_after_s=1)
        try:
            counts: Counter[str] = Counter()
            outcomes: Counter[str] = Counter()
            for target in targets:
                found = self._erase(target, now_ns)
                counts.update(found)
                outcomes["erased" if any(found.values()) else "not_found"] += 1
            self._erasure.scrub()
            self._inbox.scrub()
        finally:
            self._settling.release()
        return Erased(outcomes, counts, faults)

    def _erase(self, target: ErasureTarget, now_ns: int) -> dict[str, int]:
        """Erase what one target reaches; how much of each kind that was."""
        opened = self._opened(target, now_ns)
        if isinstance(target, DocumentTarget):
            return self._erase_document(target, opened)
        found = self._reached(target, opened)
        drafts = (self._draft(one, opened.get(one, ())) for one in found)
        keys = {target, *(key for made in drafts for key in _keys(made))}
        # The store first: what is gone there cannot come back from any other place.
        facts = self._erasure.erase(found, [key for key in keys if _is_own(key, target)], now_ns)
        return self._erase_elsewhere(target, facts, found, len(found & opened.keys()))

    def _opened(self, target: ErasureTarget, now_ns: int) -> Mapping[str, Sequence[SpanPart]]:
        """The spans of all open traces, without which only a trace can be told from others."""
        by_trace = isinstance(target, MatchKey) and target.kind is TargetKind.TRACE
        if not by_trace and not self._processor.take_in(now_ns):
            raise OverloadedError("spans that came are not read yet; try again", retry_after_s=1)
        return self._processor.open_traces()

    def _erase_document(
        self, target: DocumentTarget, opened: Mapping[str, Sequence[SpanPart]]
    ) -> dict[str, int]:
        """Erase a document with what registered it, but not the other documents of that."""
        drafts = (self._draft(*one) for one in opened.items())
        if any(_splits(made, target) for made in drafts):
            why = "a trace that splits the document is still open; try again"
            raise OverloadedError(why, retry_after_s=_RUN_RETRY_S)
        facts, found = self._erasure.erase_document(target)
        return self._erase_elsewhere(target, facts, frozenset(found), 0)

    def _erase_elsewhere(
        self, target: ErasureTarget, facts: ErasedFacts, found: frozenset[str], open_traces: int
    ) -> dict[str, int]:
        """Take these traces out of all places but the store."""
        return asdict(facts) | {
            "open_traces": open_traces,
            "bodies": self._processor.erase(found),
            "set_aside": self._aside.remove(lambda *file: self._concerns(file, found, target)),
        }

    def _reached(
        self, target: MatchKey, opened: Mapping[str, Sequence[SpanPart]]
    ) -> frozenset[str]:
        """The traces that a target means, stored or open."""
        if target.kind is TargetKind.TRACE:
            return frozenset((target.value,))
        matching = {one for one, spans in opened.items() if self._may_mean(target, one, spans)}
        return frozenset((*self._erasure.traces(target), *matching))

    def _may_mean(self, target: ErasureTarget, trace_id: str, arrived: Sequence[SpanPart]) -> bool:
        """Whether a target means a trace; of one that cannot be read nobody can tell."""
        made = self._draft(trace_id, arrived)
        if made is None:
            return True
        if isinstance(target, DocumentTarget):
            return _splits(made, target)
        return target in _keys(made)

    def _draft(self, trace_id: str, arrived: Sequence[SpanPart]) -> Draft | None:
        """What a trace says, as far as its spans are kept; None where it cannot be read."""
        kept = self._store.load((trace_id,))[trace_id]
        known = kept if kept.state is TraceState.SETTLED else Kept(trace_id)
        try:
            return draft(known, arrived, self._limits)
        except Exception:  # noqa: BLE001 (it is on its way to be set aside)
            return None

    def _concerns(
        self, file: tuple[str, bytes], found: frozenset[str], target: ErasureTarget
    ) -> bool:
        """Whether what was set aside may hold something of a target.

        Nobody can tell of a body or a trace that cannot be read, so that it goes too.
        """
        name, content = file
        if name in found or name.startswith(_BODY):
            return True
        if isinstance(target, MatchKey) and target.kind is TargetKind.TRACE:
            return False
        try:
            parts = split(content, PROTOBUF, 0).parts
        except MalformedError:
            return True
        return any(self._may_mean(target, part.trace_id, part.spans) for part in parts)


def _keys(made: Draft | None) -> frozenset[MatchKey]:
    """Every match key of the requests of a trace, in words."""
    records = made.records if made else ()
    return frozenset(key for record in records for key in match_keys(record))


def _splits(made: Draft | None, target: DocumentTarget) -> bool:
    """Whether a trace holds a run that splits a document."""
    return any(
        _named(run, document) == target.document_id
        for run in (made.runs if made else ())
        if isinstance(run.content, Chunking) and target.pipeline in (None, run.pipeline)
        for document in run.content.documents or ()
    )


def _named(run: IndexingRun, document: ChunkedDocument) -> str | None:
    """The id by which the corpus knows a document; None where it does not."""
    if document.document_id is not None:
        return document.document_id
    registered = register(run.pipeline, document, run.event_ns)
    return registered.document_id if registered else None


def _is_own(key: MatchKey, target: MatchKey) -> bool:
    """Whether labels under a key of an erased request go: a query is about others too."""
    return key == target or key.kind is TargetKind.REQUEST_ID
