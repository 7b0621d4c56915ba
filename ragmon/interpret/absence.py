"""Why a field of a record is None, where a span tells."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from ragmon.interpret.content import Content
from ragmon.interpret.meaning import Field, Role
from ragmon.interpret.scope import Scope
from ragmon.interpret.tree import Node
from ragmon.model.record import Absence


def absences(scope: Scope, content: Content) -> dict[str, Absence]:
    """Per record field that is None (or empty, for usage) the cause, where one is known."""
    return {
        name: cause
        for name, value in _fields(content)
        if value is None and (cause := _CAUSES[name](scope, content)) is not None
    }


def _fields(content: Content) -> Iterable[tuple[str, object]]:
    yield "query", content.query
    yield "retrieved", content.retrieved.documents
    yield "reranked", content.reranked.documents
    yield "context", content.context
    yield "prompt", content.prompt
    yield "answer", content.answer
    yield "citations", content.citations
    yield "usage", content.usage or None


def _said(nodes: Iterable[Node], *fields: Field) -> Absence | None:
    """What the first span says about why it lacks one of these fields."""
    told = (node.meaning.absent for node in nodes if node.meaning.absent)
    found = (absent[field] for absent in told for field in fields if field in absent)
    return next(found, None)


def _torn(nodes: Iterable[Node]) -> Absence | None:
    """Whether a span that could have carried a field lost attributes."""
    return Absence.DROPPED_ATTRIBUTES if any(node.span.dropped for node in nodes) else None


def _query(scope: Scope, _: Content) -> Absence | None:
    return _said(scope.nodes, Field.QUERY) or _torn(scope.nodes)


def _context(scope: Scope, content: Content) -> Absence | None:
    listed = content.reranked.absence or content.retrieved.absence
    fields = (Field.CONTEXT, Field.DOCUMENT_TEXTS, Field.PROMPT)
    return _said(scope.nodes, *fields) or listed or _torn(content.prompted)


def _answer(scope: Scope, content: Content) -> Absence | None:
    nodes = [*scope.request, *scope.of(Role.CHAIN), *content.line]
    return _said(nodes, Field.ANSWER) or _torn(nodes)


_CAUSES: Final[Mapping[str, Callable[[Scope, Content], Absence | None]]] = {
    "query": _query,
    "retrieved": lambda _, content: content.retrieved.absence,
    "reranked": lambda _, content: content.reranked.absence,
    "context": _context,
    "prompt": lambda _, content: _said(content.prompted, Field.PROMPT) or _torn(content.prompted),
    "answer": _answer,
    "citations": lambda scope, _: _said(scope.nodes, Field.CITATIONS),
    "usage": lambda scope, _: _torn(scope.of(Role.GENERATION)),
}
