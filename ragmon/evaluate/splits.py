"""Split documents as one corpus: each told apart, and the gold of all of them together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ragmon.errors import InputError
from ragmon.evaluate.chunks import Split, read_document
from ragmon.evaluate.corpus import check_new
from ragmon.evaluate.reading import Row
from ragmon.evaluate.values import is_nothing
from ragmon.model.gold import Gold
from ragmon.model.indexing import ChunkedDocument


def read_splits(rows: Iterable[Row]) -> Iterator[Split]:
    """The documents of rows, one at a time.

    Raises:
        InputError: a document cannot be read, has no chunks, or the id of another one; it
            names its place.
    """
    names: set[str] = set()
    for number, row in enumerate(rows, start=1):
        split = read_document(row.fields, row.where, number)
        check_new(split.name, names, row.where)
        if is_nothing(row.fields.get("chunks")):
            raise InputError(f"{row.where}: needs the chunks of the document")
        yield _owned(split)


def with_metadata(splits: Sequence[Split]) -> list[Split]:
    """The documents, of which every chunk has metadata once any has: {} if it was given none."""
    if all(one.metadata is None for split in splits for one in split.document.chunks):
        return list(splits)
    return [split._replace(document=_told(split.document)) for split in splits]


def _told(document: ChunkedDocument) -> ChunkedDocument:
    chunks = (replace(one, metadata=one.metadata or {}) for one in document.chunks)
    return replace(document, chunks=tuple(chunks))


def pooled_gold(splits: Sequence[Split]) -> Gold:
    """The gold of all documents, each piece of evidence with its document."""
    evidence = [_evidence(split) for split in splits if split.gold.expected_evidence is not None]
    ideal = [split.gold.expected_chunks for split in splits if split.gold.expected_chunks]
    metadata = [one for split in splits if (one := split.gold.expected_metadata) is not None]
    merged = {chunk: values for one in metadata for chunk, values in one.items()}
    return Gold(
        expected_evidence=tuple(chain.from_iterable(evidence)) if evidence else None,
        expected_chunks=tuple(chain.from_iterable(ideal)) if ideal else None,
        expected_metadata=merged if metadata else None,
    )


def _evidence(split: Split) -> list[dict[str, str]]:
    return [{"document": split.name, **entry} for entry in split.gold.expected_evidence or ()]


def _owned(split: Split) -> Split:
    """Metadata under ids that no other document has: many chunkers count from 0 in each."""
    expected = split.gold.expected_metadata
    if expected is None:
        return split
    chunks = tuple(
        one if one.id is None else replace(one, id=_owned_id(split, one.id))
        for one in split.document.chunks
    )
    gold = {_owned_id(split, chunk_id): values for chunk_id, values in expected.items()}
    return Split(
        split.name,
        replace(split.document, chunks=chunks),
        replace(split.gold, expected_metadata=gold),
    )


def _owned_id(split: Split, chunk_id: str) -> str:
    return f"{split.name}\0{chunk_id}"
