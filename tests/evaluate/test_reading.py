"""Rows from files, frames and columns: the same rows, the same report; clear faults."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from ragmon.evaluate import ChunkEvaluator, EmbeddingEvaluator, RetrievalEvaluator, evaluate
from ragmon.summary.report import Report

ROWS: list[dict[str, Any]] = [
    {
        "query_id": "007",
        "query": "price?",
        "retrieved_ids": ["a", "b"],
        "relevant_ids": ["b"],
        "answer": "10",
        "context": ["price 10"],
        "latency_ms": 100.0,
        "answerable": True,
    },
    {
        "query_id": "008",
        "query": "who?",
        "retrieved_ids": ["c"],
        "relevant_ids": ["a"],
        "answer": "Mary did.",
        "context": [],
        "latency_ms": 300.0,
        "answerable": None,
    },
]
WRITERS: dict[str, Callable[[Path], object]] = {
    "rows.jsonl": lambda path: path.write_text("\n".join(map(json.dumps, ROWS)), "utf-8"),
    "rows.jsonl.gz": lambda path: path.write_bytes(
        gzip.compress("\n\n".join(map(json.dumps, ROWS)).encode())
    ),
    "rows.csv": lambda path: pd.DataFrame(
        [
            {
                key: json.dumps(value) if isinstance(value, list) else value
                for key, value in row.items()
            }
            for row in ROWS
        ]
    ).to_csv(path, index=False),
    "rows.parquet": lambda path: parquet.write_table(pa.Table.from_pylist(ROWS), path),
}


def expected() -> Report:
    """What the rows themselves give."""
    return evaluate(ROWS, title="rows")


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_gives_what_its_rows_give(name: str, tmp_path: Path) -> None:
    """Whatever its form; ids keep their zeros, and an empty cell is not given."""
    WRITERS[name](tmp_path / name)
    assert expected() == evaluate(str(tmp_path / name), title="rows")
    assert expected() == evaluate(tmp_path / name, title="rows")


def test_a_frame_gives_what_its_rows_give() -> None:
    """Of pandas, whose missing cells are NaN, and of polars, whose are None."""
    assert expected() == evaluate(pd.DataFrame(ROWS), title="rows")
    assert expected() == evaluate(pl.DataFrame(ROWS), title="rows")


def test_columns_and_generators_give_what_rows_give() -> None:
    """Lists that stand beside each other, and rows that come one at a time."""
    columns: dict[str, Any] = {
        name: [row[name] for row in ROWS] for name in ("retrieved_ids", "relevant_ids")
    }
    rows = [{name: row[name] for name in columns} for row in ROWS]

    def one_by_one() -> Iterator[dict[str, Any]]:
        yield from rows

    assert RetrievalEvaluator().evaluate(rows) == RetrievalEvaluator().evaluate(**columns)
    assert RetrievalEvaluator().evaluate(rows) == RetrievalEvaluator().evaluate(one_by_one())


def test_values_of_numpy_are_numbers_and_lists() -> None:
    """As frames and arrays hold them."""
    plain = {"retrieved_ids": ["1", "2"], "relevant_ids": {"2": 1}, "latency_ms": 3.0}
    odd = {
        "retrieved_ids": np.array([1, 2]),
        "relevant_ids": {"2": 1},
        "latency_ms": np.float32(3.0),
    }
    assert evaluate([plain]) == evaluate([odd])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"answer": "a"}\n{"answer"', r"rows\.jsonl:2: is no JSON"),
        ("[1]", r"rows\.jsonl:1: must be an object of fields, not list"),
        ('{"anwser": "a"}', "unknown field 'anwser'; did you mean 'answer'?"),
        ('{"retrieved_ids": "a"}', r"rows\.jsonl:1: retrieved_ids must be a list, not str"),
        ('{"latency_ms": "secret"}', r"latency_ms must be a finite number, not str$"),
        ('{"relevant_ids": {"a": "x"}}', r"rows\.jsonl:1: relevant_ids has a grade"),
        ('{"task_success": 2}', r"task_success must be true or false, not int 2"),
        (
            '{"retrieved_ids": ["a"], "retrieved_texts": []}',
            "retrieved_ids has 1 entries and retrieved_texts 0",
        ),
    ],
)
def test_a_fault_names_its_place(text: str, fault: str, tmp_path: Path) -> None:
    """File and line, field and kind of the value; never a user's text."""
    path = tmp_path / "rows.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=fault):
        evaluate(path)


@pytest.mark.parametrize(
    ("name", "cell", "fault"),
    [
        (
            "retrieved_ids",
            "a;b",
            r"must be a list, not str; a CSV cell holds a list as JSON: \[",
        ),
        (
            "relevant_ids",
            "['a']",
            r'not str; a CSV cell holds a list as JSON: \["a", "b"\]$',
        ),
        ("retrieved_ids", "[[]]", r"an entry that must be a text or a whole number, not list$"),
        ("latency_ms", "soon", r"latency_ms must be a finite number, not str$"),
    ],
)
def test_a_cell_that_is_no_list_says_how_one_is_written(
    name: str, cell: str, fault: str, tmp_path: Path
) -> None:
    """In CSV alone, which has no lists of its own."""
    path = tmp_path / "rows.csv"
    path.write_text(f"{name}\n{cell}\n", "utf-8")
    with pytest.raises(ValueError, match=fault):
        evaluate(path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A missing file, one of no known form, and one that is not what it says."""
    with pytest.raises(ValueError, match=r"none\.jsonl: No such file"):
        evaluate(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match=r"rows\.xml: must end in \.jsonl"):
        evaluate(tmp_path / "rows.xml")
    for name in ("bad.parquet", "bad.csv", "bad.jsonl.gz"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00")
        with pytest.raises(ValueError, match=name):
            evaluate(tmp_path / name)


def test_impossible_arguments_are_named() -> None:
    """Columns of unequal length, no cut-off, limits the wrong way round, ids that do not fit."""
    with pytest.raises(ValueError, match="retrieved_ids has 2 rows and relevant_ids 1"):
        RetrievalEvaluator().evaluate(retrieved_ids=[["a"], ["b"]], relevant_ids=[["a"]])
    with pytest.raises(ValueError, match="unknown field 'gold'"):
        RetrievalEvaluator().evaluate(gold=[["a"]])
    with pytest.raises(ValueError, match="k=0 must hold nothing below 1"):
        RetrievalEvaluator(k=0)
    with pytest.raises(ValueError, match="size_limits"):
        ChunkEvaluator(size_limits=(5, 2))
    with pytest.raises(
        ValueError, match="boundary_tolerance must be a whole number from 0, not int -1"
    ):
        ChunkEvaluator(boundary_tolerance=-1)
    with pytest.raises(ValueError, match="ids has 1 entries and vectors 2"):
        EmbeddingEvaluator().evaluate([[1.0], [2.0]], ids=["a"])
    with pytest.raises(ValueError, match=r"unknown stage 'retreival'; did you mean 'retrieval'\?"):
        evaluate(ROWS, stages=["retreival"])
