"""The corpus: where each chunk lies in its document, by token."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
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


def chunk_digest(chunk_id: str) -> int:
    """A signed 64-bit hash of a chunk's id, for an index."""
    return _digest(f"chunk:{chunk_id}")


def document_digest(document_id: str) -> int:
    """The same of a document's id."""
    return _digest(f"document:{document_id}")


ANY_EVIDENCE: Final = 0
"""Stands among the digests of a request whose evidence may lie in any document."""


def digests(wanted: Wanted) -> tuple[int, ...]:
    """What the request would read of the corpus, as hashes, each once and in order."""
    found = {chunk_digest(one) for one in wanted.chunk_ids}
    found |= {document_digest(one) for one in wanted.documents}
    if wanted.evidence:
        found.add(ANY_EVIDENCE)
    return tuple(sorted(found))


def _digest(name: str) -> int:
    raw = blake2b(name.encode(errors="surrogatepass"), digest_size=8)
    return int.from_bytes(raw.digest(), "big", signed=True)


class CorpusOutcome(StrEnum):
    """What became of one registered document."""

    ACCEPTED = "accepted"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class CorpusReceipt:
    """What became of registered documents, in the order given.

    A document is unchanged where the same stood at its time already, and refused where its
    tokens do not fit below the bound. touched: traces that are to be settled again.
    """

    outcomes: tuple[CorpusOutcome, ...] = ()
    touched: int = 0
