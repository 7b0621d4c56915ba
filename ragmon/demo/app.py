"""The demo's application: a small RAG service, instrumented as a user's own would be."""

from collections.abc import Callable

import ragmon
from ragmon.demo.corpus import Corpus, Passage, split
from ragmon.demo.generate import Generator, Writer
from ragmon.demo.prompt import build_prompt
from ragmon.demo.rerank import rerank
from ragmon.demo.retrieve import Retriever, Search

CANDIDATES = 10

Ask = Callable[[str, str], str]


def index_passages(corpus: Corpus) -> list[Passage]:
    """Cut every topic of the corpus into passages."""
    return [passage for topic, text in corpus.topics.items() for passage in split(topic, text)]


class App:
    """Answers questions about Python from its reference."""

    def __init__(self, search: Search, write: Writer) -> None:
        self._retriever = Retriever(search)
        self._generator = Generator(write)

    @ragmon.request
    def ask(self, query: str, request_id: str) -> str:  # noqa: ARG002 -- read by ragmon
        """The answer to a question; `request_id`, the service's own, is what labels name."""
        candidates = self._retriever.retrieve(query, CANDIDATES)
        ranked = rerank(query, candidates)
        prompt, context = build_prompt(query, ranked)
        return self._generator.generate(query, prompt, context)
