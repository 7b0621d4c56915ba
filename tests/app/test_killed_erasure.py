"""An erasure that `kill -9` ends, wherever, is made whole by another."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ragmon.model.flow import TraceState
from tests.app.at_rest import readable, rests  # noqa: F401 (a fixture)
from tests.app.killed_erasing import POINTS, WORD, erase
from tests.app.running import START_NS, S, body, law, running, send, span, trace_id


@pytest.mark.parametrize(
    ("point", "later_s"), [*((point, 32) for point in POINTS), ("before the inbox", 300)]
)
def test_nothing_is_left_and_nothing_comes_back(tmp_path: Path, point: str, later_s: int) -> None:
    """Whether its late part is still open by then, or would have been settled."""
    command = [sys.executable, "-m", "tests.app.killed_erasing", str(tmp_path), point]
    assert -signal.SIGKILL == subprocess.run(command, check=False).returncode
    with running(tmp_path) as parts:
        parts.processor.step(START_NS + later_s * S)
        erase(parts)
        send(parts, body(span(1, 9, 1, ragmon__answer="again")))
        parts.processor.step(START_NS + 600 * S)
        assert TraceState.GONE is parts.store.load([trace_id(1)])[trace_id(1)].state
        assert TraceState.SETTLED is parts.store.load([trace_id(2)])[trace_id(2)].state
        assert len(set(law(parts))) == 1
        assert {} == erase(parts)
    assert [] == [*(tmp_path / "aside").iterdir()]
    assert not rests(tmp_path, WORD)
