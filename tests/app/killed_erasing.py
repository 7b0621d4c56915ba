"""A processor that dies at a named point while it erases a request.

python -m tests.app.killed_erasing FOLDER POINT
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragmon.app.wiring import Parts
from ragmon.store import compression
from tests.app.at_rest import Readable
from tests.app.running import START_NS, S, body, request, running, send, span, trace_id

WORD = "zanzibar"
TARGET = {"request_id": "m-1"}
ASIDE = f"{trace_id(1)}.otlp.pb"
POINTS: dict[str, Callable[[Parts], tuple[Any, str]]] = {
    "before the store": lambda parts: (parts.store.erasure, "erase"),
    "before the inbox": lambda parts: (parts.inbox, "rewrite"),
    "amid the inbox": lambda parts: (parts.inbox, "_replace"),
    "before what was set aside": lambda parts: (parts.processor._aside, "remove"),
    "before the store's file is scrubbed": lambda parts: (parts.store.erasure, "scrub"),
    "before the inbox's file is scrubbed": lambda parts: (parts.inbox, "scrub"),
}


def erase(parts: Parts) -> dict[str, int]:
    """Erase the request; what went."""
    erased = parts.erasures.post([TARGET], START_NS + 50 * S)
    return {name: count for name, count in erased.counts.items() if count}


def filled(parts: Parts, folder: Path) -> None:
    """The request in every place: stored, labelled, with a late part, and set aside."""
    root = span(
        1,
        ragmon__stage="request",
        ragmon__request_id="m-1",
        ragmon__query=f"where is {WORD}",
        ragmon__answer=WORD,
    )
    parts.labels.post([{**TARGET, "reference_answers": [WORD]}], START_NS)
    parts.feedback.post([{**TARGET, "label": WORD}], START_NS)
    send(parts, body(root), body(request(2)))
    parts.processor.step(START_NS + 10 * S)
    for number in (8, 9):
        late = span(1, number, 1, ragmon__stage="generation", ragmon__answer=f"{WORD} {number}")
        send(parts, body(late, received_ns=START_NS + 30 * S))
    parts.processor.step(START_NS + 31 * S)
    (folder / "aside").mkdir()
    (folder / "aside" / ASIDE).write_bytes(body(root).content)


def _die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, point: str) -> None:
    """Die at a point."""
    compression._codec = Readable()  # type: ignore[assignment]
    with running(Path(folder)) as parts:
        filled(parts, Path(folder))
        setattr(*POINTS[point](parts), _die)
        erase(parts)


if __name__ == "__main__":
    main(*sys.argv[1:])
