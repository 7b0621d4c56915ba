"""Metadata of chunks from every form, and of documents whose chunks have the same ids."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from ragmon.evaluate import ChunkEvaluator
from ragmon.summary.report import Report

ROWS: list[dict[str, Any]] = [
    {
        "document_id": "1",
        "chunks": [{"id": "0", "text": "Alpha", "metadata": {"page": 1}}],
        "expected_metadata": {"0": {"page": 1}},
    },
    {
        "document_id": "2",
        "chunks": [{"id": "c", "text": "Beta", "metadata": {"file": "x"}}],
        "expected_metadata": {"c": {"file": "y"}},
    },
]


def measured(given: object) -> Report:
    """The report of documents that should all have a page."""
    return ChunkEvaluator(required_keys=["page"]).evaluate(given)


def accuracy(chunks: list[dict[str, Any]], expected: dict[str, Any]) -> float | None:
    """The metadata accuracy of one document."""
    report = ChunkEvaluator().evaluate([{"chunks": chunks, "expected_metadata": expected}])
    metric = report.metric("chunking.metadata_accuracy")
    assert metric is not None
    assert not any(reason.startswith("failed") for reason in metric.reasons)
    return metric.value


def test_metadata_is_the_same_in_every_form(tmp_path: Path) -> None:
    """A struct of a frame has the keys of all rows in each; what is None there was not given."""
    expected = measured(ROWS)
    accurate = expected.metric("chunking.metadata_accuracy")
    complete = expected.metric("chunking.metadata_completeness")
    assert accurate is not None
    assert complete is not None
    assert (0.5, 0.5) == (accurate.value, complete.value)
    parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "rows.parquet")
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    assert expected == measured(tmp_path / "rows.jsonl")
    assert expected == measured(tmp_path / "rows.parquet")
    assert expected == measured(pl.DataFrame(ROWS))
    assert expected == measured(pd.DataFrame(ROWS))
    assert expected == measured(pd.read_parquet(tmp_path / "rows.parquet"))


@pytest.mark.parametrize("also_gold", [True, False])
def test_chunks_of_two_documents_may_have_the_same_ids(also_gold: bool) -> None:
    """As of a chunker that counts from 0 in each; a document is compared with its own gold."""
    one, two = (
        {
            "chunks": [{"id": "0", "text": "a", "metadata": {"page": page}}],
            "expected_metadata": {"0": {"page": page}} if page == 2 or also_gold else None,
        }
        for page in (1, 2)
    )
    metric = ChunkEvaluator().evaluate([one, two]).metric("chunking.metadata_accuracy")
    assert metric is not None
    assert (1.0, 1 + also_gold) == (metric.value, metric.count)


@pytest.mark.parametrize(
    ("found", "expected", "right"),
    [
        (np.array([1, 2]), [1, 2], 1.0),
        ((1, 2), np.array([1, 2]), 1.0),
        ({"b", "a"}, ["a", "b"], 1.0),
        (np.int64(3), 3, 1.0),
        (3, "3", 0.0),
        (pd.NA, 3, 0.0),
        (float("nan"), 3, 0.0),
        (3, 3.0, 1.0),
        (0, False, 0.0),
        (True, 1, 0.0),
        (True, True, 1.0),
        ([1, {"a": True}], [1, {"a": True}], 1.0),
        ([1, {"a": True}], [1, {"a": 1}], 0.0),
        ([1], [1, 2], 0.0),
        ({"a": 1}, {"b": 1}, 0.0),
    ],
)
def test_metadata_is_compared_as_json_has_it(found: Any, expected: Any, right: float) -> None:
    """Arrays, tuples and sets are lists; what is missing is wrong, and so is another type."""
    chunks = [{"id": "a", "text": "x", "metadata": {"key": found}}]
    assert right == accuracy(chunks, {"a": {"key": expected}})


def test_metadata_without_a_value_is_not_complete() -> None:
    """NaN and NA of a frame are no page, as None is none."""
    for nothing in (None, float("nan"), pd.NA, ""):
        chunk = {"id": "a", "text": "x", "metadata": {"page": nothing}}
        metric = measured([{"chunks": [chunk]}]).metric("chunking.metadata_completeness")
        assert metric is not None
        assert 0.0 == metric.value


def test_a_document_without_metadata_is_a_part_of_the_corpus() -> None:
    """Once any chunk has metadata, a chunk without has none: also one of another document."""
    report = ChunkEvaluator(required_keys=["p"]).evaluate(
        [
            {"chunks": [{"id": "a", "text": "x", "metadata": {"p": 1}}]},
            {
                "chunks": [{"id": "b", "text": "y"}, {"id": "c", "text": "z"}],
                "expected_metadata": {"b": {"p": 1}},
            },
        ]
    )
    complete = report.metric("chunking.metadata_completeness")
    accurate = report.metric("chunking.metadata_accuracy")
    assert complete is not None
    assert accurate is not None
    assert (1 / 3, 2, 0.5) == (complete.value, complete.count, complete.p50)
    assert (0.0, 1) == (accurate.value, accurate.count)


def test_without_any_metadata_nothing_is_measured() -> None:
    """Nobody passed it: that is a reason, and no 0."""
    metric = measured([{"chunks": ["x"]}]).metric("chunking.metadata_completeness")
    assert metric is not None
    assert (None, {"missing:chunk_metadata": 1}) == (metric.value, metric.reasons)
