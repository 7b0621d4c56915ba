"""Files to records: what ragmon reads in a trace, and why a number is missing.

The same functions as in production, with the whole file known at once.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ragmon.assemble import Assembler, AssemblySettings
from ragmon.ingest.split import SplitBody
from ragmon.metrics.registry import Registry
from ragmon.model.flow import Draft, Kept, Known, Release, ReleaseReason, Settled
from ragmon.model.gold import GoldLabel
from ragmon.model.measurement import NotMeasured
from ragmon.model.record import Document, RequestRecord
from ragmon.model.result import Cause, Result
from ragmon.settle import TraceLimits, draft, settle
from ragmon.text import Text

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_UNBOUNDED = 1 << 62
_SETTINGS = AssemblySettings(open_bytes=_UNBOUNDED, trace_spans=_UNBOUNDED, trace_bytes=_UNBOUNDED)
LIMITS = TraceLimits(spans=_UNBOUNDED, bytes=_UNBOUNDED)
"""A file is what the user asked for: nothing of it is refused for its size."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One request of a file, read and measured."""

    record: RequestRecord
    result: Result
    reason: ReleaseReason

    def line(self, k: int | None) -> dict[str, Json]:
        """The request as `ragmon replay` prints it; null is not captured."""
        record = self.record
        return {
            "trace_id": record.trace_id,
            "request_id": record.request_id,
            "dialect": record.dialect,
            "release_reason": str(self.reason),
            "query": _text(record.query),
            "retrieved": _documents(record.retrieved),
            "reranked": _documents(record.reranked),
            "context": _context(record.context),
            "context_source": record.context_source and str(record.context_source),
            "prompt": _text(record.prompt),
            "answer": _text(record.answer),
            "model": record.model,
            "input_tokens": record.input_tokens,
            "output_tokens": record.output_tokens,
            "cost_usd": record.cost_usd,
            "latency_s": record.latency_s,
            "error": record.error_type,
            "k": k,
            **_measurements(self.result),
        }


def releases(bodies: Iterable[SplitBody], received_ns: int) -> tuple[Release, ...]:
    """Every trace of the bodies, released as it would be if nothing more came."""
    assembler = Assembler(_SETTINGS)
    for offset, body in enumerate(bodies):
        assembler.add(offset, body.parts, received_ns)
    return assembler.due(_UNBOUNDED)


def replay(
    bodies: Iterable[SplitBody],
    labels: tuple[GoldLabel, ...],
    registry: Registry,
    received_ns: int,
) -> Iterator[Replayed]:
    """Read and measure each request of the bodies, in order of their event time."""
    found = [
        one
        for release in releases(bodies, received_ns)
        for one in _requests(release, labels, registry)
    ]
    yield from sorted(found, key=lambda one: (one.record.event_ns, one.result.key))


def _requests(
    release: Release, labels: tuple[GoldLabel, ...], registry: Registry
) -> Iterator[Replayed]:
    read, settled = settle_release(release, labels, registry)
    # The results of indexing runs come after those of the requests.
    for record, result in zip(read.records, settled.results, strict=False):
        yield Replayed(record, result, release.reason)


def settle_release(
    release: Release, labels: tuple[GoldLabel, ...], registry: Registry
) -> tuple[Draft, Settled]:
    """Settle one trace from nothing but its release and the labels given."""
    read = draft(Kept(release.trace_id), release.spans, LIMITS)
    return read, settle(read, Known(labels), registry, Cause.LATE_SPAN)


def _text(text: Text | None) -> str | None:
    return None if text is None else text.raw


def _documents(documents: tuple[Document, ...] | None) -> list[Json] | None:
    if documents is None:
        return None
    return [{"id": one.id, "text": _text(one.text), "score": one.score} for one in documents]


def _context(documents: tuple[Document, ...] | None) -> list[Json] | None:
    if documents is None:
        return None
    return [{"id": one.id, "text": _text(one.text)} for one in documents]


def _measurements(result: Result) -> Mapping[str, Json]:
    measured: dict[str, Json] = {}
    reasons: dict[str, Json] = {}
    for slot, value in zip(result.layout, result.values, strict=True):
        if isinstance(value, NotMeasured):
            reasons[slot.key] = value.reason
        else:
            measured[slot.key] = value
    return {"measurements": measured, "not_measured": reasons}
