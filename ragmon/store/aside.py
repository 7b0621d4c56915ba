"""Traces that could not be settled, kept as files for whoever looks into it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ragmon.errors import StoreUnavailableError

_SUFFIX = ".otlp.pb"


class SetAside(Protocol):
    """Takes the spans of a trace that failed twice. One caller at a time."""

    def put(self, trace_id: str, request: bytes) -> bool:
        """Keep one serialised export request behind those of the same trace that are kept.

        Returns False where there is no room for it.
        """
        ...

    def remove(self, chosen: Callable[[str, bytes], bool]) -> int:
        """Delete what is chosen by name and content; how much was.

        Raises:
            StoreUnavailableError: it cannot be read or deleted.
        """
        ...


class AsideFolder:
    """One file a trace in a folder, bounded by bytes; `ragmon replay` reads them."""

    def __init__(self, folder: Path, limit_bytes: int = 64 << 20) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes

    def put(self, trace_id: str, request: bytes) -> bool:
        """Keep one serialised export request behind those of the same trace that are kept.

        Returns False where it does not fit or cannot be written. Export requests one after
        another are an export request.
        """
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            taken = sum(path.stat().st_size for path in self._folder.glob(f"*{_SUFFIX}"))
            if taken + len(request) > self._limit_bytes:
                return False
            return _append(self._folder / f"{trace_id}{_SUFFIX}", request)
        except OSError:
            return False

    def remove(self, chosen: Callable[[str, bytes], bool]) -> int:
        """Delete what is chosen by name and content; how much was."""
        removed = 0
        try:
            for path in self._folder.glob(f"*{_SUFFIX}"):
                if chosen(path.name.removesuffix(_SUFFIX), path.read_bytes()):
                    path.unlink()
                    removed += 1
        except OSError as error:
            raise StoreUnavailableError(f"{self._folder}: {error.strerror}") from None
        return removed


def _append(path: Path, request: bytes) -> bool:
    """Write at the end of a file; whether all of it was written, else nothing is."""
    with open(path, "ab", buffering=0, opener=_for_its_owner) as kept:
        before = kept.seek(0, os.SEEK_END)
        whole = kept.write(request) == len(request)
        if not whole:
            kept.truncate(before)
    return whole


def _for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class NoAside:
    """Keeps nothing, for a store in memory."""

    def put(self, trace_id: str, request: bytes) -> bool:  # noqa: ARG002
        """Keep nothing."""
        return False

    def remove(self, chosen: Callable[[str, bytes], bool]) -> int:  # noqa: ARG002
        """Nothing is kept."""
        return 0
