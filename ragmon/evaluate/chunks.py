"""A row of a file to a document with its chunks, and what is right of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragmon.errors import InputError
from ragmon.evaluate.values import (
    Reader,
    count,
    flag,
    identity,
    labelled,
    list_of,
    mapping,
    optional,
    plain,
    read_fields,
    same_length,
    text,
)
from ragmon.labels.fields import expected_evidence, texts
from ragmon.metrics.vectors import VectorLike, as_vector
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunk, ChunkedDocument, Vector
from ragmon.text import Text
from ragmon.text.source import Source


class Split(NamedTuple):
    """One row: the name of the document, the document, and what is right of it."""

    name: str
    document: ChunkedDocument
    gold: Gold


def read_document(row: Mapping[str, Any], where: str, number: int = 1) -> Split:
    """The document that a row tells of.

    Raises:
        InputError: a field or a chunk cannot be read; it names the place.
    """
    fields = read_fields(row, DOCUMENT_FIELDS, where)
    source = fields.get("text")
    columns = {name: fields.get(name) for name in ("chunks", "sentence_vectors", "chunk_vectors")}
    same_length(columns, where)
    given = [
        _chunk_fields(chunk, f"{where}: chunk {place + 1}")
        for place, chunk in enumerate(fields.get("chunks", ()))
    ]
    chunks = tuple(
        _chunk(own, place, source, fields, f"{where}: chunk {place + 1}")
        for place, own in enumerate(given)
    )
    document = ChunkedDocument(
        document_id=fields.get("document_id", str(number)),
        source=None if source is None else Source(source),
        chunks=chunks,
        markdown=fields.get("markdown"),
    )
    return Split(fields.get("document_id", str(number)), document, _gold(fields))


def _chunk(
    own: Mapping[str, Any],
    place: int,
    source: str | None,
    fields: Mapping[str, Any],
    where: str,
) -> Chunk:
    span = _span(own, where)
    said = own.get("text")
    if said is None:
        if span is None or source is None:
            raise InputError(f"{where}: needs a text, or start and end in a document with a text")
        said = source[max(0, span[0]) : max(0, span[1])]
    vectors = _beside(fields, "chunk_vectors", place, own.get("vector"))
    sentences = _beside(fields, "sentence_vectors", place, own.get("sentence_vectors"))
    return Chunk(
        id=own.get("id"),
        text=Text(said),
        span=span,
        metadata=own.get("metadata"),
        sentence_vectors=None if sentences is None else _matrix(sentences),
        vector=None if vectors is None else _vector(vectors),
    )


def _vector(given: VectorLike) -> Vector:
    """A vector; what is none stays in its place as NaN, where it is left out and counted."""
    vector = as_vector(given)
    return np.full(1, np.nan) if vector is None else vector


def _matrix(given: Sequence[VectorLike]) -> NDArray[np.float64]:
    """The vectors of sentences, likewise; of several sizes the most frequent is right."""
    read = [as_vector(one) for one in given]
    sizes = Counter(one.size for one in read if one is not None)
    size = max(sizes, key=sizes.__getitem__, default=1)
    matrix = np.full((len(read), size), np.nan)
    for row, vector in enumerate(read):
        if vector is not None and vector.size == size:
            matrix[row] = vector
    return matrix


def _chunk_fields(chunk: str | Mapping[str, Any], where: str) -> dict[str, Any]:
    return {"text": chunk} if isinstance(chunk, str) else read_fields(chunk, _CHUNK_FIELDS, where)


def _beside(fields: Mapping[str, Any], name: str, place: int, own: Any) -> Any:
    column: Sequence[Any] | None = fields.get(name)
    return own if column is None else column[place]


def _span(own: Mapping[str, Any], where: str) -> tuple[int, int] | None:
    if ("start" in own) != ("end" in own):
        raise InputError(f"{where}: start and end go together")
    return (own["start"], own["end"]) if "start" in own else None


def _gold(fields: Mapping[str, Any]) -> Gold:
    evidence = fields.get("expected_evidence")
    ideal = fields.get("expected_chunks")
    return Gold(
        expected_evidence=None if evidence is None else tuple(evidence),
        expected_chunks=None if ideal is None else tuple(ideal),
        expected_metadata=fields.get("expected_metadata"),
    )


def _any_chunk(value: object) -> str | Mapping[str, Any]:
    return value if isinstance(value, str) else mapping(value)


def _by_id(value: object) -> Mapping[str, Mapping[str, Any]]:
    return {str(key): mapping(one) for key, one in _metadata(value).items()}


def _metadata(value: object) -> Mapping[str, Any]:
    given: Mapping[str, Any] = plain(mapping(value))
    return given


def _as_given(value: Any) -> Any:
    return value


_CHUNK_FIELDS: Final[Mapping[str, Reader]] = {
    "id": identity,
    "text": text,
    "start": count,
    "end": count,
    "metadata": _metadata,
    "sentence_vectors": list_of(_as_given),
    "vector": list_of(_as_given),
}
DOCUMENT_FIELDS: Final[Mapping[str, Reader]] = {
    "document_id": identity,
    "text": text,
    "chunks": list_of(_any_chunk),
    "markdown": flag,
    "sentence_vectors": list_of(optional(list_of(_as_given))),
    "chunk_vectors": list_of(_as_given),
    "expected_evidence": labelled(expected_evidence),
    "expected_chunks": labelled(texts),
    "expected_metadata": _by_id,
}
"""What a row may hold of a split document, and how each field is read."""
