"""Space held back, so that a database on a full disk can still delete and checkpoint."""

import os
from pathlib import Path

BALLAST_BYTES = 5 << 20  # larger than SQLite's WAL of 1,000 pages of 4 KiB


class Ballast:
    """A file of real blocks that is given up while the disk is full.

    Deleting needs room in the WAL, so a full inbox could never be emptied without it.
    """

    def __init__(self, path: Path, size_bytes: int = BALLAST_BYTES) -> None:
        self._path = path
        self._size_bytes = size_bytes
        self.restore()

    @property
    def held(self) -> bool:
        """Whether the space is held at the moment."""
        return self._path.exists()

    def release(self) -> bool:
        """Give the space up; whether there was any."""
        held = self.held
        self._path.unlink(missing_ok=True)
        return held

    def restore(self) -> None:
        """Hold the space again, where the disk has it."""
        if self.held and self._path.stat().st_size == self._size_bytes:
            return
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(file, 0, self._size_bytes)
        except OSError:
            self._path.unlink(missing_ok=True)
        finally:
            os.close(file)
