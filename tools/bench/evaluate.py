"""What it costs to evaluate a corpus of 1,000, 10,000 and 100,000 chunks: linear in its size.

The chunks are those of documents of a hundred chunks each, and one of ten requests asks for
token metrics against all of them. CPU seconds of this process.
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from ragmon.evaluate import ChunkEvaluator, evaluate

_SIZES = (1_000, 10_000, 100_000)
_CHUNKS, _CHUNK_WORDS = 100, 50
_WORDS = tuple(f"word{number}" for number in range(5_000))


def main() -> None:
    """Print microseconds per chunk at each size, and how they compare with the smallest."""
    for name, work in (("chunking", _chunking), ("requests", _requests)):
        least = None
        for size in _SIZES:
            each_us = _each_us(work, size)
            least = least or each_us
            print(f"{name}, {size:>7} chunks: {each_us:6.1f} us a chunk, x{each_us / least:.2f}")


def _each_us(work: Callable[[int], None], size: int) -> float:
    start = time.process_time()
    work(size)
    return (time.process_time() - start) / size * 1e6


def _documents(size: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(7)
    for number in range(size // _CHUNKS):
        texts = [" ".join(rng.choices(_WORDS, k=_CHUNK_WORDS)) + "." for _ in range(_CHUNKS)]
        chunks = [{"id": f"{number}-{at}", "text": text} for at, text in enumerate(texts)]
        yield {"document_id": str(number), "text": " ".join(texts), "chunks": chunks}


def _chunking(size: int) -> None:
    ChunkEvaluator(size_limits=(10, 100)).evaluate(_documents(size))


def _requests(size: int) -> None:
    documents = list(_documents(size))
    rows = [
        {
            "retrieved_ids": [chunk["id"] for chunk in document["chunks"][:10]],
            "expected_evidence": [
                {"text": document["chunks"][3]["text"], "document": document["document_id"]}
            ],
        }
        for document in documents
        for _ in range(_CHUNKS // 10)
    ]
    evaluate(rows, corpus=documents)


if __name__ == "__main__":
    main()
