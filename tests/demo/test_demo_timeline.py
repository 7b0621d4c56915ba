from dataclasses import replace
from itertools import islice

import pytest

from ragmon.demo.gold import Gold
from ragmon.demo.timeline import Ask, Labelling, Post, Schedule, Step, timeline

SCHEDULE = Schedule(rate=4.0, count=40, seed=7)


def steps(golds: tuple[Gold, ...], schedule: Schedule) -> list[Step]:
    return list(timeline(golds, schedule, "run", "p"))


def asks(golds: tuple[Gold, ...], schedule: Schedule) -> list[Ask]:
    return [step for step in steps(golds, schedule) if isinstance(step, Ask)]


def posts(golds: tuple[Gold, ...], schedule: Schedule) -> list[Post]:
    return [step for step in steps(golds, schedule) if isinstance(step, Post)]


def test_a_seed_decides_everything(golds: tuple[Gold, ...]) -> None:
    """Equal settings give equal steps; another seed gives another order."""
    assert steps(golds, SCHEDULE) == steps(golds, SCHEDULE)
    assert steps(golds, SCHEDULE) != steps(golds, replace(SCHEDULE, seed=8))


def test_steps_come_in_order_of_time(golds: tuple[Gold, ...]) -> None:
    """No step is earlier than the one before it."""
    times = [step.at_s for step in steps(golds, SCHEDULE)]
    assert sorted(times) == times


def test_requests_come_at_the_rate_until_the_count(golds: tuple[Gold, ...]) -> None:
    """The nth request is sent n / rate seconds after the start."""
    sent = asks(golds, SCHEDULE)
    assert [number / 4.0 for number in range(40)] == [ask.at_s for ask in sent]
    assert [f"run-{number}" for number in range(40)] == [ask.request_id for ask in sent]


def test_requests_stop_after_the_seconds(golds: tuple[Gold, ...]) -> None:
    """A schedule of 5 seconds at 4 a second has 20 requests."""
    assert 20 == len(asks(golds, Schedule(rate=4.0, seconds=5.0)))


def test_a_schedule_without_end_goes_on(golds: tuple[Gold, ...]) -> None:
    """Without count and seconds there is always a next step."""
    endless = timeline(golds, Schedule(rate=100.0), "run", "p")
    assert 1000 == len(list(islice(endless, 1000)))


def test_each_round_asks_every_question_once(golds: tuple[Gold, ...]) -> None:
    """No question waits longer than two rounds."""
    questions = len(golds)
    sent = asks(golds, Schedule(rate=100.0, count=2 * questions))
    first, second = sent[:questions], sent[questions:]
    assert {gold.question.text for gold in golds} == {ask.question for ask in first}
    assert {ask.question for ask in first} == {ask.question for ask in second}
    assert [ask.question for ask in first] != [ask.question for ask in second]


def test_standing_labels_come_first_and_on_the_question(golds: tuple[Gold, ...]) -> None:
    """A share of the questions carries a label of its own before any request."""
    everything = steps(golds, SCHEDULE)
    standing = [step for step in everything if isinstance(step, Post) and "query" in step.label]
    assert round(0.2 * len(golds)) == len(standing)
    assert everything[: len(standing)] == standing


def test_a_request_with_a_standing_label_gets_no_other(golds: tuple[Gold, ...]) -> None:
    """A narrower label would hide the standing one."""
    labelled = posts(golds, SCHEDULE)
    standing = {post.label["query"] for post in labelled if "query" in post.label}
    by_id = {ask.request_id: ask.question for ask in asks(golds, SCHEDULE)}
    narrow = {by_id[post.label["request_id"]] for post in labelled if "request_id" in post.label}
    assert set() == narrow & standing


@pytest.mark.parametrize(
    ("labelling", "delays"),
    [
        (Labelling(standing=0, at_once=1, late=0, delay_s=30), {1.0}),
        (Labelling(standing=0, at_once=0, late=1, delay_s=30), {30.0}),
        (Labelling(standing=0, at_once=0, late=0, delay_s=30), set()),
    ],
)
def test_labels_come_at_once_late_or_never(
    golds: tuple[Gold, ...], labelling: Labelling, delays: set[float]
) -> None:
    """A label of a request comes a second, or the delay, after the request was sent."""
    schedule = replace(SCHEDULE, labelling=labelling)
    sent = {ask.request_id: ask.at_s for ask in asks(golds, schedule)}
    seen = {post.at_s - sent[post.label["request_id"]] for post in posts(golds, schedule)}
    assert delays == seen


def test_late_labels_outlast_the_requests(golds: tuple[Gold, ...]) -> None:
    """Every late label is still posted after the last request."""
    late = replace(SCHEDULE, labelling=Labelling(standing=0, at_once=0, late=1, delay_s=60))
    assert 40 == len(posts(golds, late))
    assert isinstance(steps(golds, late)[-1], Post)
