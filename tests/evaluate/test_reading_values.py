"""How the forms of files and frames write what is missing, nested or no number."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from ragmon.evaluate import (
    EmbeddingEvaluator,
    EndToEndEvaluator,
    GenerationEvaluator,
    RetrievalEvaluator,
    evaluate,
)
from ragmon.summary.report import Report

GRADED: list[dict[str, Any]] = [
    {"retrieved_ids": ["a", "x"], "relevant_ids": {"a": 2.0, "b": 1.0}},
    {"retrieved_ids": ["c"], "relevant_ids": {"c": 1.0}},
]


def graded() -> Report:
    """What the rows themselves give."""
    return RetrievalEvaluator(k=2).evaluate(GRADED, title="graded")


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    """A file with such a text in it."""
    path.write_text(text, encoding, newline="")
    return path


def test_missing_cells_of_pandas_are_not_given() -> None:
    """Of every of its types: NA, NaN, NaT and None; a flag may have become a number."""
    frame = pd.DataFrame(
        {
            "answer": pd.array(["yes", None], dtype="string"),
            "latency_ms": pd.array([1, None], dtype="Int64"),
            "task_success": [1.0, float("nan")],
            "answerable": pd.array([True, None], dtype="boolean"),
            "reference_answers": [["yes"], pd.NaT],
        }
    )
    rows = [
        {
            "answer": "yes",
            "latency_ms": 1,
            "task_success": True,
            "answerable": True,
            "reference_answers": ["yes"],
        },
        {},
    ]
    assert evaluate(rows) == evaluate(frame)


def test_arrays_and_numbers_of_numpy_are_gold_too() -> None:
    """As pandas gives the lists of a Parquet file."""
    frame = pd.DataFrame(
        {"retrieved_ids": [np.array([1, 2])], "relevant_ids": [np.array([1])], "query_id": [7]}
    )
    plain = [{"retrieved_ids": ["1", "2"], "relevant_ids": ["1"], "query_id": "7"}]
    assert evaluate(plain) == evaluate(frame)
    verdicts = GenerationEvaluator().evaluate(verified_claims=[np.array([True, False])])
    assert GenerationEvaluator().evaluate(verified_claims=[[True, False]]) == verdicts
    success = EndToEndEvaluator().evaluate(task_success=[np.bool_(True)])
    assert EndToEndEvaluator().evaluate(task_success=[True]) == success


def test_grades_are_objects_in_every_form(tmp_path: Path) -> None:
    """A struct has the keys of all rows in each; a map of Arrow is a list of pairs."""
    evaluator = RetrievalEvaluator(k=2)
    assert graded() == evaluator.evaluate(pl.DataFrame(GRADED), title="graded")
    kind = pa.map_(pa.string(), pa.float64())
    table = pa.table(
        {
            "retrieved_ids": [row["retrieved_ids"] for row in GRADED],
            "relevant_ids": pa.array([[*row["relevant_ids"].items()] for row in GRADED], kind),
        }
    )
    parquet.write_table(table, tmp_path / "rows.parquet")
    assert graded() == evaluator.evaluate(tmp_path / "rows.parquet", title="graded")
    columns = {
        "retrieved_ids": [json.dumps(row["retrieved_ids"]) for row in GRADED],
        "relevant_ids": [json.dumps(row["relevant_ids"]) for row in GRADED],
    }
    pd.DataFrame(columns).to_csv(tmp_path / "rows.csv", index=False)
    assert graded() == evaluator.evaluate(tmp_path / "rows.csv", title="graded")


def test_evidence_of_a_frame_may_name_its_document_or_not() -> None:
    """A struct without a document has it as None."""
    evidence = [[{"text": "beta", "document": "d"}], [{"text": "beta", "document": None}]]
    corpus = [{"document_id": "d", "text": "alpha beta", "chunks": [{"id": "1", "text": "beta"}]}]
    frame = pl.DataFrame({"retrieved_ids": [["1"], ["1"]], "expected_evidence": evidence})
    metric = RetrievalEvaluator(corpus=corpus).evaluate(frame).metric("retrieval.token_recall")
    assert metric is not None
    assert (1.0, 2) == (metric.value, metric.count)


def test_a_text_of_a_csv_stays_a_text(tmp_path: Path) -> None:
    """Also one that is a number, a truth value or a list to JSON; ids keep their zeros."""
    lines = 'query_id,answer,reference_answers,answerable\n007,[1],"[""[1]""]",TRUE\n008,12,12,0\n'
    report = evaluate(write(tmp_path / "rows.csv", lines))
    metric = report.metric("generation.exact_match")
    assert metric is not None
    assert (1.0, 2) == (metric.value, metric.count)
    assert ["007", "008"] == [row.name for row in report.stages[0].rows]


def test_a_long_cell_is_read(tmp_path: Path) -> None:
    """A context is longer than what the csv module allows by itself."""
    context = "word " * 100_000
    path = write(tmp_path / "rows.csv", f'answer,context\nword,"[""{context}""]"\n')
    assert evaluate([{"answer": "word", "context": [context]}], title="rows.csv") == evaluate(path)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("answer\nyes,no\n", r"rows\.csv:2: has 2 cells, and the header 1"),
        ("answer,answer\nyes,no\n", r"rows\.csv:1: two columns have the name 'answer'"),
        ("anwser\nyes\n", r"rows\.csv:2: unknown field 'anwser'; did you mean 'answer'\?"),
        ('answer\n"a\nb"\n"c\nd",e\n', r"rows\.csv:5: has 2 cells"),
        ("retrieved_ids\n[a]\n", r"rows\.csv:2: retrieved_ids must be a list, not str"),
        ("latency_ms\nfast\n", r"rows\.csv:2: latency_ms must be a finite number, not str"),
    ],
)
def test_a_fault_of_a_csv_names_its_line(text: str, fault: str, tmp_path: Path) -> None:
    """The last one of the row."""
    with pytest.raises(ValueError, match=fault):
        evaluate(write(tmp_path / "rows.csv", text))


def test_blank_lines_and_short_rows_are_no_fault(tmp_path: Path) -> None:
    """A cell that is not there is not given, nor is a whole row; so is an empty file."""
    path = write(tmp_path / "rows.csv", "answer,query\nyes\n\nno,q\n")
    expected = evaluate([{"answer": "yes"}, {"answer": "no", "query": "q"}], title="rows.csv")
    assert expected == evaluate(path)
    for name in ("none.csv", "none.jsonl"):
        assert () == evaluate(write(tmp_path / name, "")).stages


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_a_byte_order_mark_is_no_part_of_the_first_line(name: str, tmp_path: Path) -> None:
    """As editors and spreadsheets on Windows put it there."""
    text = '{"answer": "yes"}\n' if name == "rows.jsonl" else "answer\nyes\n"
    path = write(tmp_path / name, text, "utf-8-sig")
    assert evaluate([{"answer": "yes"}], title=name) == evaluate(path)


def test_json_is_read_as_python_writes_it(tmp_path: Path) -> None:
    """NaN in a vector, half a surrogate pair in a text; nesting without end is no JSON."""
    vectors = [{"id": "a", "vector": [1.0, float("nan")]}, {"id": "b", "vector": [0.0, 1.0]}]
    path = write(tmp_path / "vectors.jsonl", "\n".join(map(json.dumps, vectors)))
    assert {"invalid_vectors": 1} == EmbeddingEvaluator().evaluate(path).stages[0].notes
    row = {"answer": "\ud800 yes", "reference_answers": ["\ud800 yes"]}
    path = write(tmp_path / "rows.jsonl", json.dumps(row))
    metric = evaluate(path).metric("generation.exact_match")
    assert metric is not None
    assert 1.0 == metric.value
    with pytest.raises(ValueError, match=r"deep\.jsonl:1: is no JSON"):
        evaluate(write(tmp_path / "deep.jsonl", "[" * 100_000))


def test_parquet_without_its_library_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What to install stands in the message."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"rows\.parquet: .* pip install 'ragmon\[files\]'"):
        evaluate(tmp_path / "rows.parquet")


def test_a_cell_of_a_frame_is_what_it_is() -> None:
    """Only a CSV has no types: a text where a list belongs is a fault in a frame."""
    with pytest.raises(ValueError, match="retrieved_ids must be a list, not str"):
        evaluate(pd.DataFrame({"retrieved_ids": ['["a"]']}))


@pytest.mark.parametrize(
    ("imported", "heavy"),
    [("ragmon", "ragmon.evaluate"), ("ragmon.evaluate", "pandas polars pyarrow rich")],
)
def test_only_what_is_used_is_imported(imported: str, heavy: str) -> None:
    """Capturing loads no evaluator, and evaluating lists no library of frames."""
    code = f"import sys, {imported}; sys.exit(not set({heavy.split()}).isdisjoint(sys.modules))"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode
