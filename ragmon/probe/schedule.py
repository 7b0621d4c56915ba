"""When the next query of a canary is due: spread evenly, without bursts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """`count` turns in `every_s`, one after another from `start_s`; each sends one query."""

    count: int
    every_s: float
    start_s: float

    @property
    def pause_s(self) -> float:
        """Between two queries."""
        return self.every_s / self.count

    def turn(self, now_s: float) -> int:
        """The number of the turn that is running; what was missed is not made up for."""
        return max(0, int((now_s - self.start_s) / self.pause_s))

    def due_s(self, turn: int) -> float:
        """When a turn begins."""
        return self.start_s + turn * self.pause_s
