"""Augmentation: a prompt with as much context as the budget allows."""

from collections.abc import Sequence

import ragmon
from ragmon.demo.corpus import Passage
from ragmon.demo.words import words

CONTEXT_WORDS = 320

_TEMPLATE = """\
Answer the question from the passages of the Python reference below, in one or two sentences.
If they do not hold the answer, say so.

{context}

Question: {question}"""


@ragmon.augmentation
def build_prompt(
    query: str, documents: Sequence[Passage], max_context_tokens: int = CONTEXT_WORDS
) -> tuple[str, list[Passage]]:
    """The prompt, and the documents that were packed into it, best first; tokens are words."""
    packed = _pack(documents, max_context_tokens)
    context = "\n\n".join(document.text for document in packed)
    return _TEMPLATE.format(context=context, question=query), packed


def _pack(documents: Sequence[Passage], room: int) -> list[Passage]:
    """Take documents in order while they fit; one too long is skipped."""
    packed: list[Passage] = []
    for document in documents:
        size = len(words(document.text))
        if size <= room:
            packed.append(document)
            room -= size
    return packed
