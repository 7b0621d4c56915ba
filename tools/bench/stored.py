"""A million stored requests over 30 days: rates, the time of a summary, the size of the file.

RAGMON_BENCH_STORED is how many requests, of three pipelines, each of two spans without texts.
Every result has the values of a request that was really measured; labels are joined, and
summaries read, by the parts of a processor as it runs.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragmon.app.upkeep import roll_up_minute
from ragmon.app.wiring import Parts, assembled
from ragmon.config import load
from ragmon.ingest.split import PROTOBUF, split
from ragmon.labels import match_keys
from ragmon.metrics.registry import Registry, build
from ragmon.model.flow import Draft, Kept, Known, Settled, SpanPart
from ragmon.model.record import RequestRecord
from ragmon.model.result import Cause, RequestKey, Result
from ragmon.settle import TraceLimits, draft, settle
from ragmon.text import Text

REQUESTS = int(os.environ.get("RAGMON_BENCH_STORED", "1000000"))
LABELS = max(3, REQUESTS // 100)
DAYS, DAY_S, S = 30, 86_400, 10**9
START_NS = 1_796_083_200 * S
END_NS = START_NS + DAYS * DAY_S * S
PIPELINES = ("shop", "help", "docs")
BATCH = 256
TEMPLATE_ID = b"\xaa" * 16
BEGIN_NS, STOP_NS = START_NS + 123_456_789, START_NS + 987_654_321


def template(pipeline: str) -> tuple[SpanPart, ...]:
    """The spans of one request."""
    exported = ExportTraceServiceRequest()
    resource = exported.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = pipeline
    spans = resource.scope_spans.add().spans
    for place, stage in enumerate(("request", "retrieval"), start=1):
        span = spans.add(
            trace_id=TEMPLATE_ID,
            span_id=place.to_bytes(8, "big"),
            parent_span_id=b"" if place == 1 else (1).to_bytes(8, "big"),
            name=stage,
            start_time_unix_nano=BEGIN_NS,
            end_time_unix_nano=STOP_NS,
        )
        span.attributes.add(key="ragmon.stage").value.string_value = stage
    request, retrieval = spans
    request.attributes.add(key="ragmon.request_id").value.string_value = "m-00000000"
    request.attributes.add(key="ragmon.query").value.string_value = "what is number 00000000"
    ids = retrieval.attributes.add(key="ragmon.documents.id").value.array_value.values
    for document in range(10):
        ids.add(string_value=f"document-{document}")
    (part,) = split(exported.SerializeToString(), PROTOBUF, STOP_NS).parts
    return part.spans


class Source:
    """Makes stored requests out of one that was measured for each pipeline."""

    def __init__(self, registry: Registry) -> None:
        self._made = []
        for pipeline in PIPELINES:
            spans = template(pipeline)
            one = draft(Kept(TEMPLATE_ID.hex()), spans, TraceLimits())
            settled = settle(one, Known(), registry, Cause.LATE_SPAN)
            self._made.append((spans, one.records[0], settled.results[0]))

    def settled(self, number: int) -> Settled:
        """One trace of the time to which its number belongs."""
        spans, record, result = self._made[number % len(self._made)]
        trace_id = number.to_bytes(16, "big")
        end_ns = START_NS + number * (DAYS * DAY_S * S // REQUESTS)
        named = f"{number:08}"
        kept = Kept(trace_id.hex())
        own = replace(
            record,
            trace_id=kept.trace_id,
            event_ns=end_ns,
            request_id=f"m-{named}",
            query=Text(f"what is number {named}"),
        )
        return Settled(
            Draft(kept, tuple(_moved(spans, trace_id, end_ns, named)), (), settled=len(spans)),
            (_result(result, own),),
            (),
            Cause.LATE_SPAN,
        )


def _result(result: Result, record: RequestRecord) -> Result:
    return replace(
        result,
        key=RequestKey(record.trace_id, record.span_id),
        event_ns=record.event_ns,
        match_keys=match_keys(record),
    )


def _moved(
    spans: Sequence[SpanPart], trace_id: bytes, end_ns: int, named: str
) -> Iterator[SpanPart]:
    begin_ns = end_ns - (STOP_NS - BEGIN_NS)
    for span in spans:
        content = span.span.replace(TEMPLATE_ID, trace_id)
        for old, new in ((BEGIN_NS, begin_ns), (STOP_NS, end_ns)):
            content = content.replace(old.to_bytes(8, "little"), new.to_bytes(8, "little"))
        content = content.replace(b"00000000", named.encode())
        yield replace(span, trace_id=trace_id.hex(), span=content, end_ns=end_ns, arrival_ns=end_ns)


@contextmanager
def timed(what: str, count: int, unit: str) -> Iterator[None]:
    """Print how long a block took, and its rate."""
    started = time.perf_counter()
    yield
    took_s = time.perf_counter() - started
    print(f"{what:<42} {took_s:>9.3f} s {count / took_s:>12,.0f} {unit}/s", flush=True)


def _insert(parts: Parts, source: Source) -> None:
    """Commit every request, with progress on a terminal."""
    for first in range(0, REQUESTS, BATCH):
        batch = [source.settled(n) for n in range(first, min(first + BATCH, REQUESTS))]
        parts.store.commit(batch, END_NS, silent=True)
        if sys.stderr.isatty():
            print(f"\r{first:,} of {REQUESTS:,}", end="", file=sys.stderr)


def _join(parts: Parts, target: Callable[[int], dict[str, str]]) -> None:
    """Post labels on requests all over the 30 days, and settle all that they reach."""
    step = REQUESTS // LABELS
    labels = [{**target(n * step), "relevant_ids": ["document-3"]} for n in range(LABELS)]
    for first in range(0, LABELS, 1000):
        parts.labels.post(labels[first : first + 1000], END_NS)
    parts.processor.step(END_NS)
    while parts.processor.behind:
        parts.processor.step(END_NS)


def _roll_up(parts: Parts) -> int:
    """Make every roll-up that is out of date; how many."""
    dirty = parts.store.dirty_within(0, 1 << 40)
    for one in dirty:
        roll_up_minute(parts.store, one)
    return len(dirty)


def _summaries(parts: Parts, state: str) -> None:
    for window in ("1h", "24h", "7d", "30d"):
        with timed(f"summary of {window}, {state}", 1, "summaries"):
            parts.live.summary({"window": window}, END_NS - S)


def main() -> None:
    """Fill a store in a temporary folder, and take everything on it in turn."""
    source = Source(build((5,)))
    with tempfile.TemporaryDirectory() as folder:
        store = {"path": folder, "keep": "plain", "retention_s": 40 * DAY_S}
        with assembled(load(None, {"store": store})) as parts:
            print(f"{REQUESTS:,} requests over {DAYS} days, {len(PIPELINES)} pipelines")
            with timed("insert, two spans each", REQUESTS, "requests"):
                _insert(parts, source)
            with timed("roll-ups of all minutes", REQUESTS, "requests"):
                _roll_up(parts)
            _summaries(parts, "rolled up")
            _labels_and_rest(parts, Path(folder))


def _labels_and_rest(parts: Parts, folder: Path) -> None:
    targets: dict[str, Callable[[int], dict[str, str]]] = {
        "trace id": lambda n: {"trace_id": n.to_bytes(16, "big").hex()},
        "request id": lambda n: {"request_id": f"m-{n + 1:08}"},
        "query": lambda n: {"query": f"what is number {n + 2:08}"},
    }
    for kind, target in targets.items():
        with timed(f"labels by {kind}, stored and joined", LABELS, "labels"):
            _join(parts, target)
    _summaries(parts, "1 % out of date")
    day = {"window": "24h"}
    with timed("rows of a day, for an export", REQUESTS // DAYS, "rows"):
        sum(len(some) for some in parts.live.lines(day, END_NS - S))
    size = (folder / "store.db").stat().st_size
    print(f"size of store.db: {size / 1e6:,.0f} MB, {size / REQUESTS:,.0f} bytes a request")
    with timed("a day expires", REQUESTS // DAYS, "requests"):
        parts.store.expire(START_NS + (40 + 1) * DAY_S * S)


if __name__ == "__main__":
    main()
