"""Traces that could not be settled, kept as files for whoever looks into it."""

from pathlib import Path
from typing import Protocol

_SUFFIX = ".otlp.pb"


class SetAside(Protocol):
    """Takes the spans of a trace that failed twice. One caller at a time."""

    def put(self, trace_id: str, request: bytes) -> bool:
        """Keep one serialised export request; False where there is no room for it."""
        ...


class AsideFolder:
    """One file a trace in a folder, bounded by bytes; `ragmon replay` reads them."""

    def __init__(self, folder: Path, limit_bytes: int = 64 << 20) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes

    def put(self, trace_id: str, request: bytes) -> bool:
        """Keep one serialised export request; False where it does not fit or cannot be written."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            taken = sum(path.stat().st_size for path in self._folder.glob(f"*{_SUFFIX}"))
            if taken + len(request) > self._limit_bytes:
                return False
            path = self._folder / f"{trace_id}{_SUFFIX}"
            path.write_bytes(request)
            path.chmod(0o600)
        except OSError:
            return False
        return True


class NoAside:
    """Keeps nothing, for a store in memory."""

    def put(self, trace_id: str, request: bytes) -> bool:  # noqa: ARG002
        """Keep nothing."""
        return False
