"""What the demo sends, and when: a pure function of its settings and a seed."""

import heapq
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ragmon.demo.gold import Gold
from ragmon.demo.labels import Label, query_label, request_label


@dataclass(frozen=True, slots=True)
class Labelling:
    """How much is labelled, and when.

    standing: share of the questions with a label on the question itself, posted first.
    at_once, late: shares of the other requests, labelled right after the answer and
    `delay_s` later; the rest stays unlabelled.
    """

    standing: float = 0.2
    at_once: float = 0.4
    late: float = 0.4
    delay_s: float = 45.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """Which requests are sent: `rate` a second, until `count` or `seconds` if either is given."""

    rate: float = 2.0
    count: int | None = None
    seconds: float | None = None
    seed: int = 0
    labelling: Labelling = field(default_factory=Labelling)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to send, `at_s` seconds after the start."""

    at_s: float
    question: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Post:
    """A label to post, `at_s` seconds after the start."""

    at_s: float
    label: Label


Step = Ask | Post

_AT_ONCE_S = 1.0


def timeline(
    golds: Sequence[Gold], schedule: Schedule, run_id: str, pipeline: str
) -> Iterator[Step]:
    """All steps in order of time; without end where the schedule has none.

    Each round asks every question once, in an order of its own. The app's request ids are
    `run_id-n`.
    """
    chance = random.Random(schedule.seed)  # noqa: S311
    standing = _standing(golds, schedule, chance)
    yield from (Post(0.0, query_label(gold, pipeline)) for gold in standing)
    waiting: list[tuple[float, int, Post]] = []
    for number, gold in enumerate(_rounds(golds, chance)):
        at_s = number / schedule.rate
        if _is_over(number, at_s, schedule):
            break
        yield from _due(waiting, at_s)
        request_id = f"{run_id}-{number}"
        yield Ask(at_s, gold.question.text, request_id)
        delay_s = _label_delay(schedule.labelling, chance.random())
        if delay_s is not None and gold not in standing:
            post = Post(at_s + delay_s, request_label(gold, request_id, pipeline))
            heapq.heappush(waiting, (post.at_s, number, post))
    yield from _due(waiting, float("inf"))


def _standing(golds: Sequence[Gold], schedule: Schedule, chance: random.Random) -> list[Gold]:
    return chance.sample(list(golds), k=round(schedule.labelling.standing * len(golds)))


def _rounds(golds: Sequence[Gold], chance: random.Random) -> Iterator[Gold]:
    for _ in itertools.count():
        yield from chance.sample(list(golds), k=len(golds))


def _is_over(number: int, at_s: float, schedule: Schedule) -> bool:
    counted = schedule.count is not None and number >= schedule.count
    timed = schedule.seconds is not None and at_s >= schedule.seconds
    return counted or timed


def _label_delay(labelling: Labelling, draw: float) -> float | None:
    """When a request is labelled after it was sent, in seconds; None for never."""
    if draw < labelling.at_once:
        return _AT_ONCE_S
    if draw < labelling.at_once + labelling.late:
        return labelling.delay_s
    return None


def _due(waiting: list[tuple[float, int, Post]], now_s: float) -> Iterator[Post]:
    while waiting and waiting[0][0] <= now_s:
        yield heapq.heappop(waiting)[2]
