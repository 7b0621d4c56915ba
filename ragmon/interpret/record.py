"""One request of a trace, as metrics see it."""

from collections.abc import Sequence

from ragmon.interpret import identity
from ragmon.interpret.absence import absences
from ragmon.interpret.choice import first_of, latest_first, latest_of
from ragmon.interpret.content import read_content
from ragmon.interpret.dialects import dialect_of
from ragmon.interpret.faults import error_type, failed
from ragmon.interpret.scope import Scope
from ragmon.interpret.stages import plausible_s, ran_backwards, run_stages
from ragmon.interpret.times import event_time
from ragmon.model.record import Document, Outcome, RequestRecord, Stage, StageRun
from ragmon.model.span import Trace
from ragmon.text import Text
from ragmon.text.abstention import decide


def read_request(
    trace: Trace, scope: Scope, adjusted: float | None, *, canary: bool = False
) -> RequestRecord:
    """The record of a request; `adjusted`: the number of requests it stands for."""
    content = read_content(scope)
    texts = content.texts
    error = _error(scope)
    stages = run_stages(scope, content.line)
    event_ns, faults = _time(trace, scope, stages)
    believed = scope.believed
    answer = texts.text(content.answer)
    context = texts.documents(content.context.documents) if content.context else None
    return RequestRecord(
        trace_id=trace.trace_id,
        span_id=scope.key,
        span_ids=tuple(sorted([node.span.span_id for node in scope.nodes])),
        dialect=dialect_of(scope.nodes),
        pipeline=identity.pipeline(believed),
        event_ns=event_ns,
        outcome=_outcome(error, answer, context or ()),
        pipeline_version=identity.pipeline_version(believed),
        request_id=identity.request_id(believed),
        latency_s=_latency_s(scope),
        error_type=error,
        query=texts.text(content.query),
        retrieved=texts.documents(content.retrieved.documents),
        reranked=texts.documents(content.reranked.documents),
        context=context,
        context_source=content.context.source if content.context else None,
        max_context_tokens=latest_of(scope.nodes, lambda meaning: meaning.max_context_tokens),
        prompt=texts.text(content.prompt),
        answer=answer,
        citations=content.citations,
        model=first_of(content.line, lambda meaning: meaning.model),
        usage=content.usage,
        time_to_first_token_s=first_of(
            (*content.line, *scope.request), lambda meaning: meaning.first_token_s
        ),
        stages=stages,
        absent=absences(scope, content),
        weight=adjusted,
        clock_faults=faults,
        canary=canary,
    )


def _error(scope: Scope) -> str | None:
    """The error of a failed request: its own, else one below it; None where it did not fail.

    Without a request span the topmost spans stand for it.
    """
    ends = scope.request or scope.tops
    if not any(failed(node.span) for node in ends):
        return None
    return error_type((*ends, *latest_first(scope.nodes)))


def _outcome(error: str | None, answer: Text | None, context: Sequence[Document]) -> Outcome:
    if error is not None:
        return Outcome.ERROR
    if answer is None:
        return Outcome.UNKNOWN
    decision = decide(answer, [document.text for document in context if document.text])
    return Outcome.of(decision)


def _latency_s(scope: Scope) -> float | None:
    if scope.root is None or ran_backwards((scope.root,)):
        return None
    return plausible_s(scope.root.span.end_ns - scope.root.span.start_ns)


def _time(trace: Trace, scope: Scope, stages: dict[Stage, StageRun]) -> tuple[int, tuple[str, ...]]:
    """When the request ended, and what is wrong with its clocks."""
    ended = scope.request or scope.nodes
    negative = ran_backwards(scope.request) or any(
        run.duration_s is None for run in stages.values()
    )
    return event_time(trace, ended, negative=negative)
