"""The question and the answer of a request."""

from collections.abc import Sequence

from ragmon.interpret.choice import first_of, latest_of
from ragmon.interpret.meaning import Role, SpanMeaning
from ragmon.interpret.scope import Scope
from ragmon.interpret.tree import Node, outermost


def find_query(scope: Scope) -> str | None:
    """What was asked: as the topmost chain has it, else the retrieval's own query.

    Without any one span that stands for the request, what is left of its chains may be
    formatters and parsers: the retrieval is believed first.
    """
    asked = first_of(_chains(scope), _query)
    searched = _searched(scope)
    ordered = (asked, searched) if scope.lead is not None else (searched, asked)
    return next((query for query in ordered if query is not None), None)


def find_answer(scope: Scope, line: Sequence[Node]) -> str | None:
    """What was answered: as the topmost chain has it, else the model call that ended last."""
    told = _told(scope)
    generated = first_of(line, _answer)
    ordered = (told, generated) if scope.lead is not None else (generated, told)
    return next((answer for answer in ordered if answer is not None), None)


def _told(scope: Scope) -> str | None:
    chains = _chains(scope)
    own = first_of(chains[:1], _answer) if scope.lead is not None else None
    return own if own is not None else latest_of(chains, _answer)


def _chains(scope: Scope) -> list[Node]:
    """The span that stands for the request, and below it, unless it is a chain, the topmost."""
    lead = scope.lead
    if lead is None:
        return outermost(scope.of(Role.CHAIN))
    if lead.meaning.role is Role.CHAIN:
        return [lead]
    return [lead, *outermost(scope.of(Role.CHAIN))]


def _searched(scope: Scope) -> str | None:
    """The query of the retriever, of the reranker, or the one text that was embedded for it."""
    retrievers = scope.of(Role.RETRIEVAL)
    rerankers = scope.of(Role.RERANKING)
    embedded = scope.of(Role.EMBEDDING) if retrievers else []
    return first_of((*retrievers, *rerankers, *embedded), _query)


def _query(meaning: SpanMeaning) -> str | None:
    return meaning.query


def _answer(meaning: SpanMeaning) -> str | None:
    return meaning.answer
