"""What is given must be possible: amounts as of a live request, chunks, ids, whole files."""

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ragmon.evaluate import ChunkEvaluator, EmbeddingEvaluator, EndToEndEvaluator, evaluate


@pytest.mark.parametrize("field", ["cost_usd", "input_tokens", "output_tokens", "total_tokens"])
def test_an_amount_is_what_a_live_request_may_have(field: str) -> None:
    """From 0 to a billion: one larger or negative value would hide every other in a mean."""
    for amount in (0, 1_000_000_000):
        EndToEndEvaluator().evaluate([{field: amount}])
    for amount in (-1, 1_000_000_001):
        with pytest.raises(ValueError, match=f"row 1: {field} must be .* from 0"):
            EndToEndEvaluator().evaluate([{field: amount}])


@pytest.mark.parametrize("chunks", [None, float("nan"), pd.NA])
def test_a_document_without_chunks_is_no_coverage_of_zero(chunks: Any) -> None:
    """Nobody said how it was split; a chunker that made no chunk at all is another matter."""
    for row in ({"text": "Alpha beta."}, {"text": "Alpha beta.", "chunks": chunks}):
        with pytest.raises(ValueError, match="row 1: needs the chunks of the document"):
            ChunkEvaluator().evaluate([row])
    metric = (
        ChunkEvaluator()
        .evaluate([{"text": "Alpha beta.", "chunks": []}])
        .metric("chunking.coverage")
    )
    assert metric is not None
    assert 0.0 == metric.value


def test_ids_of_vectors_are_ids() -> None:
    """As many as vectors, from anything that lists them; a mapping and records have their own."""
    evaluator = EmbeddingEvaluator()
    vectors = [[1.0], [2.0]]
    expected = evaluator.evaluate({"0": [1.0], "1": [2.0]}, indexed_ids=["1"])
    assert expected == evaluator.evaluate(vectors, ids=map(str, range(2)), indexed_ids=["1"])  # type: ignore[arg-type] # no Sequence
    for ids in ("ab", [None, "a"], [1.5, "a"]):
        with pytest.raises(ValueError, match=r"^ids (must be a list|holds an entry)"):
            evaluator.evaluate(vectors, ids=ids)  # type: ignore[arg-type] # the fault
    with pytest.raises(ValueError, match="vectors holds an entry that must be a text"):
        evaluator.evaluate({None: [1.0]})
    for given in ({"a": [1.0]}, [{"id": "a", "vector": [1.0]}]):
        with pytest.raises(ValueError, match="ids go with vectors in a list or an array only"):
            evaluator.evaluate(given, ids=["b"])


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.csv.gz"])
def test_a_broken_archive_is_named(name: str, tmp_path: Path) -> None:
    """Cut off, or changed within."""
    packed = bytearray(gzip.compress(b'{"answer":"a"}\n' * 1000))
    (tmp_path / name).write_bytes(packed[:-12])
    with pytest.raises(ValueError, match=name):
        evaluate(tmp_path / name)
    packed[20] ^= 0xFF
    packed[25] ^= 0xFF
    (tmp_path / name).write_bytes(packed)
    with pytest.raises(ValueError, match=name):
        evaluate(tmp_path / name)


def test_a_frame_has_no_two_columns_of_one_name() -> None:
    """One of them would be read, and nobody knows which."""
    frame = pd.DataFrame([["a", "b"]], columns=["answer", "answer"])
    with pytest.raises(ValueError, match="the frame: two columns have the name 'answer'"):
        evaluate(frame)
