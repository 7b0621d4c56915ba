"""A SQLite database: its connections, transactions, and what its errors mean."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import StaticPool

from ragmon.errors import StoreError, StoreUnavailableError
from ragmon.store.blanking import blank

_BUSY_TIMEOUT_S = 10.0
_TRANSIENT = frozenset({"SQLITE_FULL", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_NOMEM"})


class DiskFullError(StoreUnavailableError):
    """The file system has no room for the write."""


@dataclass(frozen=True, slots=True)
class Pragmas:
    """What differs between the inbox and the store."""

    secure_delete: bool
    cache_kib: int = 64 << 10


class Database:
    """One SQLite file (None: memory) with many readers and one writer at a time.

    Any thread may call it. A write is BEGIN IMMEDIATE: a deferred transaction that reads
    first and writes later could not be retried (BUSY_SNAPSHOT).
    """

    def __init__(
        self, path: Path | None, pragmas: Pragmas, on_rollback: Callable[[], None] | None = None
    ) -> None:
        self._lock = threading.Lock()
        self._on_rollback = on_rollback
        self._path = path
        self._file = None if path is None else _create(path)
        self._writer = _engine(path, pragmas, begin="BEGIN IMMEDIATE")
        reading = Pragmas(pragmas.secure_delete, cache_kib=8 << 10)
        self._reader = self._writer if path is None else _engine(path, reading, begin="BEGIN")

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction, committed at the end of the block, or nothing of it.

        `on_rollback` is called for the latter before anyone else may write.

        Raises:
            StoreUnavailableError: it could not be committed now.
        """
        with self._lock:
            try:
                with _translated(self._path), self._writer.begin() as connection:
                    yield connection
            except BaseException:
                if self._on_rollback:
                    self._on_rollback()
                raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A snapshot, to be left soon: the WAL cannot be reset under it."""
        with _translated(self._path):
            shared = self._reader is self._writer
            with self._lock if shared else nullcontext(), self._reader.begin() as connection:
                yield connection

    @property
    def used_bytes(self) -> int:
        """Bytes of the pages that hold something."""
        with self.read() as connection:
            pages, free, size = (
                int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
                for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * size

    def checkpoint(self) -> bool:
        """Bring the WAL into the file and cut it to nothing; whether no reader was in the way."""
        return not self._command("PRAGMA wal_checkpoint(TRUNCATE)")[0]

    def vacuum(self) -> None:
        """Write the file anew without what was deleted, and cut the WAL to nothing.

        Raises:
            StoreUnavailableError: a reader was in the way for ten seconds, or the disk is full.
        """
        self._command("VACUUM")
        self.truncate()

    def truncate(self) -> None:
        """Cut the WAL to nothing.

        Raises:
            StoreUnavailableError: a reader was in the way for ten seconds.
        """
        with self._lock:
            self._truncate()

    def scrub(self) -> None:
        """Leave no byte of what was deleted, which needs `secure_delete`.

        Raises:
            StoreUnavailableError: a reader was in the way for ten seconds, or the disk fails.
            StoreError: the file is too large for that.
        """
        with self._lock:
            self._truncate()
            if self._file is None:
                return
            try:
                with _translated(self._path), self._writer.begin():  # no other process writes
                    blank(self._file)
            except OSError as error:
                raise StoreUnavailableError(f"{self._path}: {error.strerror}") from None
            finally:
                self._writer.dispose()  # its pages in memory hold what was overwritten

    def _truncate(self) -> None:
        if self._run("PRAGMA wal_checkpoint(TRUNCATE)")[0]:
            raise StoreUnavailableError(f"{self._path} is being read; try again")

    def _command(self, command: str) -> Any:
        """Run a command that may stand in no transaction; its first row."""
        with self._lock:
            return self._run(command)

    def _run(self, command: str) -> Any:
        with _translated(self._path), self._writer.connect() as connection:
            raw = connection.connection.dbapi_connection
            assert raw is not None
            cursor = raw.cursor()
            try:
                return cursor.execute(command).fetchone()
            except sqlite3.OperationalError as error:
                raise _unavailable(self._path, error) from None
            finally:
                cursor.close()

    def close(self) -> None:
        """Close every connection; a second call does nothing."""
        self._reader.dispose()
        self._writer.dispose()
        if self._file is not None:
            # Only now: to close a file lets go of the locks that SQLite has on it.
            os.close(self._file)
            self._file = None


def _create(path: Path) -> int:
    """Open a file that only its owner may read; SQLite's side files follow its mode."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from None


def _engine(path: Path | None, pragmas: Pragmas, *, begin: str) -> Engine:
    arguments = {"check_same_thread": False, "timeout": _BUSY_TIMEOUT_S}
    if path is None:
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args=arguments)
    else:
        engine = create_engine(f"sqlite:///{path}", connect_args=arguments)

    @event.listens_for(engine, "connect")
    def on_connect(raw: Any, _record: object) -> None:
        raw.isolation_level = None  # transactions are begun here, not by the driver
        _apply(raw, pragmas)

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _apply(raw: Any, pragmas: Pragmas) -> None:
    cursor = raw.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        f"secure_delete={int(pragmas.secure_delete)}",
        f"cache_size=-{pragmas.cache_kib}",
        f"journal_size_limit={16 << 20}",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


@contextmanager
def _translated(path: Path | None) -> Iterator[None]:
    """Say what a database error means to a caller; messages carry no statement or value."""
    try:
        yield
    except OperationalError as error:
        raise _unavailable(path, error.orig) from None
    except DatabaseError as error:
        if type(error) is not DatabaseError:  # a subclass is a fault of ours, not the file's
            raise
        raise StoreError(
            f"{path} cannot be read as a database ({error.orig}); "
            "move it away, or restore it from a copy"
        ) from None


def _unavailable(path: Path | None, error: BaseException | None) -> StoreError:
    name = str(getattr(error, "sqlite_errorname", "unknown"))
    if name == "SQLITE_FULL":
        return DiskFullError(f"no room on the disk of {path}")
    if name in _TRANSIENT or name.startswith("SQLITE_IOERR"):
        return StoreUnavailableError(f"{path} cannot be written now ({name})")
    return StoreError(f"{path} cannot be used ({name}: {error})")
