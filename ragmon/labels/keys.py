"""What a request or an indexing run can be found by."""

from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.indexing import Chunking, IndexingRun
from ragmon.model.record import RequestRecord
from ragmon.text import Text
from ragmon.text.hashing import TokenHasher
from ragmon.text.query import normalise_query
from ragmon.text.reduced import WithheldText


def match_keys(record: RequestRecord, hasher: TokenHasher | None = None) -> tuple[MatchKey, ...]:
    """Every key under which a label reaches this request, narrowest first.

    hasher: by which queries are known, where they are not known by their words.
    """
    keys = _of_trace(record.trace_id, record.span_id)
    if record.request_id:
        keys.append(MatchKey(TargetKind.REQUEST_ID, record.request_id))
    query = "" if record.query is None else query_name(record.query, hasher)
    if query:
        keys.append(MatchKey(TargetKind.QUERY, query))
    return tuple(keys)


def query_name(query: Text, hasher: TokenHasher | None) -> str:
    """What a query is known by: its words, or the hash of them; empty where it has none."""
    if isinstance(query, WithheldText):
        return query.identity
    words = normalise_query(query)
    return words if hasher is None or not words else hasher.name(words)


def run_keys(run: IndexingRun) -> tuple[MatchKey, ...]:
    """Every key under which a label reaches an indexing run; nothing is labelled of vectors."""
    if not isinstance(run.content, Chunking):
        return ()
    return trace_keys(run.trace_id, run.span_id)


def trace_keys(trace_id: str, span_id: str) -> tuple[MatchKey, ...]:
    """The keys of whatever stands at this span of this trace."""
    return tuple(_of_trace(trace_id, span_id))


def _of_trace(trace_id: str, span_id: str) -> list[MatchKey]:
    return [
        MatchKey(TargetKind.SPAN, f"{trace_id}/{span_id}"),
        MatchKey(TargetKind.TRACE, trace_id),
    ]
