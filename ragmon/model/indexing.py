"""Indexing runs: documents that were split, and vectors that were made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragmon.model.record import Absence
from ragmon.text import Text
from ragmon.text.locate import Located, locate_all
from ragmon.text.source import Source

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """One chunk of a document.

    span: [start, end) in code points of the source, None where the chunker did not say it.
    metadata: as the chunker made it, None where it was not captured. sentence_vectors:
    (m, d), one per sentence; vector: (d,). Both are None where they were not given.
    """

    id: str | None
    text: Text
    span: tuple[int, int] | None = None
    metadata: Mapping[str, object] | None = None
    sentence_vectors: NDArray[np.float64] | None = None
    vector: Vector | None = None


@dataclass(frozen=True, eq=False)
class ChunkedDocument:
    """A document and its chunks, in the order of the document. A source of None: not captured.

    markdown: whether the source is Markdown; None where nobody said it. Without slots, so
    that where the chunks lie is kept. One caller at a time.
    """

    document_id: str | None
    source: Source | None
    chunks: tuple[Chunk, ...]
    markdown: bool | None = None

    @cached_property
    def located(self) -> Located | None:
        """Where the chunks lie in the source, found once; None without a source."""
        if self.source is None:
            return None
        return locate_all(self.source, ((chunk.text.raw, chunk.span) for chunk in self.chunks))


@dataclass(frozen=True, slots=True, eq=False)
class Chunking:
    """What the metrics of chunking read: one document online, a corpus offline.

    size_limits: fewest and most word tokens of a chunk, inclusive; None leaves a side open.
    required_keys: metadata every chunk must have. boundary_tolerance: in code points.
    absent: says for a field that is None why it is.
    """

    documents: tuple[ChunkedDocument, ...] | None
    size_limits: tuple[int | None, int | None] | None = None
    required_keys: tuple[str, ...] | None = None
    boundary_tolerance: int = 0
    absent: Mapping[str, Absence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedQuery:
    """A query's vector (d,), its gold chunks, and what the index returned for it, best first."""

    vector: Vector
    gold_ids: frozenset[str] | None = None
    index_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """What the metrics of embedding read.

    ids: (n,) of the vectors, None where they were not captured. vectors: (n, d), only valid
    ones, None where they were not sent. invalid: vectors left out since they hold NaN or
    infinity or have another size. indexed_ids: what the index holds. absent: as in Chunking.
    """

    vectors: NDArray[np.float64] | None
    ids: tuple[str, ...] | None = None
    invalid: int = 0
    indexed_ids: frozenset[str] | None = None
    queries: tuple[EmbeddedQuery, ...] | None = None
    absent: Mapping[str, Absence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class IndexingRun:
    """One chunking or embedding run of a trace: where it was read, and what it says.

    `span_id` is its key within the trace: of chunking the span, of embedding the earliest
    span. `event_ns` is its end; it is no request and has no outcome.
    """

    trace_id: str
    span_id: str
    span_ids: tuple[str, ...]
    dialect: str
    pipeline: str
    event_ns: int
    content: Chunking | Embedding
    pipeline_version: str | None = None
    duration_s: float | None = None
    error_type: str | None = None
    weight: float | None = None
    clock_faults: tuple[str, ...] = ()
