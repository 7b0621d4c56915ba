"""Traces to records: each request of a trace as metrics see it."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ragmon.interpret import chain, identity, lists
from ragmon.interpret.choice import first_of, latest_first, latest_of
from ragmon.interpret.context import Context, Evidence, context_absence, find_context
from ragmon.interpret.dialects import DIALECTS, read_span
from ragmon.interpret.faults import error_type, failed
from ragmon.interpret.generation import answering_line, usage
from ragmon.interpret.lists import Listing
from ragmon.interpret.meaning import Field, Role
from ragmon.interpret.sampling import weight
from ragmon.interpret.scope import Scope, find_scopes
from ragmon.interpret.stages import ran_backwards, run_stages
from ragmon.interpret.texts import Texts
from ragmon.interpret.tree import Forest, Node
from ragmon.model.record import Absence, ModelUsage, Outcome, RequestRecord, Stage, StageRun
from ragmon.model.span import Trace

FUTURE: Final = "future"
"""A clock fault: the request ends more than five minutes after it arrived."""
NEGATIVE: Final = "negative"
"""A clock fault: a span ends before it starts."""

_AHEAD_NS: Final = 300 * 10**9
_RANKS: Final = {dialect.name: rank for rank, dialect in enumerate(DIALECTS)}


def interpret(trace: Trace) -> tuple[RequestRecord, ...]:
    """The requests in a trace, ordered by time and key.

    Pure and total: the result depends on the spans alone, not on their order, and any
    attributes and any parent ids, loops included, give some result. A trace without a
    retrieval or model call, such as an indexing run, gives none.
    """
    forest = Forest(Node(span, read_span(span)) for span in trace.spans)
    adjusted = weight(trace.spans)
    records = [_record(trace, scope, adjusted) for scope in find_scopes(forest)]
    return tuple(sorted(records, key=lambda record: (record.event_ns, record.span_id)))


class _Content(NamedTuple):
    """What a request was about."""

    line: Sequence[Node]
    query: str | None
    prompt: str | None
    answer: str | None
    retrieved: Listing
    reranked: Listing
    context: Context | None
    citations: tuple[str, ...] | None
    usage: tuple[ModelUsage, ...]
    texts: Texts


def _record(trace: Trace, scope: Scope, adjusted: float | None) -> RequestRecord:
    content = _content(scope)
    texts = content.texts
    stages = run_stages(scope, content.line)
    event_ns, faults = _time(trace, scope, stages)
    return RequestRecord(
        trace_id=trace.trace_id,
        span_id=scope.key,
        span_ids=tuple(sorted([node.span.span_id for node in scope.nodes])),
        dialect=_dialect(scope),
        pipeline=identity.pipeline(scope),
        event_ns=event_ns,
        outcome=_outcome(scope, content.answer),
        pipeline_version=identity.pipeline_version(scope),
        request_id=identity.request_id(scope),
        latency_s=_latency_s(scope),
        error_type=_error_type(scope),
        query=texts.text(content.query),
        retrieved=texts.documents(content.retrieved.documents),
        reranked=texts.documents(content.reranked.documents),
        context=texts.documents(content.context.documents) if content.context else None,
        context_source=content.context.source if content.context else None,
        max_context_tokens=latest_of(scope.nodes, lambda meaning: meaning.max_context_tokens),
        prompt=texts.text(content.prompt),
        answer=texts.text(content.answer),
        citations=content.citations,
        model=first_of(content.line, lambda meaning: meaning.model),
        usage=content.usage,
        time_to_first_token_s=first_of(
            (*content.line, *_root(scope)), lambda meaning: meaning.first_token_s
        ),
        stages=stages,
        absent=dict(_absent(scope, content)),
        weight=adjusted,
        clock_faults=faults,
    )


def _content(scope: Scope) -> _Content:
    line = answering_line(scope)
    query = chain.find_query(scope)
    prompt = first_of(_prompted(scope, line), lambda meaning: meaning.prompt)
    retrieved, reranked = lists.retrieved(scope), lists.reranked(scope)
    texts = Texts(scope.nodes)
    evidence = Evidence(query, prompt, retrieved.documents, reranked.documents, texts)
    return _Content(
        line=line,
        query=query,
        prompt=prompt,
        answer=chain.find_answer(scope, line),
        retrieved=retrieved,
        reranked=reranked,
        context=find_context(scope, line, evidence),
        citations=latest_of(scope.nodes, lambda meaning: meaning.citations),
        usage=usage(scope),
        texts=texts,
    )


def _prompted(scope: Scope, line: Sequence[Node]) -> list[Node]:
    """Where the prompt is looked for: the model call that answered, then the prompt builders."""
    return [*line, *latest_first(scope.roles[Role.AUGMENTATION])]


def _root(scope: Scope) -> Sequence[Node]:
    return () if scope.root is None else (scope.root,)


def _dialect(scope: Scope) -> str:
    """The dialect of the request, of several the one that is read first."""
    found = {node.meaning.dialect for node in scope.nodes if node.meaning.dialect}
    return min(found, key=lambda name: _RANKS.get(name, len(_RANKS)), default="")


def _ends(scope: Scope) -> Sequence[Node]:
    """The request span, or without one the topmost spans."""
    return _root(scope) or scope.tops


def _outcome(scope: Scope, answer: str | None) -> Outcome:
    if any(failed(node.span) for node in _ends(scope)):
        return Outcome.ERROR
    return Outcome.UNKNOWN if answer is None else Outcome.ANSWERED


def _error_type(scope: Scope) -> str | None:
    """The type of a failed request's error: its own, else that of a span below it."""
    if not any(failed(node.span) for node in _ends(scope)):
        return None
    return error_type((*_ends(scope), *latest_first(scope.nodes)))


