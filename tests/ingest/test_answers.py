"""Each error has one answer, the same over both transports."""

import pytest

from ragmon.errors import (
    MalformedError,
    OverloadedError,
    StoreLockedError,
    StoreUnavailableError,
    TooLargeError,
)
from ragmon.ingest.answers import Answer, answer
from ragmon.model.flow import Refusal

AWAY = "the store cannot take it now"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MalformedError("bad"), Answer(400, 3, None, "bad", Refusal.MALFORMED)),
        (TooLargeError("big"), Answer(413, 8, None, "big", Refusal.TOO_LARGE)),
        (OverloadedError("full"), Answer(503, 14, 1, "full", Refusal.OVERLOADED)),
        (OverloadedError("full", retry_after_s=2), Answer(503, 14, 2, "full", Refusal.OVERLOADED)),
        (StoreUnavailableError("/p"), Answer(503, 14, 1, AWAY, Refusal.UNAVAILABLE)),
        (StoreLockedError("/p"), Answer(503, 14, 1, AWAY, Refusal.UNAVAILABLE)),
        (KeyError("secret"), Answer(503, 14, 1, "internal error", Refusal.ERROR)),
    ],
)
def test_table(error: Exception, expected: Answer) -> None:
    """Bad bodies are final; no room, and our own faults, may be tried again."""
    assert expected == answer(error)


def test_message_is_bounded() -> None:
    """An answer's message never outgrows a response."""
    assert len(answer(MalformedError("x" * 10_000)).message) == 1_000
