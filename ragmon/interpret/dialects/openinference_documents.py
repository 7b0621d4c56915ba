"""OpenInference's flattened lists of documents."""

from collections.abc import Sequence
from typing import Final

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.dialects import json_content
from ragmon.interpret.dialects.flattened import Fields, Rows, collect, in_order, is_whole
from ragmon.interpret.dialects.openinference_content import (
    Absent,
    is_masked,
    note,
    output_of,
    parsed,
    shown_text,
)
from ragmon.interpret.meaning import Field, RawDocument, RawDocuments
from ragmon.model.record import Absence
from ragmon.model.span import Attributes

_ID: Final = "document.id"
_TEXT: Final = "document.content"
_SCORE: Final = "document.score"
_METADATA: Final = "document.metadata"
_INPUT: Final = "input.documents"
_OUTPUT: Final = "output.documents"


def retrieved_documents(attributes: Attributes, absent: Absent) -> RawDocuments | None:
    """What a retriever returned: its flattened list, else the JSON of its return value.

    LangChain's list carries neither ids nor scores: the ids come from the return value or
    the metadata, a score only from there.
    """
    (rows,) = collect(attributes, semconv.RETRIEVAL_DOCUMENTS)
    if rows:
        return _completed(_listed(rows, absent), rows, attributes)
    if semconv.RETRIEVAL_DOCUMENTS in attributes:
        return _bare(attributes, semconv.RETRIEVAL_DOCUMENTS, absent)
    content = output_of(attributes)
    note(absent, Field.DOCUMENTS, content)
    return json_content.read_documents(content.json)


def reranker_documents(
    attributes: Attributes, absent: Absent
) -> tuple[RawDocuments | None, RawDocuments | None]:
    """What a reranker was given, and what it returned."""
    lists = (semconv.RERANKER_INPUT_DOCUMENTS, semconv.RERANKER_OUTPUT_DOCUMENTS)
    given, returned = collect(attributes, *lists)
    ranked = _read(returned, attributes, lists[1], absent)
    if ranked is None and not returned and Field.DOCUMENTS not in absent:
        content = output_of(attributes)
        note(absent, Field.DOCUMENTS, content)
        ranked = json_content.read_documents(content.json)
    return _read(given, attributes, lists[0], {}), ranked


def side_documents(
    attributes: Attributes, absent: Absent
) -> tuple[RawDocuments | None, RawDocuments | None]:
    """The documents that any kind of span was given, and those it returned."""
    given, returned = collect(attributes, _INPUT, _OUTPUT)
    return _read(given, attributes, _INPUT, {}), _read(returned, attributes, _OUTPUT, absent)


def _read(rows: Rows, attributes: Attributes, name: str, absent: Absent) -> RawDocuments | None:
    return _listed(rows, absent) if rows else _bare(attributes, name, absent)


def _bare(attributes: Attributes, name: str, absent: Absent) -> RawDocuments | None:
    """An empty list is written as its bare name with an empty array."""
    value = attributes.get(name)
    if is_masked(value):
        absent[Field.DOCUMENTS] = Absence.MASKED
    return () if value == () else None


def _listed(rows: Rows, absent: Absent) -> RawDocuments | None:
    if not is_whole(rows):
        absent[Field.DOCUMENTS] = Absence.DROPPED_ATTRIBUTES
        return None
    entries = in_order(rows)
    documents = tuple([_document(fields) for fields in entries])
    if any(is_masked(fields.get(_TEXT)) for fields in entries):
        absent[Field.DOCUMENT_TEXTS] = Absence.MASKED
        if all(document.id is None and document.text is None for document in documents):
            absent[Field.DOCUMENTS] = Absence.MASKED
            return None
    return documents


def _document(fields: Fields) -> RawDocument:
    id_ = fields.get(_ID)
    return RawDocument(
        None if is_masked(id_) else scalars.identifier(id_),
        shown_text(fields.get(_TEXT)),
        scalars.number(fields.get(_SCORE)),
    )


def _completed(
    documents: RawDocuments | None, rows: Rows, attributes: Attributes
) -> RawDocuments | None:
    if not documents or all(document.id is not None for document in documents):
        return documents
    returned = json_content.read_documents(output_of(attributes).json) or ()
    sources = returned if len(returned) == len(documents) else _from_metadata(in_order(rows))
    return tuple(map(_filled, documents, sources))


def _from_metadata(entries: Sequence[Fields]) -> RawDocuments:
    metadata = [parsed(fields.get(_METADATA)) for fields in entries]
    return tuple(
        [
            RawDocument(json_content.metadata_id(fields), None, json_content.metadata_score(fields))
            for fields in metadata
        ]
    )


def _filled(document: RawDocument, source: RawDocument) -> RawDocument:
    """A document with what it lacks taken from another telling of it."""
    return RawDocument(
        document.id if document.id is not None else source.id,
        document.text,
        document.score if document.score is not None else source.score,
    )
