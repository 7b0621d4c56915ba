"""An older store is upgraded when it is opened; a newer or foreign one is refused.

The revisions lie in `migrations/versions`. The caller's transaction holds all of an upgrade,
so that a crash leaves the store as it was.
"""

import logging
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Integer, column, inspect, select, table

from ragmon.errors import StoreError
from ragmon.store.schema import METADATA

_log = logging.getLogger("ragmon.store")
_FOLDER = Path(__file__).with_name("migrations")
_BEFORE_REVISIONS = "schema_version"
"""The table in which stores named their version before there were revisions."""
_FIRST = ("0001", 2)
"""The first revision, and the version that those stores named."""


def prepare(connection: Connection) -> None:
    """Make the tables of a new store, or upgrade those of an older one.

    Raises:
        StoreError: the database was made by a newer ragmon, or by another program.
    """
    names = set(inspect(connection).get_table_names())
    if not names:
        METADATA.create_all(connection)
        MigrationContext.configure(connection).stamp(_scripts(), _newest())
        return
    found = _found(connection, names)
    if found != _newest():
        _log.info("the store is upgraded from revision %s to %s", found, _newest())
        _upgrade(connection)


def _found(connection: Connection, names: set[str]) -> str:
    if _BEFORE_REVISIONS in names:
        return _of_version(connection)
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None:
        raise _refused("was not made by ragmon")
    if found not in {script.revision for script in _scripts().walk_revisions()}:
        raise _refused(f"has schema revision {found}, which this ragmon does not know")
    return found


def _of_version(connection: Connection) -> str:
    first, version = _FIRST
    named = select(column("version", Integer)).select_from(table(_BEFORE_REVISIONS))
    found = connection.execute(named).scalar()
    if found != version:
        raise _refused(f"has schema version {found}, which this ragmon cannot upgrade")
    MigrationContext.configure(connection).stamp(_scripts(), first)
    return first


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(_FOLDER))


@cache
def _newest() -> str:
    return str(_scripts().get_current_head())


def _refused(why: str) -> StoreError:
    return StoreError(
        f"the store {why}; start the ragmon that wrote it, or move its folder away (a new one "
        "is then made)"
    )
