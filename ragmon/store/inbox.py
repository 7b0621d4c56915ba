"""The inbox: bodies that were acknowledged, until what they hold is committed."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from ragmon.errors import OverloadedError
from ragmon.model.erasure import Rewritten
from ragmon.model.flow import Body, Entry, Offset
from ragmon.store.ballast import Ballast
from ragmon.store.bodies import (
    DELETE,
    FORGOTTEN_AT_ONCE,
    INSERT,
    METADATA,
    READ,
    REPLACE,
    SIZE,
    TOTALS,
    pack_body,
    unpack_body,
)
from ragmon.store.database import Database, DiskFullError, Pragmas
from ragmon.store.lock import FileLock
from ragmon.store.protocol import Inbox
from ragmon.store.tail import Tail, memory_bytes

RETRY_AFTER_S = 1
TAIL_BYTES = 32 << 20


class SqliteInbox:
    """An `Inbox` in the file `inbox.db` of a folder, which outlives a crash.

    One thread appends, one reads and forgets. It holds the lock beside the file. Bodies
    that were just appended are read from memory, already split.

    overwrites: deleted bodies are overwritten in the file, which costs writing.

    Raises:
        StoreLockedError: another process (or another inbox here) has the file.
    """

    def __init__(
        self,
        folder: Path,
        limit_bytes: int,
        *,
        tail_bytes: int = TAIL_BYTES,
        overwrites: bool = False,
    ) -> None:
        path = folder / "inbox.db"
        self._limit_bytes = limit_bytes
        self._overwrites = overwrites
        self._lock = FileLock(path, "inbox")
        self._database = Database(path, Pragmas(secure_delete=overwrites))
        try:
            self._ballast = Ballast(folder / "inbox.ballast")
            with self._database.write() as connection:
                METADATA.create_all(connection)
                first, following, stored_bytes, spans = connection.execute(TOTALS).one()
        except BaseException:
            self.close()
            raise
        self._bytes = int(stored_bytes)
        self._replayed_spans = self._unread_spans = int(spans)
        self._first = self._cursor = int(first)
        self._next = int(following)
        self._tail = Tail(tail_bytes)
        self._counts = threading.Lock()

    @property
    def bytes(self) -> int:
        """Bytes of the bodies as they are kept: compressed."""
        return self._bytes

    @property
    def limit_bytes(self) -> int:
        """The bound of `bytes`."""
        return self._limit_bytes

    @property
    def unread_spans(self) -> int:
        """Spans of the bodies that the cursor has not reached."""
        return self._unread_spans

    @property
    def replayed_spans(self) -> int:
        """Spans of the bodies that were found at start."""
        return self._replayed_spans

    def append(self, bodies: Sequence[Body]) -> list[Offset]:
        """Keep all bodies or none; returning means that they survive a crash.

        Raises:
            OverloadedError: they do not fit below `limit_bytes`.
            StoreUnavailableError: the disk takes nothing at the moment.
        """
        offsets = list(range(self._next, self._next + len(bodies)))
        rows = [pack_body(offset, body) for offset, body in zip(offsets, bodies, strict=True)]
        sizes = [row["stored_bytes"] for row in rows]
        _check_room(self, sum(sizes))
        with self._database.write() as connection:
            connection.execute(INSERT, rows)
        with self._counts:
            self._next += len(bodies)
            self._bytes += sum(sizes)
            self._unread_spans += sum(body.span_count for body in bodies)
            self._tail.extend(map(Entry, offsets, bodies, sizes))
        return offsets

    def read(self, limit: int) -> list[Entry]:
        """The next entries, at most `limit`, from a cursor that starts at the oldest kept."""
        entries: list[Entry] = []
        while len(entries) < limit and (
            more := self._read_from(self._cursor + len(entries), limit - len(entries))
        ):
            entries += more
        with self._counts:
            self._cursor += len(entries)
            self._unread_spans -= sum(entry.body.span_count for entry in entries)
        return entries

    def forget(self, before: Offset) -> None:
        """Let go of every entry below an offset; none of them may be unread.

        Deleting needs room too: on a full disk the ballast makes it.

        Raises:
            StoreUnavailableError: the disk takes nothing at the moment.
        """
        try:
            self._delete(before)
        except DiskFullError:
            if not self._ballast.release():
                raise
            self._database.checkpoint()
            self._delete(before)
            self._database.checkpoint()
        self._ballast.restore()

    def rewrite(self, change: Callable[[Body], Body | None]) -> Rewritten:
        """Replace each body for which `change` has another one; None leaves it as it is.

        Raises:
            StoreUnavailableError: not all were replaced; call it again.
        """
        changed = [self._replace(old, new) for old in self._all() if (new := change(old.body))]
        return Rewritten(len(changed), sum(changed))

    def scrub(self) -> None:
        """Leave no byte in the files of what is no longer kept.

        Raises:
            StoreUnavailableError: a reader is in the way, or the disk takes nothing.
        """
        if self._overwrites:
            self._database.scrub()
        else:
            self._database.vacuum()

    def close(self) -> None:
        """Close the file and let go of the lock; a second call does nothing."""
        self._database.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _all(self) -> Iterator[Entry]:
        """Every entry, as the file has it; the cursor stays."""
        place = {"start": self._first, "stop": self._next, "limit": 1}
        while place["start"] < place["stop"]:
            with self._database.read() as connection:
                rows = connection.execute(READ, place).all()
            yield from map(unpack_body, rows)
            place["start"] = rows[-1].offset + 1 if rows else place["stop"]

    def _replace(self, old: Entry, new: Body) -> int:
        """Replace a body; returns the spans that it lost if it is unread, else 0."""
        row = pack_body(old.offset, new)
        values = {f"to_{name}": value for name, value in row.items()}
        with self._database.write() as connection:
            connection.execute(REPLACE, {**values, "at": old.offset})
        with self._counts:
            self._bytes += row["stored_bytes"] - old.stored_bytes
            lost = old.body.span_count - new.span_count if old.offset >= self._cursor else 0
            self._unread_spans -= lost
            self._tail.replace(Entry(old.offset, new, row["stored_bytes"]))
        return lost

    def _read_from(self, start: Offset, limit: int) -> list[Entry]:
        """Entries from memory, else from the file up to where memory has them again."""
        with self._counts:
            if entries := self._tail.take(start, limit):
                return entries
            stop = self._tail.first or self._next
        if start >= stop:
            return []
        with self._database.read() as connection:
            place = {"start": start, "stop": stop, "limit": limit}
            return [unpack_body(row) for row in connection.execute(READ, place)]

    def _delete(self, before: Offset) -> None:
        """Delete from the front in short transactions, so that appends come between."""
        while self._first < min(before, self._next):
            through = min(before, self._next, self._first + FORGOTTEN_AT_ONCE) - 1
            with self._database.write() as connection:
                size = connection.execute(SIZE, {"through": through}).scalar_one()
                connection.execute(DELETE, {"through": through})
            self._first = through + 1
            with self._counts:
                self._bytes -= size


class MemoryInbox:
    """An `Inbox` without a file: a crash loses what it holds.

    One thread appends, one reads and forgets.
    """

    replayed_spans = 0

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.bytes = 0
        self.unread_spans = 0
        self._next = 1
        self._unread: deque[Entry] = deque()
        self._sizes: deque[tuple[Offset, int]] = deque()
        self._lock = threading.Lock()

    def append(self, bodies: Sequence[Body]) -> list[Offset]:
        """Keep all bodies or none.

        Raises:
            OverloadedError: they do not fit below `limit_bytes`.
        """
        sizes = [memory_bytes(body) for body in bodies]
        with self._lock:
            _check_room(self, sum(sizes))
            offsets = list(range(self._next, self._next + len(bodies)))
            self._next += len(bodies)
            self.bytes += sum(sizes)
            self.unread_spans += sum(body.span_count for body in bodies)
            self._unread.extend(map(Entry, offsets, bodies, sizes))
            self._sizes.extend(zip(offsets, sizes, strict=True))
        return offsets

    def read(self, limit: int) -> list[Entry]:
        """The next entries, at most `limit`; they are accounted with until forgotten."""
        with self._lock:
            entries = [self._unread.popleft() for _ in range(min(limit, len(self._unread)))]
            self.unread_spans -= sum(entry.body.span_count for entry in entries)
        return entries

    def forget(self, before: Offset) -> None:
        """Let go of every entry below an offset."""
        with self._lock:
            while self._sizes and self._sizes[0][0] < before:
                self.bytes -= self._sizes.popleft()[1]

    def rewrite(self, change: Callable[[Body], Body | None]) -> Rewritten:
        """Replace each unread body for which `change` has another one."""
        bodies = spans = 0
        with self._lock:
            for place, old in enumerate(self._unread):
                if new := change(old.body):
                    self._unread[place] = replace(old, body=new)
                    bodies += 1
                    spans += old.body.span_count - new.span_count
            self.unread_spans -= spans
        return Rewritten(bodies, spans)

    def scrub(self) -> None:
        """Nothing of it rests anywhere."""

    def close(self) -> None:
        """Nothing to close: the inbox ends with its process."""


def _check_room(inbox: Inbox, size: int) -> None:
    if inbox.bytes + size > inbox.limit_bytes:
        raise OverloadedError("the inbox is full", RETRY_AFTER_S)
