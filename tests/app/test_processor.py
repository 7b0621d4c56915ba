"""The loop, step by step, with the clock as an argument."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragmon.app.ledger import Ledger
from ragmon.app.processor import Processor, ProcessorSettings
from ragmon.app.wiring import Parts, assembled
from ragmon.assemble import Assembler, AssemblySettings
from ragmon.config import Config, load
from ragmon.errors import StoreUnavailableError
from ragmon.export.exporter import Exporter
from ragmon.ingest.request import export_request
from ragmon.ingest.split import JSON, PROTOBUF, split
from ragmon.metrics.registry import build
from ragmon.model.flow import Body, Conflict, Ends, Part, SpanPart
from ragmon.model.result import Fresh
from ragmon.settle import TraceLimits
from ragmon.store.aside import AsideFolder, NoAside
from ragmon.store.inbox import SqliteInbox
from ragmon.store.sqlite import SqliteStore
from ragmon.telemetry import Transport

S = 1_000_000_000
START_NS = 1_796_100_000 * S
TRACES = Path(__file__).parent.parent / "fixtures" / "traces"
SPANS = split((TRACES / "openinference_llamaindex.json").read_bytes(), JSON, 0).span_count


def body(name: str, received_ns: int) -> Body:
    """One trace file as a body; its requests ended before `received_ns`."""
    content = (TRACES / f"{name}.json").read_bytes()
    read = split(content, JSON, received_ns)
    return Body(received_ns, JSON, "", content, read.span_count)


def send(parts: Parts, *bodies: Body) -> None:
    for one in bodies:
        parts.writer.submit(one).result()
        parts.exporter.received(Transport.HTTP, one.span_count)


@contextmanager
def running(folder: Path) -> Iterator[Parts]:
    with assembled(config(folder)) as parts:
        yield parts


def config(folder: Path) -> Config:
    return load(None, {"store": {"path": str(folder)}})


def series(parts: Parts, name: str) -> float:
    lines = parts.exporter.exposition().body.decode().splitlines()
    return sum(
        float(line.rsplit(" ", 1)[1])
        for line in lines
        if line.startswith((f"{name}{{", f"{name} "))
    )


def law(parts: Parts) -> tuple[float, float]:
    prefix = "ragmon_processor_"
    came = ("spans_received_total", "spans_replayed_total")
    went = ("spans_duplicate_total", "spans_settled_total", "spans_dropped_total", "open_spans")
    left, right = (sum(series(parts, prefix + name) for name in side) for side in (came, went))
    return left, right


def test_a_request_is_settled_after_its_quiet_time(tmp_path: Path) -> None:
    """Nothing is measured before the quiet time, everything after it, and the inbox empties."""
    with running(tmp_path) as parts:
        send(parts, body("openinference_llamaindex", START_NS))
        parts.processor.step(START_NS + 5 * S)
        assert series(parts, "ragmon_requests_total") == 0
        assert law(parts)[0] == law(parts)[1] > 0
        parts.processor.step(START_NS + 6 * S)
        assert series(parts, "ragmon_requests_total") == 1
        # The other trace of the file is an indexing run, which is known too.
        assert series(parts, "ragmon_processor_traces_without_request_total") == 0
        assert (0, 0) == (parts.processor.open_spans, parts.inbox.bytes)


def test_the_same_body_again_counts_duplicates_only(tmp_path: Path) -> None:
    """At-least-once delivery changes no result and counts no request twice."""
    with running(tmp_path) as parts:
        send(parts, body("openinference_llamaindex", START_NS))
        parts.processor.step(START_NS + 10 * S)
        send(parts, body("openinference_llamaindex", START_NS + 20 * S))
        parts.processor.step(START_NS + 40 * S)
        assert series(parts, "ragmon_requests_total") == 1
        assert series(parts, "ragmon_processor_spans_duplicate_total") == SPANS
        assert law(parts)[0] == law(parts)[1]


def test_open_traces_come_back_after_a_restart(tmp_path: Path) -> None:
    """What was acknowledged and not settled is replayed, and counted as that."""
    with running(tmp_path) as parts:
        send(parts, body("openinference_llamaindex", START_NS))
        parts.processor.step(START_NS + S)
    with running(tmp_path) as parts:
        assert series(parts, "ragmon_processor_spans_replayed_total") == SPANS
        parts.processor.step(START_NS + 60 * S)
        assert series(parts, "ragmon_requests_total") == 1
        assert law(parts)[0] == law(parts)[1] == SPANS


def test_without_an_inbox_a_shutdown_settles_what_is_open() -> None:
    """Draining releases every open trace."""
    with assembled(load(None, {"store": {"path": "memory"}})) as parts:
        send(parts, body("openinference_llamaindex", START_NS))
        parts.processor.drain(START_NS)
        assert series(parts, "ragmon_requests_total") == 1
        assert series(parts, "ragmon_processor_traces_released_total") == 2


class Unreliable(SqliteStore):
    """A store whose disk can be full."""

    full = False

    def commit(self, *given: Any, **named: Any) -> tuple[list[Fresh], list[Conflict]]:
        if self.full:
            raise StoreUnavailableError("the disk is full")
        return super().commit(*given, **named)


def test_a_store_that_cannot_commit_loses_nothing(tmp_path: Path) -> None:
    """Nothing is forgotten while the store is away; the same round works when it is back."""
    registry = build()
    exporter = Exporter(registry, (), 900, 50, "test")
    with SqliteInbox(tmp_path, 1 << 20) as inbox, Unreliable(tmp_path) as store:
        processor = Processor(
            inbox,
            store,
            Assembler(AssemblySettings()),
            registry,
            Ledger(exporter),
            NoAside(),
            ProcessorSettings(TraceLimits(), retention_ns=1 << 62),
            lambda: 0.0,
        )
        inbox.append([body("openinference_llamaindex", START_NS)])
        store.full = True
        for second in (10, 11):
            with pytest.raises(StoreUnavailableError):
                processor.step(START_NS + second * S)
        assert inbox.bytes > 0
        assert processor.open_spans == SPANS
        store.full = False
        processor.step(START_NS + 12 * S)
        assert (inbox.bytes, processor.open_spans) == (0, 0)


def test_a_trace_that_fails_twice_is_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One trace that cannot be settled costs no other; its spans are counted as failed."""
    broken = SpanPart("f" * 32, "e" * 16, None, Ends.REQUEST, START_NS, START_NS, b"", b"secret")
    bodies = (
        Body(START_NS, JSON, "", b"{}", 1, (Part(broken.trace_id, (broken,)),)),
        body("openinference_llamaindex", START_NS),
    )
    with running(tmp_path) as parts:
        send(parts, *bodies)
        parts.processor.step(START_NS + 60 * S)
        assert series(parts, "ragmon_requests_total") == 1
        assert series(parts, "ragmon_processor_spans_dropped_total") == 1
        assert law(parts)[0] == law(parts)[1]
        assert parts.inbox.bytes == 0
    assert broken.trace_id in caplog.text
    assert "secret" not in caplog.text


