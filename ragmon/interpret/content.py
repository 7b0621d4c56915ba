"""What a request was about: its texts and its lists, as far as its spans carry them."""

from collections.abc import Sequence
from typing import NamedTuple

from ragmon.interpret import chain, lists
from ragmon.interpret.choice import first_of, latest_first, latest_of
from ragmon.interpret.context import Context, Evidence, find_context
from ragmon.interpret.generation import answering_line, usage
from ragmon.interpret.lists import Listing
from ragmon.interpret.meaning import Role
from ragmon.interpret.scope import Scope
from ragmon.interpret.texts import Texts
from ragmon.interpret.tree import Node
from ragmon.model.record import ModelUsage


class Content(NamedTuple):
    """What a request was about; None where it was not captured.

    `line` are the model call that answered and those around it; `prompted` the spans that
    may carry the prompt, in the order in which they are believed.
    """

    line: Sequence[Node]
    prompted: Sequence[Node]
    query: str | None
    prompt: str | None
    answer: str | None
    retrieved: Listing
    reranked: Listing
    context: Context | None
    citations: tuple[str, ...] | None
    usage: tuple[ModelUsage, ...]
    texts: Texts


def read_content(scope: Scope) -> Content:
    """Read the texts and lists of a request."""
    line = answering_line(scope)
    query = chain.find_query(scope)
    prompted = [*line, *latest_first(scope.of(Role.AUGMENTATION))]
    prompt = first_of(prompted, lambda meaning: meaning.prompt)
    retrieved, reranked = lists.retrieved(scope), lists.reranked(scope)
    texts = Texts(scope.nodes)
    evidence = Evidence(query, prompt, retrieved.documents, reranked.documents, texts)
    return Content(
        line=line,
        prompted=prompted,
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
