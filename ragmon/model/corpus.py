"""The corpus: where each chunk lies in its document, by token."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple


class TokenRange(NamedTuple):
    """Tokens [first, end) of a document; first = end covers none."""

    document_id: str
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """One registration of a document with its chunks: corpus entries, and what they point into.

    tokens: its word tokens, each between two spaces (`text.tokens.joined`). chunks: id ->
    range; None where the chunk could not be located. registered_ns: the time of the entries.
    """

    pipeline: str
    document_id: str
    tokens: str
    chunks: tuple[tuple[str, TokenRange | None], ...]
    registered_ns: int


@dataclass(frozen=True, slots=True)
class Sources:
    """What one request may read of the corpus.

    chunks: id -> where it lies, None where it is registered and could not be located; an id
    that is not here is not registered. documents: id -> tokens, of those that the chunks or
    the gold evidence name. evidence: for gold evidence without a document the first document
    that holds it, by the evidence's joined tokens; None where no document does.
    """

    chunks: Mapping[str, TokenRange | None] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, str | None] = field(default_factory=dict)


NO_SOURCES: Final = Sources()
"""Nothing is registered."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one request needs of the corpus, at its own time.

    documents: named by gold evidence. evidence: joined tokens of evidence that names none.
    """

    pipeline: str
    event_ns: int
    chunk_ids: tuple[str, ...]
    documents: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
