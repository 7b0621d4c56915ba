"""A body without the spans of certain traces."""

from collections.abc import Collection

from ragmon.errors import MalformedError
from ragmon.ingest.compression import inflate
from ragmon.ingest.request import export_request
from ragmon.ingest.split import PROTOBUF, split
from ragmon.model.flow import Body, Part

_ANY_SIZE = 1 << 62


def without(body: Body, trace_ids: Collection[str]) -> Body | None:
    """A body without the spans of these traces, as protobuf; None where it holds none.

    One that cannot be read is emptied, since nobody can tell what it holds.
    """
    try:
        parts = _parts(body)
    except MalformedError:
        return None if not body.content else Body(body.received_ns, "", "", b"", body.span_count)
    if not any(part.trace_id in trace_ids for part in parts):
        return None
    spans = [span for part in parts if part.trace_id not in trace_ids for span in part.spans]
    return Body(body.received_ns, PROTOBUF, "", export_request(spans), len(spans))


def _parts(body: Body) -> tuple[Part, ...]:
    if not body.media_type:
        raise MalformedError("it was damaged on disk")
    content = inflate(body.content, body.encoding, _ANY_SIZE)
    return split(content, body.media_type, body.received_ns).parts
