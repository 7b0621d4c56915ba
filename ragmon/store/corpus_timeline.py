"""Which of several registrations a request reads: the newest not later, else the oldest later."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

_Value = TypeVar("_Value")
_Seen = TypeVar("_Seen")


class Registered(NamedTuple, Generic[_Value]):
    """One registration: its time, its document, the hash of its content, what is read of it.

    At one time the greater document id is the newer, then the greater hash.
    """

    registered_ns: int
    document_id: str
    content_hash: str
    value: _Value


@dataclass(frozen=True, slots=True)
class Timeline(Generic[_Value]):
    """What is read at which time.

    times: (n,) ascending; values: (n,) from each time on. earlier: before all of them.
    """

    earlier: _Value | None = None
    times: tuple[int, ...] = ()
    values: tuple[_Value, ...] = ()

    def at(self, event_ns: int) -> _Value | None:
        """What a request of this time reads; None where nothing was ever registered."""
        place = bisect_right(self.times, event_ns)
        return self.values[place - 1] if place else self.earlier

    def had_by(self, event_ns: int) -> bool:
        """Whether anything was registered at this time or before."""
        return bool(self.times) and self.times[0] <= event_ns

    def seen(self, read: Callable[[_Value], _Seen]) -> "Timeline[_Seen]":
        """The same with what `read` makes of each value."""
        earlier = None if self.earlier is None else read(self.earlier)
        return Timeline(earlier, self.times, tuple(map(read, self.values)))


def timeline(registrations: Iterable[Registered[_Value]]) -> Timeline[_Value]:
    """The registrations of one thing, in whatever order they are given."""
    ordered = sorted(registrations, key=lambda one: one[:3])
    if not ordered:
        return Timeline()
    newest = {one.registered_ns: one.value for one in ordered}
    return Timeline(ordered[0].value, tuple(newest), tuple(newest.values()))


@dataclass(frozen=True, slots=True)
class Change(Generic[_Value]):
    """A timeline before and after a write."""

    before: Timeline[_Value]
    after: Timeline[_Value]

    def reaches(self, event_ns: int) -> bool:
        """Whether a request of this time reads something else now."""
        return self.before.at(event_ns) != self.after.at(event_ns)

    @property
    def since_ns(self) -> int | None:
        """The earliest time that it reaches, 0 for all before it too; None for no change."""
        times = sorted({0, *self.before.times, *self.after.times})
        return next((time for time in times if self.reaches(time)), None)
