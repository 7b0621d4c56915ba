"""A split document as the corpus keeps it: its tokens, and where each chunk lies in them."""

from hashlib import blake2b

from ragmon.model.corpus import CorpusDocument, TokenRange
from ragmon.model.indexing import ChunkedDocument
from ragmon.text.tokens import joined


def register(pipeline: str, document: ChunkedDocument, registered_ns: int) -> CorpusDocument | None:
    """What the corpus keeps of a split document; None where its source was not captured.

    A document without an id is known by a hash of its tokens. A chunk without an id is left
    out, and of a repeated one the first counts.
    """
    source, located = document.source, document.located
    if source is None or located is None:
        return None
    tokens = joined(source.words)
    document_id = document.document_id or _hash(tokens)
    chunks: dict[str, TokenRange | None] = {}
    for chunk, span in zip(document.chunks, located.spans, strict=True):
        if chunk.id is not None:
            place = None if span is None else TokenRange(document_id, *source.covered(*span))
            chunks.setdefault(chunk.id, place)
    return CorpusDocument(pipeline, document_id, tokens, tuple(chunks.items()), registered_ns)


def _hash(tokens: str) -> str:
    return blake2b(tokens.encode(errors="surrogatepass"), digest_size=16).hexdigest()
