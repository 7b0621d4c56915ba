"""Texts leave the files soon after their request was sealed."""

from pathlib import Path

import pytest

from tests.app.at_rest import readable, rests  # noqa: F401 (a fixture)
from tests.app.running import START_NS, S, body, request, retrieval, running, send

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


def test_with_plain_texts_they_rest_until_keep_s(tmp_path: Path) -> None:
    """As the configuration says."""
    with running(tmp_path, keep="plain") as parts:
        send(parts, body(request(1, WORD)))
        parts.processor.step(START_NS + 10 * S)
        for seconds in (920, 981):
            parts.upkeep.step(START_NS + seconds * S, may_expire=True)
        assert rests(tmp_path, WORD)
