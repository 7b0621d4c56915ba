"""Saying from the application what is right about a request."""

import difflib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypedDict, Unpack

from opentelemetry.trace import format_trace_id, get_current_span

from ragmon.capture import faults
from ragmon.capture.posting import poster


class GoldFields(TypedDict, total=False):
    """What can be known of a request; None says nothing."""

    relevant_ids: Iterable[str] | Mapping[str, float] | None
    expected_evidence: Sequence[str | Mapping[str, str]] | None
    expected_chunks: Sequence[str] | None
    reference_answers: str | Sequence[str] | None
    required_facts: Sequence[str | Sequence[str]] | None
    expected_citations: Iterable[str] | None
    answerable: bool | None
    verified_claims: Sequence[bool | None] | None
    task_success: bool | None


def label(
    *,
    trace_id: str | int | None = None,
    span_id: str | None = None,
    request_id: str | None = None,
    query: str | None = None,
    pipeline: str | None = None,
    annotator: str | None = None,
    revision: int | None = None,
    probability: float | None = None,
    labelled_at: float | str | None = None,
    **fields: Unpack[GoldFields],
) -> None:
    """Send a gold label to the processor, in the background; whenever it is known.

    Returns at once. What cannot be delivered is dropped and counted; `flush` waits for what
    is queued. Never raises (see `RAGMON_STRICT`). Texts in it are sent whatever `content`
    is configured: they are said on purpose.

    Args:
        trace_id: The trace of the request, as 32 hexadecimal digits or OpenTelemetry's number;
            without any target, the current trace.
        span_id: One request or chunking span of that trace.
        request_id: The id given to `ragmon.annotate(request_id=...)`.
        query: A question; the label stands for every request with the same words.
        pipeline: Only requests of this pipeline.
        annotator: Who says so.
        revision: A higher one replaces a lower one.
        probability: With which the request was chosen for labelling, above 0 and at most 1.
        labelled_at: When, in ISO 8601 or seconds since 1970; now by default.
        **fields: Any of `relevant_ids` (ids, or id to grade), `reference_answers`,
            `expected_evidence`, `expected_chunks`, `required_facts`, `expected_citations`,
            `answerable`, `verified_claims`, `task_success`; see docs/labels.md.

    Example:
        ragmon.label(request_id="m-4711", task_success=True, annotator="support desk")
    """
    try:
        gold = {name: value for name, value in fields.items() if value is not None}
        _check(gold)
        said = {
            **target(trace_id, span_id, request_id, query),
            "pipeline": pipeline,
            **gold,
            "annotator": annotator,
            "revision": revision,
            "probability": probability,
            "labelled_at": time.time_ns() / 1e9 if labelled_at is None else labelled_at,
        }
        present = {name: value for name, value in said.items() if value is not None}
        poster.put(json.dumps(present, default=_as_json).encode())
    except Exception as fault:  # noqa: BLE001 -- a label is never worth a request
        faults.report(fault, "labelling")


def _check(gold: Mapping[str, object]) -> None:
    known = GoldFields.__annotations__
    unknown = [name for name in gold if name not in known]
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise TypeError(f"unknown gold field {', '.join(map(repr, unknown))}{hint}")
    if not gold:
        raise TypeError(f"no gold field; give at least one of {', '.join(known)}")


def target(
    trace_id: str | int | None, span_id: str | None, request_id: str | None, query: str | None
) -> dict[str, str | None]:
    """The target given, by default the current trace.

    Raises:
        ValueError: there is neither.
    """
    if trace_id is None and request_id is None and query is None:
        trace_id = get_current_span().get_span_context().trace_id
        if not trace_id:
            raise ValueError(
                "no target outside of a trace: give trace_id, request_id or, to a label, query"
            )
    written = format_trace_id(trace_id) if isinstance(trace_id, int) else trace_id
    return {"trace_id": written, "span_id": span_id, "request_id": request_id, "query": query}


def _as_json(value: Any) -> object:
    """Sets and other collections as lists; numbers of other libraries as numbers."""
    if isinstance(value, AbstractSet):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value)
