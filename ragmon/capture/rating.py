"""Saying from the application what somebody thought of an answer."""

import json
import time
from typing import Literal, get_args

from ragmon.capture import faults
from ragmon.capture.labelling import target
from ragmon.capture.posting import feedback_poster

Thumbs = Literal["up", "down"]


def feedback(
    thumbs: Thumbs | None = None,
    *,
    score: float | None = None,
    label: str | None = None,
    name: str | None = None,
    trace_id: str | int | None = None,
    span_id: str | None = None,
    request_id: str | None = None,
    pipeline: str | None = None,
    annotator: str | None = None,
    given_at: float | str | None = None,
) -> None:
    """Send what somebody thought of an answer to the processor, in the background.

    It is counted and shown apart, and never becomes a gold label or part of a score. Returns
    at once, never raises (see `RAGMON_STRICT`), and is dropped and counted where it cannot be
    delivered.

    Args:
        thumbs: "up" or "down".
        score: A rating, in whatever scale.
        label: A word of at most 64 characters; no text of a user's.
        name: What is rated, "feedback" by default.
        trace_id: The trace of the request, as 32 hexadecimal digits or OpenTelemetry's number;
            without any target, the current trace.
        span_id: One span of that trace.
        request_id: The id given to `ragmon.annotate(request_id=...)`.
        pipeline: Only requests of this pipeline.
        annotator: Tells one voice from another: a later word of one replaces the earlier one.
            It is not kept.
        given_at: When, in ISO 8601 or seconds since 1970; now by default.

    Example:
        ragmon.feedback("up", request_id="m-4711")
    """
    try:
        _check(thumbs, score, label)
        said = {
            **target(trace_id, span_id, request_id, None),
            "pipeline": pipeline,
            "name": name,
            "thumbs": thumbs,
            "score": score,
            "label": label,
            "annotator": annotator,
            "given_at": time.time_ns() / 1e9 if given_at is None else given_at,
        }
        present = {key: value for key, value in said.items() if value is not None}
        feedback_poster.put(json.dumps(present, default=float).encode())
    except Exception as fault:  # noqa: BLE001 -- feedback is never worth a request
        faults.report(fault, "giving feedback")


def _check(thumbs: object, score: object, label: object) -> None:
    if thumbs is not None and thumbs not in get_args(Thumbs):
        raise ValueError(f"thumbs={thumbs!r} is none of up, down")
    if thumbs is None and score is None and label is None:
        raise ValueError("no feedback: give thumbs, score or label")
