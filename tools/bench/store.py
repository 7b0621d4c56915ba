"""What the store costs a trace, and the inbox a body, by how many share a transaction.

Traces of 6 spans and 40 KB of text with 18 scores and two match keys; bodies of 40 KB. The
store by CPU of the process, the inbox by time on the clock: a sync is waiting, not CPU.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ragmon.metrics.registry import build
from ragmon.model.flow import Body, Draft, Ends, Kept, Settled, SpanPart
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import Cause, Observation, Observed, RequestKey, Result
from ragmon.store.inbox import SqliteInbox
from ragmon.store.sqlite import SqliteStore

GROUPS = (1, 8, 64)
TRACES, BODIES, ROUNDS = 256, 512, 3
SPANS, SPAN_BYTES = 6, 6_700
NOW_NS = 1_796_100_000_000_000_000

_VALUES = (0.5, NotMeasured(Kind.MISSING, "gold_ids"))
_WORDS = " ".join(f"word{number}" for number in range(2000))


def main() -> None:
    """Print both, as ratios of what one a transaction costs."""
    _print_store()
    _print_inbox()


def _print_store() -> None:
    traces = [_settled(number) for number in range(TRACES)]
    labels = [key for trace in traces for result in trace.results for key in result.match_keys]
    packed = {group: _median(lambda group=group: _store_cpu_us(traces, group)) for group in GROUPS}  # type: ignore[misc]
    print(f"store: load, known and commit of {len(traces)} traces under {len(labels)} match keys")
    for group, us in packed.items():
        ratio = f"x{us / packed[1]:.2f} of one a transaction"
        print(f"  {group:2} a transaction: {us:5.0f} us CPU a trace, {ratio}")


def _store_cpu_us(traces: Sequence[Settled], group: int) -> float:
    with tempfile.TemporaryDirectory() as folder, SqliteStore(Path(folder)) as store:
        store.commit([replace(traces[0], draft=_draft(-1))], NOW_NS)
        start = time.process_time()
        for first in range(0, len(traces), group):
            _commit(store, traces[first : first + group])
        return (time.process_time() - start) / len(traces) * 1e6


def _commit(store: SqliteStore, batch: Sequence[Settled]) -> None:
    store.load([one.draft.kept.trace_id for one in batch])
    store.known(key for one in batch for result in one.results for key in result.match_keys)
    store.commit(batch, NOW_NS)


def _draft(number: int) -> Draft:
    trace_id = f"{number & (2**128 - 1):032x}"
    source = random.Random(number)
    starts = [source.randrange(1000) for _ in range(SPANS)]
    spans = tuple(
        SpanPart(
            trace_id=trace_id,
            span_id=f"{place:016x}",
            parent_id=None,
            ends=Ends.REQUEST,
            end_ns=NOW_NS,
            arrival_ns=NOW_NS,
            context=b"resource" * 20,
            span=_WORDS[start : start + SPAN_BYTES].encode(),
        )
        for place, start in enumerate(starts)
    )
    return Draft(Kept(trace_id), spans, ())


def _settled(number: int) -> Settled:
    layout = build().layout
    draft = _draft(number)
    trace_id = draft.kept.trace_id
    observations: dict[Observation, Observed] = {
        Observation("outcome"): "answered",
        Observation("tokens", "model", "input"): 900,
        Observation("tokens", "model", "output"): 120,
        Observation("cost", "model"): 0.002,
        Observation("retrieved_chunks"): 7,
        Observation("context_tokens"): 1050,
        **{Observation("duration", stage): 0.25 for stage in Stage},
    }
    result = Result(
        key=RequestKey(trace_id, f"{0:016x}"),
        span_ids=tuple(f"{place:016x}" for place in range(SPANS)),
        pipeline="bench",
        pipeline_version="1",
        event_ns=NOW_NS + number * 10**9,
        outcome=Outcome.ANSWERED,
        weight=1.0,
        layout=layout,
        values=tuple(_VALUES[place % 2] for place in range(len(layout))),
        durations=dict.fromkeys(Stage, 0.25),
        observations=observations,
        match_keys=(
            MatchKey(TargetKind.SPAN, f"{trace_id}/{0:016x}"),
            MatchKey(TargetKind.TRACE, trace_id),
            MatchKey(TargetKind.QUERY, f"question number {number}"),
        ),
    )
    return Settled(draft, (result,), (), Cause.LATE_SPAN)


def _print_inbox() -> None:
    source = random.Random(7)
    content = " ".join(source.choices(_WORDS.split(), k=5_000)).encode()
    body = Body(NOW_NS, "application/x-protobuf", "", content, SPANS)
    rates = {group: _median(lambda group=group: _inbox_rate(body, group)) for group in GROUPS}  # type: ignore[misc]
    print(f"inbox: appends of bodies of {len(content) >> 10} KB, acknowledged as durable")
    for group, rate in rates.items():
        ratio = f"x{rate / rates[1]:.2f} of one a transaction"
        print(f"  {group:2} a transaction: {rate:6.0f} a second, {ratio}")


def _inbox_rate(body: Body, group: int) -> float:
    with tempfile.TemporaryDirectory() as folder, SqliteInbox(Path(folder), 1 << 30) as inbox:
        start = time.perf_counter()
        for _ in range(BODIES // group):
            inbox.append([body] * group)
        return BODIES / (time.perf_counter() - start)


def _median(run: Callable[[], float]) -> float:
    return statistics.median(run() for _ in range(ROUNDS))
