"""Generation: sentences of the context by default, or any OpenAI-compatible endpoint."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import httpx

import ragmon
from ragmon.demo.corpus import Passage
from ragmon.demo.rerank import coverage
from ragmon.demo.words import sentences, terms, words

NOT_FOUND = "This is not in the reference."

_ENOUGH = 0.5
_SENTENCES = 2
_USD_PER_WORD = 0.000_002
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Draft:
    """What a writer made. Tokens are words unless a model counted its own; cost may be unknown."""

    answer: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None = None

    def with_answer(self, answer: str) -> Self:
        """The same draft with another answer."""
        return replace(self, answer=answer)


Writer = Callable[[str, str, Sequence[Passage]], Draft]


class Generator:
    """Writes the answer to a question."""

    def __init__(self, write: Writer) -> None:
        self._write = write

    @ragmon.generation
    def generate(self, query: str, prompt: str, documents: Sequence[Passage]) -> str:
        """The answer to the query, from the prompt into which the documents were packed."""
        draft = self._write(query, prompt, documents)
        ragmon.annotate(
            model=draft.model,
            input_tokens=draft.input_tokens,
            output_tokens=draft.output_tokens,
            cost_usd=draft.cost_usd,
        )
        return draft.answer


def extract(query: str, prompt: str, documents: Sequence[Passage]) -> Draft:
    """Answer with the sentences of the documents that cover the query best.

    The model is called `extractive`, its tokens are words, its price is made up.
    """
    answer = _best_sentences(query, documents) or NOT_FOUND
    read, written = len(words(prompt)), len(words(answer))
    return Draft(answer, "extractive", read, written, (read + written) * _USD_PER_WORD)


def _best_sentences(query: str, documents: Sequence[Passage]) -> str:
    wanted = frozenset(terms(query))
    found = dict.fromkeys(s for document in documents for s in sentences(document.text))
    rated = sorted(((coverage(wanted, s), s) for s in found), key=lambda pair: -pair[0])
    return " ".join(sentence for share, sentence in rated[:_SENTENCES] if share >= _ENOUGH)


class ChatModel:
    """A writer that asks an OpenAI-compatible endpoint; its cost is not known."""

    def __init__(self, endpoint: str, model: str, api_key: str | None) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(base_url=endpoint, headers=headers, timeout=_TIMEOUT_S)
        self._model = model

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def write(self, query: str, prompt: str, documents: Sequence[Passage]) -> Draft:  # noqa: ARG002
        """Ask the model with the prompt alone.

        Raises:
            httpx.HTTPError: The endpoint did not answer, or answered with an error.
        """
        question = {"role": "user", "content": prompt}
        body = {"model": self._model, "messages": [question], "temperature": 0}
        reply = self._client.post("chat/completions", json=body)
        reply.raise_for_status()
        said = reply.json()
        used = said.get("usage") or {}
        return Draft(
            answer=said["choices"][0]["message"]["content"],
            model=said.get("model", self._model),
            input_tokens=used.get("prompt_tokens"),
            output_tokens=used.get("completion_tokens"),
        )
