from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from ragmon.demo.labels import Label
from ragmon.demo.timeline import Ask, Post, Step
from ragmon.demo.traffic import CONCURRENCY, Traffic, TrafficCounts

STEPS: list[Step] = [
    Ask(0.0, "first", "r-0"),
    Ask(0.5, "second", "r-1"),
    Post(1.0, {"request_id": "r-0"}),
    Ask(1.0, "third", "r-2"),
]


class Inline(Executor):
    """Runs what is submitted at once, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@dataclass
class World:
    """A clock that only waiting moves, and what happened when."""

    now: float = 100.0
    log: list[tuple[float, str]] = field(default_factory=list)
    stop_at: float = float("inf")
    ask_takes_s: float = 0.0

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return self.now >= self.stop_at

    def ask(self, question: str, request_id: str) -> str:
        self.log.append((self.now - 100, question))
        self.now += self.ask_takes_s
        if question == "broken":
            raise LookupError(question)
        return "answer"

    def post(self, label: Label) -> None:
        self.log.append((self.now - 100, f"label {label['request_id']}"))

    def traffic(self) -> Traffic:
        return Traffic(self.ask, self.post, Inline(), lambda: self.now, self.wait)


def test_each_step_is_taken_at_its_time() -> None:
    """Requests and labels happen as many seconds after the start as the timeline says."""
    world = World()
    world.traffic().run(STEPS)
    assert [(0.0, "first"), (0.5, "second"), (1.0, "label r-0"), (1.0, "third")] == world.log


def test_a_late_step_is_taken_at_once() -> None:
    """Where the app is slower than the rate, nothing is left out."""
    world = World(ask_takes_s=2.0)
    world.traffic().run(STEPS)
    assert ["first", "second", "label r-0", "third"] == [what for _, what in world.log]


def test_a_stop_ends_the_run() -> None:
    """After a stop, no further step is taken."""
    world = World(stop_at=100.4)
    world.traffic().run(STEPS)
    assert [(0.0, "first")] == world.log


def test_a_failed_request_is_counted_and_does_not_end_the_run() -> None:
    """Whatever the app raises is one failed request."""
    world = World()
    traffic = world.traffic()
    traffic.run([Ask(0.0, "broken", "r-0"), Ask(1.0, "fine", "r-1")])
    assert TrafficCounts(asked=2, failed=1) == traffic.counts


def test_no_more_steps_are_in_flight_than_allowed() -> None:
    """The queue of the executor never grows: a full house makes the timeline wait."""
    open_now: list[int] = []
    most: list[int] = []
    go = Event()

    def ask(question: str, request_id: str) -> str:
        open_now.append(1)
        most.append(len(open_now))
        if len(most) >= CONCURRENCY:
            go.set()
        go.wait(10)
        open_now.pop()
        return "answer"

    with ThreadPoolExecutor(2 * CONCURRENCY) as pool:
        traffic = Traffic(ask, lambda _: None, pool, lambda: 0.0, lambda _: False)
        traffic.run(Ask(0.0, "q", f"r-{number}") for number in range(3 * CONCURRENCY))
    assert CONCURRENCY == max(most)
    assert 3 * CONCURRENCY == traffic.counts.asked
