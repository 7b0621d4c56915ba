"""A processor that settles a request, takes a label for it, and dies at a named point.

python -m tests.app.killed FOLDER POINT
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragmon.app.wiring import Parts
from tests.app.running import START_NS, S, body, retrieval, running, send, span, trace_id

LABEL = {
    "trace_id": trace_id(1),
    "relevant_ids": ["b"],
    "reference_answers": ["left"],
    "labelled_at": "2026-12-01T04:00:00Z",
}
POINTS = (
    "before the label is stored",
    "after the label is stored",
    "before the result is stored",
    "after the result is stored",
    "after it was counted",
)


def settled(parts: Parts) -> None:
    """One request, settled without a label."""
    root = span(1, ragmon__stage="request", ragmon__query="which way", ragmon__answer="left")
    send(parts, body(root, retrieval(1, "a", "b")))
    parts.processor.step(START_NS + 10 * S)
    parts.processor.step(START_NS + 11 * S)


def labelled(parts: Parts) -> None:
    """The label on its whole way."""
    posted = parts.labels.post([LABEL], START_NS + 20 * S)
    assert posted.refused == 0
    parts.processor.step(START_NS + 30 * S)


def _die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _around(owner: Any, name: str, *, before: bool) -> None:
    """Let a method die, before it does its work or behind it."""
    method: Callable[..., Any] = getattr(owner, name)

    def dying(*given: Any, **named: Any) -> Any:
        if not before:
            method(*given, **named)
        _die()

    setattr(owner, name, dying)


def _arm(parts: Parts, point: str) -> None:
    match POINTS.index(point):
        case 0 | 1 as stored:
            _around(parts.store, "put_labels", before=stored == 0)
        case 2 | 3 as committed:
            _around(parts.store, "commit", before=committed == 2)
        case _:
            _around(parts.processor._settler._ledger, "observe", before=False)


def main(folder: str, point: str) -> None:
    """Die at a point."""
    with running(Path(folder)) as parts:
        settled(parts)
        _arm(parts, point)
        labelled(parts)


if __name__ == "__main__":
    main(*sys.argv[1:])
