"""Texts leave the files soon after their request was sealed."""

import random
from itertools import count
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.keeping import Scrubs
from tests.app.at_rest import readable, rests  # noqa: F401 (a fixture)
from tests.app.running import START_NS, S, body, request, retrieval, running, send, span

WORD = "Zanzibar"


@pytest.mark.parametrize("keep", ["hashed", "ids"])
def test_within_a_minute_of_sealing_no_text_rests(tmp_path: Path, keep: str) -> None:
    """Neither in the databases, nor in their logs, nor in pages that were freed."""
    with running(tmp_path, keep=keep, reopen_s=900) as parts:
        for trace in range(1, 30):
            send(parts, body(request(trace, f"{WORD} {trace} " * 1000), retrieval(trace, "a")))
        parts.processor.step(START_NS + 10 * S)
        parts.processor.step(START_NS + 11 * S)
        assert rests(tmp_path, WORD)
        for seconds in (920, 950, 981):
            parts.upkeep.step(START_NS + seconds * S, may_expire=True)
        assert not rests(tmp_path, WORD)


@pytest.mark.parametrize("seed", [10, 17])  # both left one without blanking
def test_no_copy_is_left_where_rows_moved(tmp_path: Path, seed: int) -> None:
    """Late spans and texts of all lengths make rows move between the pages of a file."""
    chance = random.Random(seed)
    with running(tmp_path, keep="hashed", reopen_s=900) as parts:
        for minute in range(12):
            made = range(40 * minute, 40 * minute + 40)
            send(parts, *(body(_request(trace, chance)) for trace in made))
            send(parts, *(body(_late(chance.randrange(made[-1]), chance)) for _ in range(8)))
            parts.processor.step(START_NS + (60 * minute + 30) * S)
            parts.processor.step(START_NS + (60 * minute + 59) * S)
        for seconds in range(1700, 1760):
            parts.processor.step(START_NS + seconds * S)
            parts.upkeep.step(START_NS + seconds * S, may_expire=True)
        parts.upkeep.step(START_NS + 1819 * S, may_expire=True)
        assert not rests(tmp_path, WORD)


def _request(trace: int, chance: random.Random) -> Span:
    return request(trace, f"{WORD} " * chance.choice((3, 10, 30, 80, 150, 300)))


def _late(trace: int, chance: random.Random) -> Span:
    answer = f"{WORD} " * chance.choice((5, 50, 200))
    return span(trace, chance.randrange(3, 999), 1, ragmon__answer=answer)


def test_a_late_span_that_is_dropped_leaves_the_inbox(tmp_path: Path) -> None:
    """Within a minute too, though nothing is sealed any more."""
    with running(tmp_path, keep="hashed", reopen_s=900) as parts:
        send(parts, body(request(1)))
        parts.processor.step(START_NS + 10 * S)
        for seconds in (920, 950):
            parts.upkeep.step(START_NS + seconds * S, may_expire=True)
        send(parts, body(span(1, 9, 1, ragmon__answer=WORD), received_ns=START_NS + 1000 * S))
        parts.processor.step(START_NS + 1100 * S)
        assert rests(tmp_path, WORD)
        for seconds in (1000, 1030):
            parts.upkeep.step(START_NS + seconds * S, may_expire=True)
        assert not rests(tmp_path, WORD)


def test_a_start_scrubs_what_a_crash_left(tmp_path: Path) -> None:
    """Sealed, and not scrubbed when the process ended."""
    with running(tmp_path, keep="hashed", reopen_s=900) as parts:
        scrubs = []
        parts.upkeep._sealer._scrubs = Scrubs(
            lambda: scrubs.append("store"), lambda: scrubs.append("inbox"), lambda: 0.0
        )
        for seconds in (1000, 1030, 1060, 1120):
            parts.upkeep.step(START_NS + seconds * S, may_expire=True)
        assert ["inbox", "store", "inbox", "inbox"] == scrubs


def test_scrubbing_takes_a_thirtieth_of_the_time(tmp_path: Path) -> None:
    """Where it takes ten seconds, it is done every five minutes."""
    with running(tmp_path, keep="hashed", reopen_s=900) as parts:
        scrubs, seconds = [], count(0, 10)
        parts.upkeep._sealer._scrubs = Scrubs(
            lambda: None, lambda: scrubs.append(now), lambda: next(seconds)
        )
        for now in range(1000, 1700, 20):
            parts.upkeep.step(START_NS + now * S, may_expire=True)
        assert [1000, 1300, 1600] == scrubs


def test_with_plain_texts_they_rest_until_keep_s(tmp_path: Path) -> None:
    """As the configuration says."""
    with running(tmp_path, keep="plain") as parts:
        send(parts, body(request(1, WORD)))
        parts.processor.step(START_NS + 10 * S)
        for seconds in (920, 981):
            parts.upkeep.step(START_NS + seconds * S, may_expire=True)
        assert rests(tmp_path, WORD)
