"""The store on SQLite: facts, results, labels and roll-ups in one file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, func, select

from ragmon.errors import StoreError
from ragmon.model.corpus import CorpusDocument, CorpusReceipt, Sources, Wanted
from ragmon.model.flow import (
    Conflict,
    Kept,
    Known,
    LabelReceipt,
    Sealable,
    Sealed,
    Settled,
    Touch,
    TraceState,
    Unmatched,
)
from ragmon.model.gold import GoldLabel, MatchKey
from ragmon.model.keep import Keep
from ragmon.model.label_views import LabelChoice, LabelCount
from ragmon.model.result import Fresh, RequestKey, Result
from ragmon.model.window import Dirty, RollUp
from ragmon.store import (
    commits,
    corpus,
    corpus_expiry,
    corpus_sources,
    keying,
    label_reading,
    results,
    retention,
    rows,
    sealing,
    traces,
    upgrading,
)
from ragmon.store import labels as labels_table
from ragmon.store import roll_ups as roll_ups_table
from ragmon.store import touched as touched_table
from ragmon.store.chunks import chunks
from ragmon.store.database import Database, Pragmas
from ragmon.store.erasing import SqliteErasure
from ragmon.store.feedback_store import SqliteFeedback
from ragmon.store.interned import Interned
from ragmon.store.keying import Hasher
from ragmon.store.lock import FileLock
from ragmon.store.protocol import Expired
from ragmon.store.schema import DIRTY
from ragmon.store.settings import StoreSettings


class SqliteStore:
    """A `Store` in the file `store.db` of a folder, or in memory where there is no folder.

    Any thread may call it; one writes at a time. It holds the lock beside the file.

    hasher: needed to keep anything but plain, and from then on; a plain store is hashed then.

    Raises:
        StoreLockedError: another process (or another store here) has the file.
        StoreError: the file is no store that can be upgraded, or was hashed with another key.
    """

    def __init__(
        self,
        folder: Path | None,
        settings: StoreSettings | None = None,
        hasher: Hasher | None = None,
    ) -> None:
        self._settings = settings or StoreSettings()
        path = folder / "store.db" if folder else None
        self._lock = FileLock(path, "store") if path else None
        self._interned = Interned()
        self._holders = corpus_sources.Holders()
        self.corpus_refused = 0
        """Documents that commits could not register: their tokens did not fit."""
        self._database = Database(
            path, Pragmas(secure_delete=True), on_rollback=self._interned.clear
        )
        self.feedback = SqliteFeedback(self._database)
        try:
            with self._database.write() as connection:
                upgrading.prepare(connection)
                self._marks = count(1 + _last_mark(connection))
            self._hasher = hasher if self._is_keyed(hasher) else None
            self.erasure = SqliteErasure(self._database, self._interned, self._hasher)
        except BaseException:
            self.close()
            raise

    @property
    def keyed(self) -> bool:
        """Whether queries and the corpus are known by their hashes here."""
        return self._hasher is not None

    def _is_keyed(self, hasher: Hasher | None) -> bool:
        with self._database.read() as connection:
            if keying.is_keyed(connection, hasher):
                return True
        if self._settings.keep is Keep.PLAIN:
            return False
        if hasher is None:
            raise StoreError(f"keep: {self._settings.keep} needs a key to hash with")
        with self._database.write() as connection:
            keying.key(connection, hasher)
        self._database.checkpoint()  # the plain words leave the log too
        return True

    def close(self) -> None:
        """Close the file and let go of the lock; a second call does nothing."""
        self._database.close()
        if self._lock:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- facts and results ------------------------------------------------------------

    def load(self, trace_ids: Iterable[str]) -> dict[str, Kept]:
        """What is kept of each trace; one that is not stored has the revision 0."""
        with self._database.read() as connection:
            kept = traces.load(connection, trace_ids)
            sealed = [one.trace_id for one in kept.values() if one.state is TraceState.SEALED]
            for trace_id, last in results.of_sealed(connection, self._interned, sealed).items():
                kept[trace_id] = replace(kept[trace_id], results=last)
        return kept

    def known(self, keys: Iterable[MatchKey]) -> Known:
        """The labels under any of these match keys, each at its newest version."""
        with self._database.read() as connection:
            found = labels_table.under(connection, keys)
        return Known(tuple(stored.label for under in found.values() for stored in under))

    def sources(
        self, wanted: Mapping[RequestKey, Wanted]
    ) -> tuple[Mapping[RequestKey, Sources], Mapping[str, int]]:
        """What requests read of the corpus, and the revision of each pipeline's corpus."""
        with self._database.read() as connection:
            return corpus_sources.read(connection, wanted, self._holders)

    def commit(
        self, settled: Sequence[Settled], now_ns: int, *, silent: bool = False
    ) -> tuple[list[Fresh], list[Conflict]]:
        """Replace the results of each trace, unless its facts are no longer the facts."""
        if self._hasher:
            settled = [keying.hashed_settled(one, self._hasher) for one in settled]
        batch = commits.batch(
            settled,
            now_ns,
            silent=silent,
            mark=next(self._marks),
            corpus_bytes=self._settings.corpus_bytes,
        )
        with self._database.write() as connection:
            fresh, conflicts, refused = commits.commit(connection, self._interned, batch)
        self.corpus_refused += refused
        return fresh, conflicts

    def put_corpus(self, documents: Sequence[CorpusDocument]) -> CorpusReceipt:
        """Register documents, and touch the traces that read something else now."""
        if self._hasher:
            documents = [keying.hashed_document(one, self._hasher) for one in documents]
        with self._database.write() as connection:
            return corpus.put(connection, self._interned, documents, self._settings.corpus_bytes)

    def put_labels(self, labels: Sequence[GoldLabel], now_ns: int) -> LabelReceipt:
        """Keep labels, the greatest version of each, and touch the traces they reach."""
        if self._hasher:
            labels = [keying.keyed_label(one, self._hasher) for one in labels]
        with self._database.write() as connection:
            return labels_table.put(connection, labels, now_ns)

    def touched(self, limit: int) -> list[Touch]:
        """Stored traces that have to be settled again; a commit clears them."""
        with self._database.read() as connection:
            return touched_table.oldest(connection, limit)

    def untouch(self, trace_ids: Iterable[str]) -> None:
        """Give up settling these traces again: they were set aside."""
        with self._database.write() as connection:
            touched_table.clear_ids(connection, trace_ids)

    def labels_unmatched(self) -> Unmatched:
        """Labels that no commit has used yet, without the standing ones."""
        with self._database.read() as connection:
            return labels_table.unmatched(connection)

    # --- views ------------------------------------------------------------------------

    def labels(self, choice: LabelChoice) -> Iterator[GoldLabel]:
        """The chosen labels, each at its newest version, in the order they first came."""
        return label_reading.read(self._database, choice)

    def label_counts(self) -> tuple[LabelCount, ...]:
        """Labels by field and annotator, the most numerous first, at most a thousand."""
        with self._database.read() as connection:
            return label_reading.count(connection)

    def rows(self, start_ns: int, end_ns: int, pipeline: str | None = None) -> Iterator[Result]:
        """Results with start_ns <= event_ns < end_ns, of one pipeline or all."""
        return results.read(self._database, self._interned, start_ns, end_ns, pipeline)

    def dirty_minutes(self, limit: int, behind: Dirty | None = None) -> list[Dirty]:
        """Minutes whose roll-ups are out of date, half the latest, half what is `behind`."""
        with self._database.read() as connection:
            return roll_ups_table.out_of_date(connection, limit, behind)

    def dirty_within(self, start_minute: int, end_minute: int) -> list[Dirty]:
        """Every minute of a time span whose roll-ups are out of date."""
        with self._database.read() as connection:
            return roll_ups_table.out_of_date_within(connection, start_minute, end_minute)

    def put_roll_up(self, dirty: Dirty, roll_ups: Iterable[RollUp]) -> None:
        """Replace the roll-ups of a minute; it stays dirty if it was dirtied since."""
        with self._database.write() as connection:
            roll_ups_table.put(connection, self._interned, dirty, roll_ups)

    def roll_ups(self, start_minute: int, end_minute: int) -> Iterator[RollUp]:
        """Stored roll-ups with start_minute <= minute < end_minute."""
        return roll_ups_table.read(self._database, self._interned, start_minute, end_minute)

    def pipelines(self) -> tuple[str, ...]:
        """The pipelines with results, sorted."""
        with self._database.read() as connection:
            return results.pipelines(connection)

    # --- ageing -----------------------------------------------------------------------

    def sealable(self, now_ns: int, limit: int, behind: Sealable | None = None) -> list[Sealable]:
        """Traces whose spans may be kept no longer, the oldest first, from behind one of them."""
        if self._settings.keep is Keep.PLAIN:
            return []
        before_ns = now_ns - int(self._settings.reopen_s * 1e9)
        with self._database.read() as connection:
            return sealing.sealable(connection, before_ns, limit, behind)

    def seal(self, sealed: Sequence[Sealed]) -> int:
        """Keep the records of each trace in place of its spans, unless its facts moved."""
        with self._database.write() as connection:
            return sealing.seal(connection, sealed)

    def expire(self, now_ns: int) -> Expired:
        """Take away what is older than it may be kept, in short transactions."""
        keep_ns = now_ns - int(self._settings.keep_s * 1e9)
        retention_ns = now_ns - int(self._settings.retention_s * 1e9)
        minute = retention_ns // rows.NS_PER_MINUTE
        gone = self._repeat(retention.let_go, keep_ns)
        deleted = self._repeat(retention.remove, minute)
        with self._database.write() as connection:
            removed = retention.remove_labels(connection, retention_ns)
            retention.remove_views(connection, minute)
            self._interned.clear()
        self.feedback.remove(retention_ns)
        self._expire_corpus(retention_ns)
        return Expired(gone, deleted, removed)

    @property
    def bytes(self) -> int:
        """Bytes of all that is stored, without what was deleted."""
        return self._database.used_bytes

    def shrink(self) -> int:
        """Where the store is over its bound, take away a batch of the oldest."""
        if self._settings.max_bytes is None or self.bytes <= self._settings.max_bytes:
            return 0
        with self._database.write() as connection:
            return retention.shrink(connection)

    def _expire_corpus(self, before_ns: int) -> None:
        """Superseded registrations go, found without the lock that writers wait for."""
        with self._database.read() as connection:
            superseded = corpus_expiry.superseded(connection, before_ns)
        for some in chunks(superseded):
            with self._database.write() as connection:
                corpus_expiry.remove(connection, some)

    def _repeat(self, step: Callable[[Connection, int], int], before: int) -> int:
        """Run a step of at most a batch a transaction until nothing more is due."""
        total = 0
        while True:
            with self._database.write() as connection:
                done = step(connection, before)
            total += done
            if done < retention.BATCH:
                return total


def _last_mark(connection: Connection) -> int:
    return int(connection.execute(select(func.coalesce(func.max(DIRTY.c.mark), 0))).scalar_one())
