"""How many labels may be posted over time."""

import json

import pytest

from ragmon.errors import TooManyError
from ragmon.model.flow import Refusal
from ragmon.server.rate import RateLimit
from tests.server.fakes import NOW, Running

S = 1_000_000_000
JSON = "application/json"


def _labels(count: int) -> bytes:
    return json.dumps([{"query": str(n), "answerable": True} for n in range(count)]).encode()


async def _post(running: Running, content: bytes, path: str = "/v1/labels") -> tuple[int, str]:
    answer = await running.post(content, JSON, path)
    return answer.status_code, answer.headers.get("retry-after", "")


async def test_what_comes_too_fast_is_put_off_and_leaves_nothing(running: Running) -> None:
    """A body is taken whole; the next waits as long as it is told, and is counted."""
    assert (200, "") == await _post(running, _labels(6_000))
    assert (429, "1") == await _post(running, _labels(1))
    assert (6_000, [Refusal.TOO_MANY]) == (len(running.intake.posted), running.intake.refusals)
    running.intake.clock_ns = NOW + S
    assert (200, "") == await _post(running, _labels(1))


async def test_feedback_is_counted_with_labels_and_documents_are_not(running: Running) -> None:
    """Labels and feedback share one rate."""
    await _post(running, _labels(5_000))
    assert 429 == (await _post(running, _labels(1), "/v1/feedback"))[0]
    assert 200 == (await _post(running, _labels(1), "/v1/corpus"))[0]


async def test_what_is_no_label_counts_too(running: Running) -> None:
    """Else faulty bodies would cost what they like."""
    assert 400 == (await _post(running, b"[" + b"1," * 5_000 + b"1]"))[0]
    assert 429 == (await _post(running, _labels(1)))[0]


def test_a_debt_is_paid_by_time_alone() -> None:
    """A clock that was set back neither pays it nor makes it last."""
    rate = RateLimit(10.0, "label")
    rate.take(35, 100 * S)
    for now_ns in (100 * S, 50 * S, 52 * S):
        with pytest.raises(TooManyError):
            rate.take(1, now_ns)
    rate.take(10, 53 * S)
    with pytest.raises(TooManyError) as refused:
        rate.take(1, 53 * S)
    assert 1 == refused.value.retry_after_s


def test_what_was_not_used_is_kept_for_a_second() -> None:
    """A quiet night is no leave to send all of it at once."""
    rate = RateLimit(10.0, "label")
    rate.take(0, 0)
    rate.take(5, 3_600 * S)
    rate.take(5, 3_600 * S)
    with pytest.raises(TooManyError):
        rate.take(1, 3_600 * S)
