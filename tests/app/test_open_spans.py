"""The gauge of open spans is read by scrapes while the loop runs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from ragmon.app.processor import Processor
from tests.app.running import START_NS, S, body, request, running, send


@contextmanager
def turns_taken_often() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def errors_while_read(processor: Processor, ended: Event) -> list[RuntimeError]:
    errors = []
    while not ended.is_set():
        try:
            _ = processor.open_spans
        except RuntimeError as error:
            errors.append(error)
    return errors


def test_open_spans_are_read_while_traces_come_and_go() -> None:
    """No scrape fails because a trace was settled meanwhile."""
    ended = Event()
    errors: list[RuntimeError] = []
    with running() as parts, turns_taken_often():
        send(parts, body(*map(request, range(1, 701))))
        scrape = Thread(target=lambda: errors.extend(errors_while_read(parts.processor, ended)))
        scrape.start()
        try:
            parts.processor.step(START_NS + 10 * S)
        finally:
            ended.set()
            scrape.join()
        assert errors == []
        assert parts.processor.open_spans == 0
