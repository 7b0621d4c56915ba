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


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MalformedError("bad"), Answer(400, 3, None, "bad")),
        (TooLargeError("big"), Answer(413, 8, None, "big")),
        (OverloadedError("full"), Answer(503, 14, 1, "full")),
        (OverloadedError("full", retry_after_s=2), Answer(503, 14, 2, "full")),
        (StoreUnavailableError("/p"), Answer(503, 14, 1, "the store cannot take it now")),
        (StoreLockedError("/p"), Answer(503, 14, 1, "the store cannot take it now")),
        (KeyError("secret"), Answer(503, 14, 1, "internal error", expected=False)),
    ],
)
def test_table(error: Exception, expected: Answer) -> None:
    """Bad bodies are final; no room, and our own faults, may be tried again."""
    assert expected == answer(error)


def test_message_is_bounded() -> None:
    """An answer's message never outgrows a response."""
    assert len(answer(MalformedError("x" * 10_000)).message) == 1_000