def test_a_body_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    """Its spans are counted as failed, its bytes set aside, and the mark moves on."""
    damaged = Body(START_NS, JSON, "gzip", b"no gzip", 3)
    unpacked = Body(START_NS, "", "", b"garbled", 2)
    with running(tmp_path) as parts:
        send(parts, damaged, body("openinference_llamaindex", START_NS), unpacked)
        parts.processor.step(START_NS + 60 * S)
        assert series(parts, "ragmon_requests_total") == 1
        assert series(parts, "ragmon_processor_spans_dropped_total") == 5
        assert law(parts)[0] == law(parts)[1]
        assert parts.inbox.bytes == 0
    assert len(list((tmp_path / "aside").iterdir())) == 2


class Poisoned(SqliteStore):
    """A store that cannot write one trace, and says so by the wrong exception."""

    def commit(self, settled: Any, *given: Any, **named: Any) -> tuple[list[Fresh], list[Conflict]]:
        if any(one.draft.kept.trace_id == POISON for one in settled):
            raise TypeError("Integer exceeds 64-bit range")
        return super().commit(settled, *given, **named)


POISON = split((TRACES / "openinference_langchain.json").read_bytes(), JSON, 0).parts[0].trace_id


def test_a_trace_that_cannot_be_written_costs_no_other(tmp_path: Path) -> None:
    """The batch is repeated one by one, and only the culprit is given up."""
    registry = build()
    exporter = Exporter(registry, (), 900, 50, "test")
    aside = AsideFolder(tmp_path / "aside")
    with SqliteInbox(tmp_path, 1 << 20) as inbox, Poisoned(tmp_path) as store:
        settings = ProcessorSettings(TraceLimits(), retention_ns=1 << 62)
        assembler = Assembler(AssemblySettings())
        given = (inbox, store, assembler, registry, Ledger(exporter), aside, settings)
        processor = Processor(*given, lambda: 0.0)
        names = ("openinference_langchain", "openinference_llamaindex")
        inbox.append([body(name, START_NS) for name in names])
        processor.step(START_NS + 60 * S)
        requests = [row for row in store.rows(0, 1 << 62) if row.layout == registry.layout]
        assert len(requests) == 1
        assert (inbox.bytes, processor.open_spans) == (0, 0)
    assert [POISON] == [path.name.partition(".")[0] for path in (tmp_path / "aside").iterdir()]


def test_a_set_aside_file_can_be_replayed(tmp_path: Path) -> None:
    """It holds the spans with their resource and scope, as an export request."""
    parts = split((TRACES / "openinference_llamaindex.json").read_bytes(), JSON, 0).parts
    spans = [span for part in parts for span in part.spans]
    folder = AsideFolder(tmp_path, limit_bytes=1 << 20)
    assert folder.put("some", export_request(spans))
    (kept,) = tmp_path.iterdir()
    again = split(kept.read_bytes(), PROTOBUF, 0).parts
    assert {span.span for part in again for span in part.spans} == {span.span for span in spans}
    assert {span.context for part in again for span in part.spans} == {spans[0].context}
    assert not AsideFolder(tmp_path, limit_bytes=10).put("other", b"x" * 11)