def _latency_s(scope: Scope) -> float | None:
    if scope.root is None or ran_backwards((scope.root,)):
        return None
    return (scope.root.span.end_ns - scope.root.span.start_ns) / 1e9


def _time(trace: Trace, scope: Scope, stages: dict[Stage, StageRun]) -> tuple[int, tuple[str, ...]]:
    """When the request ended, and what is wrong with its clocks."""
    ended = _root(scope) or scope.nodes
    end_ns = max(node.span.end_ns for node in ended)
    future = end_ns > trace.arrival_ns + _AHEAD_NS
    negative = ran_backwards(_root(scope)) or any(run.duration_s is None for run in stages.values())
    faults = [name for name, found in ((FUTURE, future), (NEGATIVE, negative)) if found]
    return trace.arrival_ns if future else end_ns, tuple(faults)


def _absent(scope: Scope, content: _Content) -> Iterator[tuple[str, Absence]]:
    """Why fields are None, or empty where nothing is known of usage, where that is known."""
    prompted = _prompted(scope, content.line)
    answered = [*_root(scope), *scope.roles[Role.CHAIN], *content.line]
    causes = (
        ("query", content.query, _cause(scope.nodes, Field.QUERY)),
        ("retrieved", content.retrieved.documents, content.retrieved.absence),
        ("reranked", content.reranked.documents, content.reranked.absence),
        ("context", content.context, context_absence(scope) or content.retrieved.absence),
        ("prompt", content.prompt, _cause(prompted, Field.PROMPT)),
        ("answer", content.answer, _cause(answered, Field.ANSWER)),
        ("citations", content.citations, _cause(scope.nodes, Field.CITATIONS)),
        ("usage", content.usage or None, _cause(content.line, Field.USAGE)),
    )
    for field, value, cause in causes:
        if value is None and cause is not None:
            yield field, cause


def _cause(nodes: Sequence[Node], field: Field) -> Absence | None:
    """What a span says of the field, else that a span which could have carried it was torn."""
    found = (node.meaning.absent.get(field) for node in nodes)
    torn = any(node.span.dropped for node in nodes)
    fallback = Absence.DROPPED_ATTRIBUTES if torn and field is not Field.CITATIONS else None
    return next((cause for cause in found if cause is not None), fallback)
