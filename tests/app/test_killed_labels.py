"""Kill -9 between every two steps of a label's way changes no result and counts nothing twice."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragmon.app.wiring import Parts
from tests.app.killed import POINTS, labelled, settled
from tests.app.running import START_NS, S, running, series

ROOT = Path(__file__).parents[2]


def _result(parts: Parts) -> Any:
    (row,) = parts.store.rows(0, 1 << 62)
    winners = {(winner.field, winner.content_hash) for winner in row.winners}
    return row.values, winners, row.event_ns, row.outcome


@pytest.mark.parametrize("point", POINTS)
def test_the_sender_posts_again_and_all_is_as_without_the_kill(tmp_path: Path, point: str) -> None:
    """The result, the label's outcome, and what waits."""
    with running() as parts:
        settled(parts)
        labelled(parts)
        expected = _result(parts)
    command = [sys.executable, "-m", "tests.app.killed", str(tmp_path), point]
    died = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    with running(tmp_path) as parts:
        labelled(parts)
        parts.processor.step(START_NS + 40 * S)
        assert expected == _result(parts)
        first = point == POINTS[0]
        assert (2, 0) == (_outcome(parts, first=first), parts.store.labels_unmatched().count)
        assert parts.store.touched(9) == []
        # What was committed before the kill was observed by that process, or by none.
        observed = 0 if point in POINTS[3:] else 1
        assert series(parts, "ragmon_score_count", 'metric="exact_match"') == observed
        labelled(parts)
        assert series(parts, "ragmon_score_count", 'metric="exact_match"') == observed


def _outcome(parts: Parts, *, first: bool) -> int:
    return parts.labels.outcomes["accepted" if first else "unchanged"]
