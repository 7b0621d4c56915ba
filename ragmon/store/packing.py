"""Spans as one compressed blob."""

import struct
from collections.abc import Sequence
from itertools import accumulate, pairwise

import orjson

from ragmon.model.flow import Ends, SpanPart
from ragmon.store.compression import compress, decompress

_HEAD = struct.Struct("<I")


def pack_spans(spans: Sequence[SpanPart]) -> bytes:
    """The spans of one trace; a context that several share is written once."""
    contexts: dict[bytes, int] = {}
    rows = [
        [
            part.span_id,
            part.parent_id,
            int(part.ends),
            part.end_ns,
            part.arrival_ns,
            contexts.setdefault(part.context, len(contexts)),
        ]
        for part in spans
    ]
    pieces = [*contexts, *(part.span for part in spans)]
    head = orjson.dumps([rows, [len(piece) for piece in pieces]])
    return compress(b"".join([_HEAD.pack(len(head)), head, *pieces]))


def unpack_spans(trace_id: str, blob: bytes) -> tuple[SpanPart, ...]:
    """What `pack_spans` was given, contexts shared."""
    content = decompress(blob)
    start = _HEAD.size + _HEAD.unpack_from(content)[0]
    rows, lengths = orjson.loads(content[_HEAD.size : start])
    bounds = pairwise(accumulate(lengths, initial=start))
    pieces = [content[begin:end] for begin, end in bounds]
    spans = pieces[len(pieces) - len(rows) :]
    return tuple(
        SpanPart(trace_id, span_id, parent, Ends(ends), end_ns, arrival_ns, pieces[context], span)
        for (span_id, parent, ends, end_ns, arrival_ns, context), span in zip(
            rows, spans, strict=True
        )
    )
