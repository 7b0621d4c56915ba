"""The bodies that were appended last, in memory and already split."""

from collections import OrderedDict
from collections.abc import Iterable

from ragmon.model.flow import Body, Entry, Offset, held_bytes


class Tail:
    """Bodies up to a bound of bytes, in order of their offsets; not locked by itself."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._entries: OrderedDict[Offset, tuple[Entry, int]] = OrderedDict()

    @property
    def first(self) -> Offset | None:
        """The lowest offset in memory."""
        return next(iter(self._entries), None)

    def extend(self, entries: Iterable[Entry]) -> None:
        """Take what fits; the rest has to be read back."""
        for entry in entries:
            size = memory_bytes(entry.body)
            if self._bytes + size <= self._limit_bytes:
                self._entries[entry.offset] = (entry, size)
                self._bytes += size

    def replace(self, entry: Entry) -> None:
        """Put an entry in the place of the one at its offset, if that is in memory."""
        if entry.offset in self._entries:
            self._bytes -= self._entries[entry.offset][1]
            size = memory_bytes(entry.body)
            self._entries[entry.offset] = (entry, size)
            self._bytes += size

    def take(self, start: Offset, limit: int) -> list[Entry]:
        """Remove and return the unbroken run of entries from `start`."""
        entries: list[Entry] = []
        while len(entries) < limit and (found := self._entries.pop(start + len(entries), None)):
            entry, size = found
            self._bytes -= size
            entries.append(entry)
        return entries


def memory_bytes(body: Body) -> int:
    """What a body is accounted with: its content, and its spans where it is split."""
    spans = [span for part in body.parts or () for span in part.spans]
    return len(body.content) + held_bytes(spans)
