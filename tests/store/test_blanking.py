"""What was deleted leaves the pages of a file for good, and what stands stays."""

import os
import random
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from ragmon.errors import StoreUnavailableError
from ragmon.store.blanking import blank
from ragmon.store.database import Database, Pragmas


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty one in a file, with secure deletion."""
    made = Database(tmp_path / "x.db", Pragmas(secure_delete=True))
    with made.write() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (id INTEGER PRIMARY KEY, text)")
    yield made
    made.close()


def _text(number: int, chance: random.Random) -> str:
    return f"<{number:06d}>" * chance.choice((1, 5, 20, 60, 150, 700))


def _some_changes(connection: Connection, chance: random.Random, live: set[int]) -> None:
    """Rows of all lengths come, are replaced, and go."""
    for number in range(max(live, default=0) + 1, max(live, default=0) + 5):
        connection.exec_driver_sql(
            "INSERT INTO kept VALUES (?, ?)", (number, _text(number, chance))
        )
        live.add(number)
    for number in chance.sample(sorted(live), 2):
        connection.exec_driver_sql("DELETE FROM kept WHERE id = ?", (number,))
        connection.exec_driver_sql(
            "INSERT INTO kept VALUES (?, ?)", (number, _text(number, chance))
        )
    for number in chance.sample(sorted(live), min(3, len(live) - 1)):
        connection.exec_driver_sql("DELETE FROM kept WHERE id = ?", (number,))
        live.remove(number)


def _rows(database: Database) -> list[tuple[object, ...]]:
    with database.read() as connection:
        assert ("ok",) == connection.exec_driver_sql("PRAGMA integrity_check").one()
        return [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM kept")]


def _at_rest(path: Path) -> set[int]:
    return {int(number) for number in re.findall(rb"<(\d{6})>", path.read_bytes())}


def test_no_row_that_is_gone_is_left_in_a_page(database: Database, tmp_path: Path) -> None:
    """Secure deletion alone leaves some, where rows had moved to a neighbouring page."""
    chance, live, remnants = random.Random(1), set[int](), 0
    for _ in range(30):
        with database.write() as connection:
            for _ in range(25):
                _some_changes(connection, chance, live)
        before = _rows(database)
        database.truncate()
        remnants += len(_at_rest(tmp_path / "x.db") - live)
        database.scrub()
        assert live == _at_rest(tmp_path / "x.db")
        assert before == _rows(database)
    assert remnants  # else this shows nothing
    assert not (tmp_path / "x.db-wal").stat().st_size


@pytest.mark.parametrize("page_bytes", [512, 4096, 65536])
def test_pages_of_any_size_are_read(tmp_path: Path, page_bytes: int) -> None:
    """The parts of a page that hold something are left as they are, and blanked twice is once."""
    path = tmp_path / "x.db"
    made = sqlite3.connect(path)
    made.execute(f"PRAGMA page_size = {page_bytes}")
    made.execute("PRAGMA secure_delete = 0")
    made.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, text)")
    made.execute("CREATE INDEX by_text ON kept (text)")
    made.executemany("INSERT INTO kept VALUES (?, ?)", [(n, f"row {n}" * 9) for n in range(3000)])
    made.execute("DELETE FROM kept WHERE id % 7 > 2")
    made.commit()
    rows = made.execute("SELECT * FROM kept").fetchall()
    made.close()
    file = os.open(path, os.O_RDWR)
    assert blank(file)
    assert not blank(file)
    os.close(file)
    made = sqlite3.connect(path)
    assert ("ok",) == made.execute("PRAGMA integrity_check").fetchone()
    assert rows == made.execute("SELECT * FROM kept").fetchall()
    made.close()


def test_a_reader_in_the_way_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its snapshot needs the log, so that nothing is claimed to be gone; without it, all goes."""
    monkeypatch.setattr("ragmon.store.database._BUSY_TIMEOUT_S", 0.05)
    database = Database(tmp_path / "x.db", Pragmas(secure_delete=True))
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (id INTEGER PRIMARY KEY, text)")
        connection.exec_driver_sql("INSERT INTO kept VALUES (1, '<000001>')")
    with database.read() as reading:
        reading.exec_driver_sql("SELECT * FROM kept").one()
        with database.write() as connection:
            connection.exec_driver_sql("DELETE FROM kept")
        with pytest.raises(StoreUnavailableError, match="is being read"):
            database.scrub()
    database.scrub()
    assert set() == _at_rest(tmp_path / "x.db") | _at_rest(tmp_path / "x.db-wal")
    database.close()


def test_an_empty_file_has_nothing_to_blank(tmp_path: Path) -> None:
    """It has no pages yet."""
    file = os.open(tmp_path / "x.db", os.O_RDWR | os.O_CREAT)
    assert blank(file) == 0
    os.close(file)
