"""A document is erased with what registered it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragmon.app.wiring import Parts
from ragmon.errors import OverloadedError
from ragmon.model.flow import TraceState
from tests.app.at_rest import readable, rests  # noqa: F401 (a fixture)
from tests.app.running import START_NS, S, body, law, running, send, series, span, trace_id

MARKER = "Zanzibar"


def _split(trace: int, document: str, number: int = 1) -> Span:
    """A run that splits one document into one chunk."""
    text = f"{MARKER} {document}"
    return span(
        trace,
        number,
        ragmon__stage="chunking",
        ragmon__source__id=document,
        ragmon__source__text=text,
        ragmon__documents__id=[f"{document}-1"],
        ragmon__documents__text=[text],
    )


def _erase(parts: Parts, document: str, **target: str) -> dict[str, int]:
    erased = parts.erasures.post([{"document_id": document, **target}], START_NS + 100 * S)
    assert () == tuple(erased.faults)
    return {name: count for name, count in erased.counts.items() if count}


def _registered(parts: Parts) -> set[str]:
    with parts.store._database.read() as connection:
        found = connection.exec_driver_sql("SELECT document_id FROM corpus_document")
        return set(found.scalars())


@contextmanager
def _indexed(folder: Path, keep: str = "plain") -> Iterator[Parts]:
    """Two documents were registered by one trace, one of them by another too."""
    with running(folder, keep=keep) as parts:
        send(parts, body(_split(1, "d"), _split(1, "e", 2)), body(_split(2, "d")))
        parts.processor.step(START_NS + 100 * S)
        assert {"d", "e"} == _registered(parts)
        yield parts


@pytest.mark.parametrize("keep", ["plain", "hashed"])
def test_what_registered_it_is_gone(tmp_path: Path, keep: str) -> None:
    """With its texts; what else it registered stays, and nothing registers it again."""
    with _indexed(tmp_path, keep) as parts:
        assert {"documents": 1, "traces": 2} == _erase(parts, "d")
        assert {"e"} == _registered(parts)
        send(parts, body(_split(1, "d", 9)), body(_split(2, "d")))
        parts.processor.step(START_NS + 300 * S)
        assert {"e"} == _registered(parts)
        for number in (1, 2):
            one = trace_id(number)
            assert TraceState.GONE is parts.store.load([one])[one].state
        assert len(set(law(parts))) == 1
        assert series(parts, "ragmon_processor_spans_dropped_total", 'reason="expired"') == 1
        _erase(parts, "e")
        assert not rests(tmp_path, f"{MARKER} e")


def test_another_pipeline_keeps_it(tmp_path: Path) -> None:
    """Documents of the same name are told apart by it."""
    with _indexed(tmp_path) as parts:
        assert {} == _erase(parts, "d", pipeline="other")
        assert {"documents": 1, "traces": 2} == _erase(parts, "d", pipeline="shop")


def test_a_run_that_is_open_puts_it_off(tmp_path: Path) -> None:
    """Else settling it would register the document after all."""
    with running(tmp_path) as parts:
        send(parts, body(_split(1, "d")))
        with pytest.raises(OverloadedError, match="still open"):
            _erase(parts, "d")
        parts.processor.step(START_NS + 100 * S)
        assert {"documents": 1, "traces": 1} == _erase(parts, "d")
        assert not rests(tmp_path, MARKER)


def test_what_was_set_aside_of_it_is_deleted(tmp_path: Path) -> None:
    """Of it alone."""
    aside = tmp_path / "aside"
    aside.mkdir()
    for number, document in ((1, "d"), (2, "e")):
        content = body(_split(number, document)).content
        (aside / f"{trace_id(number)}.otlp.pb").write_bytes(content)
    with running(tmp_path) as parts:
        assert {"set_aside": 1} == _erase(parts, "d")
    assert [f"{trace_id(2)}.otlp.pb"] == [path.name for path in aside.iterdir()]
