"""One export request to the spans of each of its traces."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ragmon.errors import MalformedError, TooLargeError
from ragmon.ingest import otlp_json, protobuf
from ragmon.ingest.bounds import SPANS
from ragmon.ingest.json_body import load
from ragmon.ingest.wire import Read, ScopeGroup, span_part
from ragmon.model.flow import Part, SpanPart

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"

_MOST_PROBLEMS: Final = 5
_PROBLEM_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class SplitBody:
    """What a body holds.

    `span_count` are the valid spans, `rejected` the others. `problems` says in at most
    some 1,200 characters what was rejected where, or what was surely not meant; empty if
    all is well.
    """

    parts: tuple[Part, ...]
    span_count: int
    rejected: int
    problems: str


def split(content: bytes, media_type: str, received_ns: int) -> SplitBody:
    """Split an uncompressed body into its traces, in order of their first span.

    Args:
        content: an ExportTraceServiceRequest.
        media_type: `application/json`, or protobuf for anything else.
        received_ns: when it came, the arrival of its spans.

    Raises:
        MalformedError: the body as a whole cannot be decoded.
        TooLargeError: it has more spans or values than a body may have.
    """
    collected = _Collected()
    if media_type == JSON:
        document = load(content)
        collected.problems.extend(otlp_json.warnings(document))
        groups = otlp_json.scope_groups(document)
    else:
        groups = protobuf.scope_groups(content)
    for group in groups:
        collected.add(group, received_ns)
    return collected.body()


class _Collected:
    """Spans by trace while a body is read."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._traces: dict[str, list[SpanPart]] = {}
        self._valid = 0
        self._rejected = 0

    def add(self, group: ScopeGroup, received_ns: int) -> None:
        for index, read in enumerate(group.spans):
            try:
                part = _part(read, group.context, received_ns)
            except MalformedError as error:
                self._reject(f"{group.where}.spans[{index}]: {error}")
            else:
                self._valid += 1
                self._traces.setdefault(part.trace_id, []).append(part)
            if self._valid + self._rejected > SPANS:
                raise TooLargeError(f"more than {SPANS} spans in one body")

    def _reject(self, problem: str) -> None:
        self._rejected += 1
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem[:_PROBLEM_LENGTH])

    def body(self) -> SplitBody:
        parts = tuple(Part(trace_id, tuple(spans)) for trace_id, spans in self._traces.items())
        return SplitBody(parts, self._valid, self._rejected, "; ".join(self._lines()))

    def _lines(self) -> Iterator[str]:
        if self._rejected:
            yield f"{self._rejected} of {self._valid + self._rejected} spans rejected"
        yield from self.problems


def _part(read: Read, context: bytes, received_ns: int) -> SpanPart:
    if isinstance(read, MalformedError):
        raise read
    return span_part(read, context, received_ns)
