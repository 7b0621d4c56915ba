"""Retrieval: BM25 over the passages, by `rank_bm25`."""

from collections.abc import Callable, Sequence

from rank_bm25 import BM25Okapi

import ragmon
from ragmon.demo.corpus import Passage
from ragmon.demo.words import terms

Search = Callable[[str, int], list[Passage]]


class Index:
    """Passages that can be searched by their words."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self._bm25 = BM25Okapi([terms(passage.text) for passage in passages])

    def search(self, query: str, top_k: int) -> list[Passage]:
        """The `top_k` passages that match best, best first; as a vector store, it always finds."""
        scores = [float(score) for score in self._bm25.get_scores(terms(query))]
        best = sorted(range(len(scores)), key=lambda n: (-scores[n], n))[:top_k]
        return [Passage(self.passages[n].id, self.passages[n].text, scores[n]) for n in best]


class Retriever:
    """Finds candidates for an answer."""

    def __init__(self, search: Search) -> None:
        self._search = search

    @ragmon.retrieval
    def retrieve(self, query: str, top_k: int) -> list[Passage]:
        """The `top_k` passages that match the query best, best first."""
        return self._search(query, top_k)
