"""A store is opened by one process, with the schema it was made with, or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragmon.errors import StoreError, StoreLockedError
from ragmon.store.lock import FileLock
from ragmon.store.sqlite import SqliteStore


def test_a_second_process_is_refused_by_name(tmp_path: Path) -> None:
    """The message names the holder's process and command, and what to do."""
    code = (
        "import sys, pathlib; from ragmon.store.lock import FileLock; "
        "lock = FileLock(pathlib.Path(sys.argv[1]), 'store'); print('held', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "store.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert b"held\n" == holder.stdout.readline()
        with pytest.raises(StoreLockedError, match=rf"held by process {holder.pid} \(-c .*stop"):
            SqliteStore(tmp_path)
        holder.kill()
    SqliteStore(tmp_path).close()


def test_a_lock_is_free_after_close(tmp_path: Path) -> None:
    """Also a second time, and its side file names the next holder."""
    for _ in range(2):
        with FileLock(tmp_path / "x.db", "store") as lock:
            assert f"process {os.getpid()} " in (tmp_path / "x.db.lock").read_text()
        lock.close()


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    """Folder 0700, every file in it 0600."""
    with SqliteStore(tmp_path / "state"):
        modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "state").iterdir()}
    assert {"store.db", "store.db-wal", "store.db.lock"} <= modes.keys()
    assert {0o600} == set(modes.values())
    assert 0o700 == (tmp_path / "state").stat().st_mode & 0o777


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """It is neither overwritten nor deleted, and the message says what to do."""
    (tmp_path / "store.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match=r"cannot be read as a database.*move it away"):
        SqliteStore(tmp_path)
    assert (tmp_path / "store.db").read_bytes().startswith(b"no database")


def test_deleted_content_is_overwritten_in_the_store(tmp_path: Path) -> None:
    """The store promises erasure, in a WAL and at full synchrony."""
    with SqliteStore(tmp_path) as store, store._database.read() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("secure_delete", "journal_mode", "synchronous")
        ]
    assert [1, "wal", 2] == pragmas


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """A file in its place, or a folder in place of the database, is a clear error."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"the folder .*file cannot be used"):
        SqliteStore(tmp_path / "file")
    (tmp_path / "state" / "store.db").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"store\.db cannot be opened"):
        SqliteStore(tmp_path / "state")
