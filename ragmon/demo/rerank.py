"""Reranking: passages whose single sentences cover the question come first."""

from collections.abc import Sequence

import ragmon
from ragmon.demo.corpus import Passage
from ragmon.demo.words import sentences, terms


@ragmon.reranking
def rerank(query: str, documents: Sequence[Passage]) -> list[Passage]:
    """All documents, ordered by how much of the query they cover, and how closely together."""
    top = max((document.score for document in documents), default=0.0)
    wanted = frozenset(terms(query))
    rated = [
        Passage(document.id, document.text, _relevance(wanted, document, top))
        for document in documents
    ]
    return sorted(rated, key=lambda document: -document.score)


def coverage(wanted: frozenset[str], text: str) -> float:
    """Share of the wanted terms that a text holds, in [0, 1]; 0 when none is wanted."""
    return len(wanted & set(terms(text))) / len(wanted) if wanted else 0.0


def _relevance(wanted: frozenset[str], document: Passage, top: float) -> float:
    closest = max((coverage(wanted, sentence) for sentence in sentences(document.text)), default=0)
    matched = document.score / top if top else 0.0
    return (matched + coverage(wanted, document.text) + closest) / 3
