"""Parts can be written back as a request that any OTLP tool reads."""

from ragmon.ingest.request import export_request
from ragmon.ingest.split import JSON, PROTOBUF, split


def test_round_trip(trace_file: bytes) -> None:
    """Parts written back and split again are the same parts."""
    parts = split(trace_file, JSON, 7).parts
    written = export_request(span for part in parts for span in part.spans)
    assert parts == split(written, PROTOBUF, 7).parts
