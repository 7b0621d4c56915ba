"""A gold label as the object that would be posted to say it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from ragmon.model.gold import GoldLabel, TargetKind

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def posted_form(label: GoldLabel) -> dict[str, Any]:
    """The object from which `parse_label` reads exactly this label again."""
    said = {
        **_target(label),
        "pipeline": label.pipeline,
        str(label.field): json.loads(label.value),
        "annotator": label.annotator,
        "labelled_at": _iso(label.labelled_at_ns),
        "revision": label.revision,
        "probability": label.probability,
    }
    return {name: value for name, value in said.items() if value is not None}


def _target(label: GoldLabel) -> dict[str, str]:
    key = label.key
    match key.kind:
        case TargetKind.SPAN:
            trace_id, _, span_id = key.value.partition("/")
            return {"trace_id": trace_id, "span_id": span_id}
        case TargetKind.TRACE:
            return {"trace_id": key.value}
        case TargetKind.REQUEST_ID:
            return {"request_id": key.value}
        case TargetKind.QUERY:
            return {"query": label.query or key.value}


def _iso(moment_ns: int) -> str:
    """ISO 8601 with as many digits as there are nanoseconds."""
    seconds, nanoseconds = divmod(moment_ns, 1_000_000_000)
    whole = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{whole}.{nanoseconds:09d}Z"
