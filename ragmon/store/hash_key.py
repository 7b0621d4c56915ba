"""The key of token hashes: a file that only its owner may read, made once."""

import os
import secrets
import sqlite3
from pathlib import Path

from sqlalchemy import create_engine, select
from sqlalchemy.exc import DatabaseError

from ragmon.errors import StoreError
from ragmon.store.schema import KEYING

_BYTES = 32


def load_key(path: Path) -> bytes | None:
    """The key in a file, None where there is no file.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"the key {path} cannot be read: {error.strerror}") from None


def make_key(path: Path) -> bytes:
    """Write a new random key to a file that does not exist yet, and make it durable.

    Raises:
        StoreError: it cannot be written.
    """
    key = new_key()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "xb", opener=_for_its_owner) as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"the key {path} cannot be written: {error.strerror}") from None
    return key


def is_in_use(folder: Path) -> bool:
    """Whether the store of a folder keeps hashes already, which a new key could not make.

    A file that cannot be read says no; opening it as a store tells what is wrong with it.
    """
    path = folder / "store.db"
    if not path.exists():
        return False
    uri = f"{path.absolute().as_uri()}?mode=ro"
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(uri, uri=True))
    try:
        with engine.connect() as connection:
            return connection.execute(select(KEYING.c.key_check)).scalar() is not None
    except DatabaseError:
        return False
    finally:
        engine.dispose()


def new_key() -> bytes:
    """A random key."""
    return secrets.token_bytes(_BYTES)


def _for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
