"""Waiting times, so that a local index and a local writer take as long as remote ones."""

import random
from collections.abc import Callable, Sequence

from ragmon.demo.corpus import Passage
from ragmon.demo.generate import Draft, Writer
from ragmon.demo.retrieve import Search

SEARCH_S = (0.008, 0.025)
WRITE_S = (0.040, 0.160)

Sleep = Callable[[float], None]


def paced_search(search: Search, sleep: Sleep, seed: int) -> Search:
    """The same search after a pause that the seed and the query decide."""

    def run(query: str, top_k: int) -> list[Passage]:
        sleep(_pause(SEARCH_S, f"{seed}/search/{query}"))
        return search(query, top_k)

    return run


def paced_writer(write: Writer, sleep: Sleep, seed: int) -> Writer:
    """The same writer after a pause that the seed and the query decide."""

    def run(query: str, prompt: str, documents: Sequence[Passage]) -> Draft:
        sleep(_pause(WRITE_S, f"{seed}/write/{query}"))
        return write(query, prompt, documents)

    return run


def _pause(bounds: tuple[float, float], key: str) -> float:
    return random.Random(key).uniform(*bounds)  # noqa: S311
