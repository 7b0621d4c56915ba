"""Candidates and final list: what was retrieved, and what reranking made of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ragmon.interpret.meaning import Field, RawDocument, RawDocuments, Role
from ragmon.interpret.scope import Scope
from ragmon.interpret.tree import Node, innermost, outermost
from ragmon.model.record import Absence


class Listing(NamedTuple):
    """A list of documents, or why there is none."""

    documents: RawDocuments | None
    absence: Absence | None = None


_NOT_CAPTURED = Listing(None)
_TORN = Listing(None, Absence.DROPPED_ATTRIBUTES)


def retrieved(scope: Scope) -> Listing:
    """The candidates: per outermost retriever what the innermost with documents returned."""
    sources = _sources(scope.of(Role.RETRIEVAL))
    return _merged(sources, lambda node: _candidates(node, scope.of(Role.RERANKING)))


def reranked(scope: Scope) -> Listing:
    """The final list: a reranker's, else the outermost of nested retrievers that carry lists."""
    listing = _from_rerankers(scope.of(Role.RERANKING))
    if listing.documents is not None or listing.absence is Absence.DROPPED_ATTRIBUTES:
        return listing
    nested = _from_nested(scope.of(Role.RETRIEVAL))
    return listing if nested == _NOT_CAPTURED else nested


def _torn(node: Node) -> bool:
    """Whether the sender's SDK threw away a part of what this span carried."""
    return (
        node.span.dropped > 0
        or node.meaning.absent.get(Field.DOCUMENTS) is Absence.DROPPED_ATTRIBUTES
    )


def _carries(node: Node) -> bool:
    return node.meaning.documents is not None or _torn(node)


def _sources(retrievers: Sequence[Node]) -> list[Node]:
    """The innermost retrievers with documents; where all lists are empty, those with a list."""
    full = [node for node in retrievers if node.meaning.documents or _torn(node)]
    return innermost(full or [node for node in retrievers if _carries(node)] or retrievers)


def _candidates(source: Node, rerankers: Sequence[Node]) -> RawDocuments | None:
    """A retriever that reranks inside returns the final list: the reranker saw the candidates."""
    given = next(
        (
            node.meaning.input_documents
            for node in _inside(source, rerankers)
            if node.meaning.input_documents is not None and not _torn(node)
        ),
        None,
    )
    return source.meaning.documents if given is None else given


def _inside(outer: Node, nodes: Sequence[Node]) -> Sequence[Node]:
    """Those of some nodes, given in order, that lie inside another."""
    first = bisect_left(nodes, outer.first, key=_first)
    return nodes[first : bisect_right(nodes, outer.last, lo=first, key=_first)]


def _first(node: Node) -> int:
    return node.first


def _from_rerankers(rerankers: Sequence[Node]) -> Listing:
    carriers = outermost([node for node in rerankers if _carries(node)])
    if any(map(_torn, carriers)):
        return _TORN
    return _merged(_last_of_cascade(carriers) or rerankers, lambda node: node.meaning.documents)


def _last_of_cascade(rerankers: Sequence[Node]) -> list[Node]:
    """Without those whose result the next reranker took up and narrowed."""
    kept: list[Node] = []
    for node in sorted(rerankers, key=lambda node: node.place):
        if kept and _narrows(node, kept[-1]):
            kept[-1] = node
        else:
            kept.append(node)
    return kept


def _narrows(later: Node, earlier: Node) -> bool:
    if later.span.start_ns < earlier.span.end_ns:
        return False
    final, wide = later.meaning.documents or (), earlier.meaning.documents or ()
    return bool(final) and set(map(identity, final)) <= set(map(identity, wide))


def _from_nested(retrievers: Sequence[Node]) -> Listing:
    carriers = [node for node in retrievers if _carries(node)]
    finals, sources = outermost(carriers), _sources(carriers)
    if {node.first for node in finals}.issuperset(node.first for node in sources):
        return _NOT_CAPTURED
    if _told_twice(finals, sources):
        return _NOT_CAPTURED
    return _merged(finals, lambda node: node.meaning.documents)


def _told_twice(finals: Sequence[Node], sources: Sequence[Node]) -> bool:
    """Whether two instrumentations tell of one retrieval: equal lists in different dialects."""
    return len(finals) == len(sources) and all(
        final is source
        or (
            final.meaning.dialect != source.meaning.dialect
            and _alike(final.meaning.documents or (), source.meaning.documents or ())
        )
        for final, source in zip(finals, sources, strict=True)
    )


def _alike(some: RawDocuments, others: RawDocuments) -> bool:
    """Whether two lists hold the same documents in the same order, by id or by text."""
    return len(some) == len(others) and all(
        (one.id is not None and one.id == other.id)
        or (one.text is not None and one.text == other.text)
        for one, other in zip(some, others, strict=True)
    )


def _merged(nodes: Sequence[Node], read: Callable[[Node], RawDocuments | None]) -> Listing:
    if any(map(_torn, nodes)):
        return _TORN
    placed = sorted(nodes, key=lambda node: node.place)
    lists = [documents for node in placed if (documents := read(node)) is not None]
    if not lists:
        causes = (node.meaning.absent.get(Field.DOCUMENTS) for node in placed)
        return Listing(None, next((cause for cause in causes if cause is not None), None))
    return Listing(lists[0] if len(lists) == 1 else merge(lists))


def merge(lists: Iterable[RawDocuments]) -> RawDocuments:
    """Sibling lists as one, rank by rank, each document at its first place only."""
    kept: dict[object, RawDocument] = {}
    left = [iter(documents) for documents in lists]
    while left:
        rank = [(documents, next(documents, None)) for documents in left]
        for _, document in rank:
            if document is not None:
                kept.setdefault(identity(document), document)
        left = [documents for documents, document in rank if document is not None]
    return tuple(kept.values())


def identity(document: RawDocument) -> object:
    """What makes two documents the same one: the id, else the text, else being the object."""
    if document.id is not None:
        return ("id", document.id)
    return ("text", document.text) if document.text is not None else id(document)
