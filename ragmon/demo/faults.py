"""Faults that can be put under the demo's app; each breaks one thing, where it would break."""

import random
import zlib
from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never

from ragmon.demo.corpus import Passage
from ragmon.demo.generate import Draft, Writer
from ragmon.demo.pace import Sleep
from ragmon.demo.retrieve import Index, Search

SLOW_S = 1.5
"""How much longer each generation takes under `slow-generation`, in seconds."""

_INVENTED = "It was measured in {} programs and confirmed {} times."
_DIGITS = (10**6, 10**7)
_STRANGERS = 100


class Fault(StrEnum):
    """What is wrong with the app."""

    NONE = "none"
    SLOW_GENERATION = "slow-generation"
    INVENTED_NUMBERS = "invented-numbers"
    WRONG_DOCUMENTS = "wrong-documents"
    EMPTY_INDEX = "empty-index"


def break_search(fault: Fault, index: Index) -> Search:
    """The index's search, as the fault leaves it."""
    match fault:
        case Fault.WRONG_DOCUMENTS:
            return _strangers(index)
        case Fault.EMPTY_INDEX:
            return _nothing
        case Fault.NONE | Fault.SLOW_GENERATION | Fault.INVENTED_NUMBERS:
            return index.search
    assert_never(fault)


def break_writer(fault: Fault, write: Writer, sleep: Sleep, slow_s: float = SLOW_S) -> Writer:
    """The writer, as the fault leaves it."""
    match fault:
        case Fault.SLOW_GENERATION:
            return _slow(write, sleep, slow_s)
        case Fault.INVENTED_NUMBERS:
            return _inventive(write)
        case Fault.NONE | Fault.WRONG_DOCUMENTS | Fault.EMPTY_INDEX:
            return write
    assert_never(fault)


def _nothing(query: str, top_k: int) -> list[Passage]:  # noqa: ARG001
    return []


def _strangers(index: Index) -> Search:
    """As many passages, with the same scores, of those that match the query least."""

    def search(query: str, top_k: int) -> list[Passage]:
        found = index.search(query, top_k)
        strange = index.search(query, len(index.passages))[-_STRANGERS:]
        chosen = _seeded(query).sample(strange, k=len(found))
        return [
            Passage(stranger.id, stranger.text, passage.score)
            for stranger, passage in zip(chosen, found, strict=True)
        ]

    return search


def _slow(write: Writer, sleep: Sleep, slow_s: float) -> Writer:
    def run(query: str, prompt: str, documents: Sequence[Passage]) -> Draft:
        sleep(slow_s)
        return write(query, prompt, documents)

    return run


def _inventive(write: Writer) -> Writer:
    """Adds a sentence with two numbers of seven digits, which stand nowhere in the reference."""

    def run(query: str, prompt: str, documents: Sequence[Passage]) -> Draft:
        draft = write(query, prompt, documents)
        chance = _seeded(query)
        invented = _INVENTED.format(chance.randrange(*_DIGITS), chance.randrange(*_DIGITS))
        return draft.with_answer(f"{draft.answer} {invented}")

    return run


def _seeded(query: str) -> random.Random:
    return random.Random(zlib.crc32(query.encode()))  # noqa: S311
