"""Labels from a file or a request into the store, every one of them counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from ragmon.app.label_rows import read_label_rows
from ragmon.errors import ConfigError
from ragmon.export.exporter import Exporter
from ragmon.labels import LabelError, parse_label
from ragmon.model.flow import LabelOutcome
from ragmon.model.gold import GoldLabel
from ragmon.store.protocol import Store

_BATCH = 1000
_MOST_FAULTS = 100


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of posted labels: outcome -> number, and a line for each fault.

    `refused` labels had a fault, or several.
    """

    outcomes: Mapping[str, int]
    unmatched: int
    refused: int
    faults: tuple[str, ...]

    @property
    def counts(self) -> Mapping[str, int]:
        """What there is to count beside outcomes."""
        return {"unmatched": self.unmatched, "rejected": self.refused}


@dataclass(frozen=True, slots=True)
class LabelFile:
    """What a file of labels holds: the usable ones, how many are not, and some of the faults."""

    labels: tuple[GoldLabel, ...]
    refused: int
    faults: tuple[str, ...]


class LabelDesk:
    """Takes posted labels. Any thread may call it."""

    def __init__(self, store: Store, exporter: Exporter) -> None:
        self._store = store
        self._exporter = exporter
        self._outcomes = Counter(dict.fromkeys(LabelOutcome, 0))
        self._counting = Lock()

    @property
    def outcomes(self) -> Mapping[str, int]:
        """What became of labels since the start."""
        with self._counting:
            return {str(outcome): count for outcome, count in self._outcomes.items()}

    def post(self, posted: Iterable[object], received_ns: int) -> Posted:
        """Keep every usable label of a post; the others are faults with their position.

        Raises:
            StoreUnavailableError: nothing was kept; post it again.
        """
        labels: list[GoldLabel] = []
        faults: list[str] = []
        refused = 0
        for position, one in enumerate(posted):
            try:
                labels.extend(parse_label(one, received_ns))
            except LabelError as error:
                faults.extend(f"label {position}: {fault}" for fault in error.faults)
                refused += 1
        outcomes, unmatched = self.keep(labels, received_ns)
        # Only now: a post that could not be kept is posted again, with the same faults.
        self._count(LabelOutcome.REJECTED, refused)
        return _posted(outcomes, unmatched, refused, tuple(faults))

    def load(self, path: Path, now_ns: int) -> Posted:
        """Keep the labels of a JSONL, CSV or Parquet file.

        Raises:
            ConfigError: the file cannot be read.
        """
        try:
            file = read_label_file(path, now_ns)
        except ConfigError as error:
            raise ConfigError(tuple(f"labels.file: {fault}" for fault in error.faults)) from None
        outcomes: Counter[LabelOutcome] = Counter()
        unmatched = 0
        for batch in _batches(file.labels):
            kept, waiting = self.keep(batch, now_ns)
            outcomes.update(kept)
            unmatched += waiting
        self._count(LabelOutcome.REJECTED, file.refused)
        return _posted(outcomes, unmatched, file.refused, file.faults)

    def keep(self, labels: Sequence[GoldLabel], now_ns: int) -> tuple[Counter[LabelOutcome], int]:
        """Keep all of them or none, and count what became of them: (outcomes, unmatched).

        Raises:
            StoreUnavailableError: none was kept.
        """
        receipt = self._store.put_labels(labels, now_ns)
        outcomes = Counter(receipt.outcomes)
        for outcome, count in outcomes.items():
            self._count(outcome, count)
        return outcomes, receipt.unmatched

    def _count(self, outcome: LabelOutcome, labels: int) -> None:
        self._exporter.label(outcome, labels)
        with self._counting:
            self._outcomes[outcome] += labels


def _posted(
    outcomes: Counter[LabelOutcome], unmatched: int, refused: int, faults: tuple[str, ...]
) -> Posted:
    counts = {str(outcome): count for outcome, count in outcomes.items()}
    return Posted(counts, unmatched, refused, faults)


def read_label_file(path: Path, now_ns: int) -> LabelFile:
    """The labels of a JSONL, CSV or Parquet file, and a line for each of the first faults.

    A fault is named with its file and line.

    Raises:
        ConfigError: the file cannot be read.
    """
    labels: list[GoldLabel] = []
    faults: list[str] = []
    refused = 0
    for row in read_label_rows(path, {}, now_ns):
        labels.extend(row.labels)
        refused += bool(row.faults)
        faults.extend(f"{row.where}: {fault}" for fault in row.faults)
    return LabelFile(tuple(labels), refused, tuple(faults[:_MOST_FAULTS]))


def _batches(labels: Iterable[GoldLabel]) -> Iterator[list[GoldLabel]]:
    batch: list[GoldLabel] = []
    for label in labels:
        batch.append(label)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
