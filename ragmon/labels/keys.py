"""What a request or an indexing run can be found by."""

from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.indexing import Chunking, IndexingRun
from ragmon.model.record import RequestRecord
from ragmon.text.query import normalise_query


def match_keys(record: RequestRecord) -> tuple[MatchKey, ...]:
    """Every key under which a label reaches this request, narrowest first."""
    keys = _of_trace(record.trace_id, record.span_id)
    if record.request_id:
        keys.append(MatchKey(TargetKind.REQUEST_ID, record.request_id))
    query = normalise_query(record.query) if record.query is not None else ""
    if query:
        keys.append(MatchKey(TargetKind.QUERY, query))
    return tuple(keys)


def run_keys(run: IndexingRun) -> tuple[MatchKey, ...]:
    """Every key under which a label reaches an indexing run; nothing is labelled of vectors."""
    if not isinstance(run.content, Chunking):
        return ()
    return tuple(_of_trace(run.trace_id, run.span_id))


def _of_trace(trace_id: str, span_id: str) -> list[MatchKey]:
    return [
        MatchKey(TargetKind.SPAN, f"{trace_id}/{span_id}"),
        MatchKey(TargetKind.TRACE, trace_id),
    ]
