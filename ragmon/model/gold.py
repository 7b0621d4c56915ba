"""Gold labels: single facts about a request, and what joins them to one."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from ragmon.text import Text


class TargetKind(StrEnum):
    """What a label points at; `rank` orders them, a narrower target wins."""

    SPAN = "span"
    TRACE = "trace"
    REQUEST_ID = "request_id"
    QUERY = "query"

    @property
    def rank(self) -> int:
        """Higher for a narrower target."""
        return {"span": 3, "trace": 2, "request_id": 1, "query": 0}[self.value]


class GoldField(StrEnum):
    """The gold fields a label may carry, named as the metric reference names them."""

    RELEVANT_IDS = "relevant_ids"
    EXPECTED_EVIDENCE = "expected_evidence"
    EXPECTED_CHUNKS = "expected_chunks"
    REFERENCE_ANSWERS = "reference_answers"
    REQUIRED_FACTS = "required_facts"
    EXPECTED_CITATIONS = "expected_citations"
    ANSWERABLE = "answerable"
    VERIFIED_CLAIMS = "verified_claims"
    TASK_SUCCESS = "task_success"


class MatchKey(NamedTuple):
    """What a label and a request must share to meet.

    `value` is "trace_id" for TRACE, "trace_id/span_id" for SPAN, the app's id for
    REQUEST_ID; for QUERY the word tokens joined by one space, or a hash of that.
    """

    kind: TargetKind
    value: str

    @property
    def digest(self) -> int:
        """A signed 64-bit hash for an index; equal digests are compared in full."""
        raw = blake2b(f"{self.kind}\0{self.value}".encode(errors="surrogatepass"), digest_size=8)
        return int.from_bytes(raw.digest(), "big", signed=True)


@dataclass(frozen=True, slots=True)
class GoldLabel:
    """One gold field of one target, by one annotator.

    `value` is the field's value as canonical JSON text. `pipeline` is a part of the
    target; None matches every pipeline. `query` holds the words of a query whose key is a
    hash of them. `content_hash` is the hex SHA-256 of value and
    probability, the last tie-breaker of every rule. `stamped`: nobody said when it was
    labelled, and `labelled_at_ns` is when it was received.
    """

    key: MatchKey
    pipeline: str | None
    field: GoldField
    annotator: str
    value: str
    labelled_at_ns: int
    revision: int
    probability: float | None
    content_hash: str
    stamped: bool = False
    query: str | None = None

    @property
    def version(self) -> tuple[int, int, str]:
        """Orders the versions of one label: revision, time, content hash."""
        return (self.revision, self.labelled_at_ns, self.content_hash)

    @property
    def precedence(self) -> tuple[int, int, int, str, str]:
        """Orders the labels that compete for one field of one request; the greatest wins."""
        return (self.key.kind.rank, *self.version[:2], self.annotator, self.content_hash)


@dataclass(frozen=True, slots=True)
class Gold:
    """What is known to be right for one request; None is not labelled.

    relevant: id -> grade, as given (a grade of 0 or less is not relevant).
    reference_answers: (n,) acceptable answers. required_facts: each a tuple of
    alternatives. verified_claims: per claim True, False, or None where unlabelled.
    expected_evidence: each with `text`, and where known `document` (its id) or `source` (its
    text). expected_chunks: the ideal chunks of a document, in order. expected_metadata:
    chunk id -> key -> value.
    `winners` are the labels used, at most one a field.
    """

    relevant: Mapping[str, float] | None = None
    expected_evidence: tuple[Mapping[str, str], ...] | None = None
    reference_answers: tuple[Text, ...] | None = None
    required_facts: tuple[tuple[str, ...], ...] | None = None
    expected_citations: tuple[str, ...] | None = None
    answerable: bool | None = None
    verified_claims: tuple[bool | None, ...] | None = None
    task_success: bool | None = None
    expected_chunks: tuple[str, ...] | None = None
    expected_metadata: Mapping[str, Mapping[str, object]] | None = None
    winners: tuple[GoldLabel, ...] = ()
