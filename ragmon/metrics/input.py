"""Inputs: what a metric asks for by the names of its parameters, and why one may be missing.

An input that is not there gives its reason: `missing` with the input's name, and with the
cause where one is known; `undefined` where a label says there is nothing to measure.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from ragmon.metrics.spec import Needs
from ragmon.model.corpus import NO_SOURCES, Sources
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunking, Embedding
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import Absence, RequestRecord
from ragmon.text.tokens import word_tokens

WordRule: TypeAlias = Callable[[str], tuple[str, ...]]
"""A text to its word tokens, or to the hashes of them."""


class RequestFacts(NamedTuple):
    """What is known of one request: what happened, what is right, what the corpus holds.

    words: the rule by which the corpus's documents were made tokens.
    """

    record: RequestRecord
    gold: Gold
    sources: Sources = NO_SOURCES
    words: WordRule = word_tokens

    @property
    def absent(self) -> Mapping[str, Absence]:
        """Why a field of the record is None."""
        return self.record.absent


class ChunkingFacts(NamedTuple):
    """What is known of split documents: the chunks, and what is right."""

    run: Chunking
    gold: Gold

    @property
    def absent(self) -> Mapping[str, Absence]:
        """Why a field of the run is None."""
        return self.run.absent


class EmbeddingFacts(NamedTuple):
    """What is known of vectors."""

    run: Embedding

    @property
    def absent(self) -> Mapping[str, Absence]:
        """Why a field of the run is None."""
        return self.run.absent


Facts: TypeAlias = RequestFacts | ChunkingFacts | EmbeddingFacts


@dataclass(frozen=True, slots=True)
class Input:
    """One input of a metric.

    read: its value from the facts of its scope, None where it is missing, or why there is
    none. field: the field of the record whose `absent` entry explains a missing value.
    needs: what must be at hand beside the trace. located: it is read from the corpus, and
    changes with it. is_text: it holds texts, of which a sealed record keeps less. offline: no span
    and no label carries it.
    """

    read: Callable[[Any], object]
    field: str
    needs: Needs = Needs.LABEL_FREE
    located: bool = False
    is_text: bool = False
    offline: bool = False

    @property
    def may_change(self) -> bool:
        """Whether it can change although nothing more comes of the trace."""
        return self.located or self.needs is Needs.GOLD


def read_input(name: str, found: Input, facts: Facts) -> object:
    """The value of an input, or a NotMeasured that says why there is none."""
    value = found.read(facts)
    if value is not None:
        return value
    cause = facts.absent.get(found.field, Absence.NOT_CAPTURED)
    return NotMeasured(Kind.MISSING, name if cause is Absence.NOT_CAPTURED else f"{name}:{cause}")
