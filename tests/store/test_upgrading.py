"""An older store is upgraded when it is opened; any other is refused as it is."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from ragmon.errors import StoreError
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.store import upgrading
from ragmon.store.sqlite import SqliteStore
from tests.app.running import START_NS, S, body, request, running, send, trace_id

OLDEST = Path(__file__).parents[1] / "fixtures" / "stores" / "0001.sql"
"""A store as the first revision made it: two requests, three labels, one document."""


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The folder of a store of the first revision."""
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.executescript(OLDEST.read_text("utf-8"))
    connection.close()
    return tmp_path


def _rows(folder: Path, query: str) -> list[Sequence[Any]]:
    with sqlite3.connect(folder / "store.db") as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return sorted(found)


def _schema(folder: Path) -> list[Sequence[Any]]:
    """Every column of every table, and every index as it was made."""
    columns = (
        "SELECT t.name, c.name, c.type, c.[notnull], c.dflt_value, c.pk FROM sqlite_schema t, "
        "pragma_table_info(t.name) c WHERE t.type = 'table'"
    )
    return _rows(folder, columns) + _rows(
        folder, "SELECT tbl_name, name, sql FROM sqlite_schema WHERE type = 'index' AND sql <> ''"
    )


def test_an_upgraded_store_has_the_schema_of_a_new_one(older: Path) -> None:
    """Where this fails, a change of `schema.py` lacks its revision in `migrations/versions`."""
    SqliteStore(older).close()
    SqliteStore(older / "new").close()
    assert _schema(older / "new") == _schema(older)


def test_what_an_older_store_holds_goes_on(older: Path) -> None:
    """Its results are read, its labels reach old and new requests, a second start does nothing."""
    for new in (3, 4):
        with running(older) as parts:
            send(parts, body(request(new, "Which way"), received_ns=START_NS + new * S))
            parts.processor.step(START_NS + 60 * S)
            rows = {row.key.trace_id: row for row in parts.store.rows(0, 1 << 62)}
            winners = {key: {one.field for one in row.winners} for key, row in rows.items()}
            both = {"relevant_ids", "reference_answers"}
            assert both == winners[trace_id(1)]
            assert {"reference_answers"} == winners[trace_id(2)] == winners[trace_id(new)]
            (document,) = parts.store.known([MatchKey(TargetKind.REQUEST_ID, "m-9")]).labels
            assert document.query is None
    assert [(0, 1, "a")] == _rows(older, "SELECT first, [end], chunk_id FROM corpus_chunk")


def test_a_crash_within_an_upgrade_leaves_the_store_as_it_was(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it is one transaction; the next start upgrades it."""
    before = _schema(older)
    upgrade = upgrading._upgrade

    def crash(connection: Connection) -> None:
        upgrade(connection)
        raise KeyboardInterrupt

    monkeypatch.setattr(upgrading, "_upgrade", crash)
    with pytest.raises(KeyboardInterrupt):
        SqliteStore(older)
    assert before == _schema(older)
    monkeypatch.undo()
    with SqliteStore(older) as store:
        assert len(list(store.rows(0, 1 << 62))) == 2


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "revision 9999, which this .* know"),
        ("DROP TABLE alembic_version", "was not made by ragmon"),
        ("CREATE TABLE schema_version (version INTEGER)", "version None, which this .* upgrade"),
    ],
)
def test_a_store_of_a_newer_ragmon_or_another_program_is_refused(
    tmp_path: Path, harm: str, told: str
) -> None:
    """It is left as it is, its lock is free, and the message says what to do."""
    SqliteStore(tmp_path).close()
    _rows(tmp_path, harm)
    before = _schema(tmp_path)
    for _ in range(2):
        with pytest.raises(StoreError, match=rf"{told}.*move its folder away"):
            SqliteStore(tmp_path)
    assert before == _schema(tmp_path)
