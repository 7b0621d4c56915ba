"""Traces to records and runs: everything that a trace tells of."""

from typing import NamedTuple

from ragmon import semconv
from ragmon.interpret.dialects import read_span
from ragmon.interpret.record import read_request
from ragmon.interpret.runs import read_runs
from ragmon.interpret.sampling import weight
from ragmon.interpret.scope import find_scopes
from ragmon.interpret.tree import Forest, Node
from ragmon.model.indexing import IndexingRun
from ragmon.model.record import RequestRecord
from ragmon.model.span import Span, Trace


class Interpreted(NamedTuple):
    """The requests and the indexing runs of a trace, each ordered by time and key."""

    records: tuple[RequestRecord, ...]
    runs: tuple[IndexingRun, ...]


def interpret_whole(trace: Trace) -> Interpreted:
    """The requests and the indexing runs in a trace.

    Pure and total: the result depends on the spans alone, not on their order, and any
    attributes and any parent ids, loops included, give some result.
    """
    users, canary = _without_probe(trace)
    forest = Forest(Node(span, read_span(span)) for span in users)
    adjusted = weight(users)
    scopes = find_scopes(forest)
    records = [read_request(trace, scope, adjusted, canary=canary) for scope in scopes]
    runs = read_runs(trace, forest, scopes, adjusted)
    return Interpreted(tuple(sorted(records, key=_order)), tuple(sorted(runs, key=_order)))


def interpret(trace: Trace) -> tuple[RequestRecord, ...]:
    """The requests in a trace, ordered by time and key.

    A trace without a retrieval or model call, such as an indexing run, gives none.
    """
    return interpret_whole(trace).records


def interpret_runs(trace: Trace) -> tuple[IndexingRun, ...]:
    """The indexing runs in a trace, ordered by time and key; most traces of requests have none."""
    return interpret_whole(trace).runs


def _without_probe(trace: Trace) -> tuple[tuple[Span, ...], bool]:
    """The spans of the application, and whether there is one of a canary beside them."""
    users = tuple([span for span in trace.spans if not _is_mark(span)])
    return users, len(users) < len(trace.spans)


def _is_mark(span: Span) -> bool:
    return span.scope_name == semconv.PROBE_SCOPE and semconv.CANARY in span.attributes


def _order(one: RequestRecord | IndexingRun) -> tuple[int, str]:
    return one.event_ns, one.span_id
