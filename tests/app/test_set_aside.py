"""What cannot be settled is set aside, and costs nothing else."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragmon.ingest.request import export_request
from ragmon.ingest.split import PROTOBUF, split
from ragmon.model.flow import Body, Conflict
from ragmon.model.result import Fresh
from ragmon.store.aside import AsideFolder
from ragmon.store.sqlite import SqliteStore
from tests.app.running import (
    START_NS,
    S,
    body,
    law,
    request,
    running,
    send,
    series,
    span,
    trace_id,
)

DAMAGED = Body(START_NS, PROTOBUF, "gzip", b"damaged on the disk", 1)


def test_no_room_aside_costs_no_entry_behind(tmp_path: Path) -> None:
    """A folder that cannot be made loses the damaged body only, which is counted."""
    (tmp_path / "aside").write_text("in the way")
    with running(tmp_path) as parts:
        send(parts, DAMAGED, body(request(1)), body(request(2)))
        parts.processor.step(START_NS + 10 * S)
        assert series(parts, "ragmon_requests_total") == 2
        assert series(parts, "ragmon_processor_spans_dropped_total", 'reason="failed"') == 1
        assert law(parts) == (3, 3)


def test_an_aside_that_raises_costs_no_entry_behind(tmp_path: Path) -> None:
    """Whatever goes wrong while a body is set aside, the entries read with it are taken."""

    class Broken:
        def put(self, trace_id: str, request: bytes) -> bool:
            raise RuntimeError

        def remove(self, chosen: Callable[[str, bytes], bool]) -> int:
            raise RuntimeError

    with running(tmp_path) as parts:
        parts.processor._aside = Broken()
        send(parts, DAMAGED, body(request(1)))
        parts.processor.step(START_NS + 10 * S)
        assert series(parts, "ragmon_requests_total") == 1
        assert law(parts) == (2, 2)


def exported(*numbers: int) -> bytes:
    """An export request with spans of one trace."""
    content = body(*(span(1, number) for number in numbers)).content
    return export_request(one for part in split(content, PROTOBUF, 0).parts for one in part.spans)


def span_ids(path: Path) -> set[str]:
    parts = split(path.read_bytes(), PROTOBUF, 0).parts
    return {one.span_id for part in parts for one in part.spans}


def test_a_second_release_is_kept_behind_the_first(tmp_path: Path) -> None:
    """One file of a trace holds the spans of every release that failed."""
    folder = AsideFolder(tmp_path)
    assert folder.put("trace", exported(1))
    assert folder.put("trace", exported(2, 3))
    (kept,) = tmp_path.iterdir()
    assert span_ids(kept) == {number.to_bytes(8, "big").hex() for number in (1, 2, 3)}
    assert kept.stat().st_mode & 0o777 == 0o600


@contextmanager
def files_up_to(most: int) -> Iterator[None]:
    """A disk that takes no more than so many bytes a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_spoils_nothing_that_is_kept(tmp_path: Path) -> None:
    """Of what is written in part nothing is left, else the file could not be read at all."""
    folder = AsideFolder(tmp_path)
    first = exported(1)
    assert folder.put("trace", first)
    with files_up_to(len(first) + 10):
        assert not folder.put("trace", exported(2))
    assert (tmp_path / "trace.otlp.pb").read_bytes() == first


def test_settling_again_in_vain_sets_nothing_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without spans that arrived there is nothing to keep, and no file for it."""

    class Unwritable(SqliteStore):
        def commit(self, *_: Any, **__: Any) -> tuple[list[Fresh], list[Conflict]]:
            raise TypeError

    with running(tmp_path) as parts:
        send(parts, body(request(1)))
        parts.processor.step(START_NS + 10 * S)
        parts.labels.post([{"trace_id": trace_id(1), "answerable": True}], START_NS + 11 * S)
        parts.store.__class__ = Unwritable
        parts.processor.step(START_NS + 12 * S)
        assert not (tmp_path / "aside").exists()
    assert "its results stay as they are" in caplog.text
