"""Spans made by hand, and the traces of real instrumentations, for the tests of this room."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from ragmon.ingest.decode import decode
from ragmon.ingest.split import split
from ragmon.interpret import interpret
from ragmon.model.record import RequestRecord
from ragmon.model.span import AttributeValue, Span, SpanEvent, SpanKind, StatusCode, Trace

TRACES = Path(__file__).parents[1] / "fixtures" / "traces"
ARRIVAL_NS = 10**18

MakeSpan: TypeAlias = Callable[..., Span]
Read: TypeAlias = Callable[..., tuple[RequestRecord, ...]]


def _make_span(
    span_id: str,
    parent_id: str | None = None,
    attributes: Mapping[str, AttributeValue] | None = None,
    *,
    at: tuple[int, int] = (0, 100),
    **changes: Any,
) -> Span:
    """A span; `at` is its start and end in milliseconds."""
    fields: dict[str, Any] = {
        "trace_id": "t",
        "span_id": span_id,
        "parent_id": parent_id,
        "name": span_id,
        "kind": SpanKind.INTERNAL,
        "start_ns": at[0] * 10**6,
        "end_ns": at[1] * 10**6,
        "attributes": attributes or {},
        "events": (),
        "status": StatusCode.UNSET,
        "status_message": "",
        "parent_is_remote": False,
        "trace_state": "",
        "resource": {},
        "scope_name": "",
        "dropped": 0,
    }
    return Span(**{**fields, **changes})


def _rag(stage: str, **named: AttributeValue) -> dict[str, AttributeValue]:
    """Attributes of a ragmon span; `documents_id` stands for `ragmon.documents.id`."""
    lists = ("input_documents", "documents", "context")
    attributes: dict[str, AttributeValue] = {"ragmon.stage": stage}
    for name, value in named.items():
        found = next((head for head in lists if name.startswith(f"{head}_")), None)
        dotted = name if found is None else f"{found}.{name[len(found) + 1 :]}"
        attributes[f"ragmon.{dotted}"] = value
    return attributes


def _kind(kind: str, attributes: Mapping[str, AttributeValue] | None = None) -> dict[str, Any]:
    """Attributes of an OpenInference span."""
    return {"openinference.span.kind": kind, **(attributes or {})}


def _listed(name: str, *documents: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
    """OpenInference's flattened list of documents."""
    return {
        f"{name}.{index}.document.{field}": value
        for index, document in enumerate(documents)
        for field, value in document.items()
    }


def _read(*spans: Span, arrival_ns: int = ARRIVAL_NS) -> tuple[RequestRecord, ...]:
    return interpret(Trace("t", spans, arrival_ns))


def _read_file(name: str) -> tuple[RequestRecord, ...]:
    body = split((TRACES / f"{name}.json").read_bytes(), "application/json", 2**62)
    traces = [Trace(part.trace_id, decode(part.spans), 2**62) for part in body.parts]
    return tuple(record for trace in traces for record in interpret(trace))


@pytest.fixture
def span() -> MakeSpan:
    return _make_span


@pytest.fixture
def rag() -> Callable[..., dict[str, Any]]:
    return _rag


@pytest.fixture
def kind() -> Callable[..., dict[str, Any]]:
    return _kind


@pytest.fixture
def listed() -> Callable[..., dict[str, Any]]:
    return _listed


@pytest.fixture
def read() -> Read:
    """Interpret spans as one trace."""
    return _read


@pytest.fixture
def read_one() -> Callable[..., RequestRecord]:
    """Interpret spans as one trace that holds one request."""

    def one(*spans: Span, arrival_ns: int = ARRIVAL_NS) -> RequestRecord:
        (record,) = _read(*spans, arrival_ns=arrival_ns)
        return record

    return one


@pytest.fixture
def read_file() -> Callable[[str], tuple[RequestRecord, ...]]:
    return _read_file


@pytest.fixture
def exception() -> Callable[[str], SpanEvent]:
    return lambda name: SpanEvent("exception", 0, {"exception.type": name})
