"""What was left out or is doubtful in split documents, as counts."""

from collections.abc import Iterator

from ragmon.metrics import vectors
from ragmon.metrics.chunking_evidence import find_evidence
from ragmon.metrics.chunking_inputs import expected_chunks
from ragmon.model.gold import Gold
from ragmon.model.indexing import ChunkedDocument, Chunking
from ragmon.text.locate import Located


def notes(run: Chunking, gold: Gold) -> dict[str, int]:
    """Count what the metrics of split documents left out or doubt.

    unlocated: chunks that their source does not hold. offset_mismatch: chunks whose offsets
    lie outside of the source or hold another text. ambiguous: chunks out of order and gold
    texts that stand in several places; the first was taken. gold_not_found: gold texts that
    no source holds. invalid_vectors: of chunks and of sentences.
    """
    documents = [one for one in run.documents or () if one.source is not None]
    located = [one.located for one in documents if one.located is not None]
    evidence = find_evidence(documents, gold.expected_evidence or ()) if documents else []
    ideal = _ideal(documents, gold)
    return {
        "unlocated": sum(one.unlocated for one in located),
        "offset_mismatch": sum(one.offset_mismatch for one in located),
        "ambiguous": sum(one.ambiguous for one in [*located, *ideal])
        + sum(found.place.ambiguous for found in evidence if found is not None),
        "gold_not_found": evidence.count(None) + sum(one.unlocated for one in ideal),
        "invalid_vectors": sum(map(_invalid_vectors, run.documents or ())),
    }


def _ideal(documents: list[ChunkedDocument], gold: Gold) -> list[Located]:
    """The ideal chunks where they are compared: they are those of one document."""
    found = expected_chunks(documents[0], gold) if len(documents) == 1 else None
    return [] if found is None else [found]


def _invalid_vectors(document: ChunkedDocument) -> int:
    chunks = [one.vector for one in document.chunks if one.vector is not None]
    sentences: Iterator[int] = (
        vectors.clean(one.sentence_vectors).invalid
        for one in document.chunks
        if one.sentence_vectors is not None
    )
    return vectors.clean(chunks).invalid + sum(sentences)
