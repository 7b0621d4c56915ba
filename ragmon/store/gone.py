"""What points at traces that are gone, and comes too late."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, select

from ragmon.model.flow import TraceState
from ragmon.model.gold import MatchKey, TargetKind
from ragmon.store.chunks import chunks
from ragmon.store.schema import MATCH_KEY, TRACE

_GONE = select(TRACE.c.trace_id).where(
    TRACE.c.trace_id.in_(bindparam("trace_ids", expanding=True)),
    TRACE.c.state == TraceState.GONE.value,
)

_STATES = (
    select(MATCH_KEY.c.digest, TRACE.c.state)
    .distinct()
    .join_from(MATCH_KEY, TRACE, TRACE.c.id == MATCH_KEY.c.trace)
    .where(MATCH_KEY.c.digest.in_(bindparam("digests", expanding=True)))
)


def too_late(connection: Connection, keys: Iterable[MatchKey]) -> frozenset[MatchKey]:
    """Those of these keys that reach a stored trace, and none that is not gone.

    A query stands for all to come, and is never too late.
    """
    traces: dict[str, list[MatchKey]] = defaultdict(list)
    requests: dict[int, list[MatchKey]] = defaultdict(list)
    for key in keys:
        if key.kind in (TargetKind.TRACE, TargetKind.SPAN):
            traces[key.value.partition("/")[0]].append(key)
        elif key.kind is TargetKind.REQUEST_ID:
            requests[key.digest].append(key)
    gone = [traces[trace_id] for trace_id in _gone(connection, list(traces))]
    gone += [requests[digest] for digest in _all_gone(connection, list(requests))]
    return frozenset(key for found in gone for key in found)


def _gone(connection: Connection, trace_ids: Sequence[str]) -> Iterable[str]:
    for some in chunks(trace_ids):
        yield from connection.execute(_GONE, {"trace_ids": some}).scalars()


def _all_gone(connection: Connection, digests: Sequence[int]) -> set[int]:
    states: dict[int, set[str]] = defaultdict(set)
    for some in chunks(digests):
        for digest, state in connection.execute(_STATES, {"digests": some}):
            states[digest].add(state)
    return {digest for digest, found in states.items() if found == {TraceState.GONE.value}}
