"""What a request can be found by."""

from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.record import RequestRecord
from ragmon.text.query import normalise_query


def match_keys(record: RequestRecord) -> tuple[MatchKey, ...]:
    """Every key under which a label reaches this request, narrowest first."""
    keys = [
        MatchKey(TargetKind.SPAN, f"{record.trace_id}/{record.span_id}"),
        MatchKey(TargetKind.TRACE, record.trace_id),
    ]
    if record.request_id:
        keys.append(MatchKey(TargetKind.REQUEST_ID, record.request_id))
    query = normalise_query(record.query.raw) if record.query is not None else ""
    if query:
        keys.append(MatchKey(TargetKind.QUERY, query))
    return tuple(keys)
