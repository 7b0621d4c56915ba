"""Erasing on demand: what a target reaches, taken out of every place where it rests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Lock

from ragmon.app.processor import Processor
from ragmon.errors import OverloadedError
from ragmon.ingest.split import PROTOBUF, split
from ragmon.labels import LabelError, match_keys
from ragmon.labels.erasure import parse_erasure
from ragmon.model.erasure import DocumentTarget, ErasureTarget
from ragmon.model.flow import Kept, SpanPart, TraceState
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.settle import TraceLimits, draft
from ragmon.store.aside import SetAside
from ragmon.store.protocol import ErasureStore, Inbox, Store

_LONGEST_WAIT_S = 30.0
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
        settling: Lock,
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
        if not self._settling.acquire(timeout=_LONGEST_WAIT_S):
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
        if isinstance(target, DocumentTarget):
            return asdict(self._erasure.erase_document(target))
        opened = self._processor.open_traces()
        found = self._reached(target, opened)
        keys = {target, *(key for one in found for key in self._keys(one, opened.get(one, ())))}
        # The store first: what is gone there cannot come back from any other place.
        facts = self._erasure.erase(found, [key for key in keys if _is_own(key, target)], now_ns)
        return asdict(facts) | {
            "open_traces": len(found & opened.keys()),
            "bodies": self._processor.erase(found),
            "set_aside": self._aside.remove(lambda *file: self._concerns(file, found, target)),
        }

    def _reached(
        self, target: MatchKey, opened: Mapping[str, Sequence[SpanPart]]
    ) -> frozenset[str]:
        """The traces that a target means, stored or open."""
        if target.kind is TargetKind.TRACE:
            return frozenset((target.value,))
        if self._inbox.unread_spans:
            raise OverloadedError("spans that came are not read yet; try again", retry_after_s=1)
        matching = {one for one, spans in opened.items() if target in self._keys(one, spans)}
        return frozenset((*self._erasure.traces(target), *matching))

    def _keys(self, trace_id: str, arrived: Sequence[SpanPart]) -> Iterator[MatchKey]:
        """Every match key of the requests of a trace, in words, as far as its spans are kept."""
        kept = self._store.load((trace_id,))[trace_id]
        known = kept if kept.state is TraceState.SETTLED else Kept(trace_id)
        for record in draft(known, arrived, self._limits).records:
            yield from match_keys(record)

    def _concerns(self, file: tuple[str, bytes], found: frozenset[str], target: MatchKey) -> bool:
        """Whether what was set aside may hold something of a target.

        Nobody can tell of a body or a trace that cannot be read, so that it goes too.
        """
        name, content = file
        if name in found or name.startswith(_BODY):
            return True
        if target.kind is TargetKind.TRACE:
            return False
        try:
            parts = split(content, PROTOBUF, 0).parts
            return any(target in self._keys(part.trace_id, part.spans) for part in parts)
        except Exception:  # noqa: BLE001 (it was set aside because it cannot be read)
            return True


def _is_own(key: MatchKey, target: MatchKey) -> bool:
    """Whether labels under a key of an erased request go: a query is about others too."""
    return key == target or key.kind is TargetKind.REQUEST_ID
