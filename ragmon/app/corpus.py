"""Documents of a request into the corpus, every one of them counted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragmon.corpus import DocumentError, PostedDocument, parse_document
from ragmon.metrics.registration import register
from ragmon.model.corpus import CorpusDocument, CorpusOutcome
from ragmon.store.protocol import Store


@dataclass(frozen=True, slots=True)
class Registered:
    """What became of posted documents: outcome -> number, other counts, a line for each fault."""

    outcomes: Mapping[str, int]
    counts: Mapping[str, int]
    faults: tuple[str, ...]


class CorpusDesk:
    """Takes posted documents. Any thread may call it."""

    def __init__(self, store: Store, limit_bytes: int) -> None:
        self._store = store
        self._limit_bytes = limit_bytes

    def post(
        self, posted: Sequence[object], received_ns: int, pipeline: str | None = None
    ) -> Registered:
        """Register every usable document; the others are faults with their position.

        pipeline: of those that name none; where it is None too, the only one there is.

        Raises:
            StoreUnavailableError: nothing was registered; post it again.
        """
        default, known = pipeline, self._store.pipelines()
        if default is None and len(known) == 1:
            default = known[0]
        documents: list[tuple[int, CorpusDocument]] = []
        faults: list[str] = []
        for position, one in enumerate(posted):
            try:
                documents.append((position, _document(one, received_ns, default, known)))
            except DocumentError as error:
                faults.extend(f"document {position}: {fault}" for fault in error.faults)
        return self._register(documents, faults)

    def _register(
        self, documents: Sequence[tuple[int, CorpusDocument]], faults: list[str]
    ) -> Registered:
        receipt = self._store.put_corpus([document for _, document in documents])
        outcomes: Counter[str] = Counter()
        for (position, _), outcome in zip(documents, receipt.outcomes, strict=True):
            if outcome is CorpusOutcome.REFUSED:
                faults.append(f"document {position}: {self._full()}")
            else:
                outcomes[str(outcome)] += 1
        unlocated = sum(place is None for _, one in documents for _, place in one.chunks)
        counts = {"touched": receipt.touched, "unlocated_chunks": unlocated}
        return Registered(outcomes, counts, tuple(faults))

    def _full(self) -> str:
        return f"the corpus has no room below {self._limit_bytes} bytes (store.corpus_bytes)"


def _document(
    posted: object, received_ns: int, default: str | None, known: Sequence[str]
) -> CorpusDocument:
    read = parse_document(posted, received_ns)
    registered = register(_pipeline(read, default, known), read.document, read.registered_ns)
    assert registered is not None  # its source was posted
    return registered


def _pipeline(read: PostedDocument, default: str | None, known: Sequence[str]) -> str:
    pipeline = read.pipeline or default
    if pipeline is None:
        names = ", ".join(map(repr, known[:10]))
        hint = f"those with requests are {names}" if names else "none has had a request yet"
        raise DocumentError((f"pipeline: must be given; {hint}",))
    return pipeline
