"""What is to be erased, and what was."""

from dataclasses import dataclass
from typing import TypeAlias

from ragmon.model.gold import MatchKey


@dataclass(frozen=True, slots=True)
class DocumentTarget:
    """A document of the corpus, in one pipeline or (None) in all."""

    document_id: str
    pipeline: str | None = None


ErasureTarget: TypeAlias = MatchKey | DocumentTarget
"""A document, or requests by a match key; of the key of a span, the whole trace is meant."""


@dataclass(frozen=True, slots=True)
class ErasedFacts:
    """How much a store erased.

    traces: stored ones, now gone. standing_labels: those on a query of an erased request
    that go on to stand, since they are about every request with that query.
    """

    traces: int = 0
    labels: int = 0
    feedback: int = 0
    documents: int = 0
    standing_labels: int = 0


@dataclass(frozen=True, slots=True)
class Rewritten:
    """How many bodies of an inbox were replaced, and spans that unread ones lost."""

    bodies: int = 0
    unread_spans: int = 0
