"""The documents of a chunking run one by one, each with the gold that is about it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ragmon.metrics.chunking_evidence import find_evidence
from ragmon.model.gold import Gold
from ragmon.model.indexing import ChunkedDocument, Chunking


def by_document(run: Chunking, gold: Gold) -> Iterator[tuple[Chunking, Gold]]:
    """One run and its gold per document, in order, for `measure_run`.

    Evidence goes to the document that has it, expected metadata to that of the first chunk of
    its id; what no document has goes to none. Expected chunks are those of a single document.
    """
    documents = run.documents or ()
    evidence = _evidence(documents, gold)
    chunk_ids: set[str] = set()
    for at, document in enumerate(documents):
        ids = {chunk.id for chunk in document.chunks if chunk.id is not None} - chunk_ids
        chunk_ids |= ids
        yield (
            replace(run, documents=(document,)),
            replace(
                gold,
                expected_evidence=evidence if evidence is None else tuple(evidence[at]),
                expected_metadata=_of_chunks(gold.expected_metadata, ids),
                expected_chunks=gold.expected_chunks if len(documents) == 1 else None,
            ),
        )


def _evidence(
    documents: tuple[ChunkedDocument, ...], gold: Gold
) -> Mapping[int, list[Mapping[str, str]]] | None:
    if gold.expected_evidence is None:
        return None
    by_place: defaultdict[int, list[Mapping[str, str]]] = defaultdict(list)
    found = find_evidence(documents, gold.expected_evidence)
    for entry, one in zip(gold.expected_evidence, found, strict=True):
        if one is not None:
            by_place[one.document].append({"text": entry["text"]})
    return by_place


def _of_chunks(
    expected: Mapping[str, Mapping[str, object]] | None, ids: set[str]
) -> Mapping[str, Mapping[str, object]] | None:
    if expected is None:
        return None
    return {one: expected[one] for one in ids if one in expected}
