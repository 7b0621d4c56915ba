"""Arguments and values that cannot be: a clear ValueError that names them."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from ragmon.evaluate import (
    AugmentationEvaluator,
    ChunkEvaluator,
    EmbeddingEvaluator,
    EndToEndEvaluator,
    GenerationEvaluator,
    RetrievalEvaluator,
    evaluate,
)

SECRET = "what only the user may read " * 3


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: RetrievalEvaluator(k=2.5), "k=2.5 must be a whole number"),  # type: ignore[arg-type] # the fault
        (lambda: RetrievalEvaluator(k="5"), "k='5' must be a whole number"),  # type: ignore[arg-type] # the fault
        (lambda: RetrievalEvaluator(k=()), r"k=\(\) must be a whole number"),
        (lambda: RetrievalEvaluator(k=(3, 0)), r"k=\(3, 0\) must hold nothing below 1"),
        (lambda: EmbeddingEvaluator(k=True), "k=True must be a whole number"),
        (
            lambda: ChunkEvaluator(size_limits=(1, 2, 3)),  # type: ignore[arg-type] # the fault
            r"size_limits=\(1, 2, 3\) must be two numbers",
        ),
        (
            lambda: ChunkEvaluator(size_limits=("a", 3)),  # type: ignore[arg-type] # the fault
            "size_limits holds an entry that must be a finite number, not str",
        ),
        (
            lambda: ChunkEvaluator(size_limits=5),  # type: ignore[arg-type] # the fault
            "size_limits must be a list, not int 5",
        ),
        (
            lambda: ChunkEvaluator(boundary_tolerance=1.5),  # type: ignore[arg-type] # the fault
            "boundary_tolerance must be a whole number from 0, not float 1.5",
        ),
        (lambda: ChunkEvaluator(required_keys="page"), "required_keys must be a list, not str"),
        (
            lambda: AugmentationEvaluator(max_context_tokens=-1),
            "max_context_tokens must be a whole number from 0, not int -1",
        ),
        (
            lambda: AugmentationEvaluator(source=5),  # type: ignore[arg-type] # the fault
            "source must be a text, not int 5",
        ),
        (lambda: evaluate([], max_context_tokens=-1), "max_context_tokens must be"),
    ],
)
def test_a_setting_is_checked_when_it_is_given(make: Callable[[], object], fault: str) -> None:
    """Its name, what it must be, and what it is."""
    with pytest.raises(ValueError, match=fault):
        make()


def test_a_cut_off_may_be_of_numpy() -> None:
    """As a sweep over an array gives it."""
    report = RetrievalEvaluator(k=np.arange(1, 3)).evaluate(  # type: ignore[arg-type] # no Sequence
        retrieved_ids=[["a"]], relevant_ids=[["a"]]
    )
    found = [metric.k for metric in report.stages[0].metrics if metric.key == "retrieval.hit_at_k"]
    assert [1, 2] == found


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"retrieved_ids": [["a"]]}, "retrieved_ids holds an entry that must be a text or a whole"),
        ({"retrieved_ids": ["a", True]}, "a text or a whole number, not bool True"),
        ({"retrieved_ids": {"a", "b"}}, "retrieved_ids must be a list, not set"),
        ({"retrieved_texts": ["a", b"b"]}, "an entry that must be a text, not bytes"),
        ({"relevant_ids": ["a", 2.5]}, "relevant_ids has an id that is neither a text nor a whole"),
        ({"relevant_ids": 5}, "relevant_ids must be a list of ids or an object .*, not int 5"),
        ({"relevant_ids": SECRET}, "relevant_ids must be a list of ids or an object .*, not str"),
        ({"cited_ids": [""]}, "cited_ids holds an entry that must be a text or a whole number"),
        ({"latency_ms": float("inf")}, r"latency_ms must be a finite number up to 1e\+100"),
        ({"latency_ms": 10**5000}, r"latency_ms must be a finite number up to 1e\+100, not int$"),
        ({"cost_usd": Decimal("sNaN")}, r"cost_usd must be a finite number up to 1e\+100"),
        ({"required_facts": [""]}, "required_facts has a fact without characters"),
        ({"required_facts": ["a", ["b", " "]]}, "required_facts has a fact without characters"),
        ({"cost_usd": True}, "cost_usd must be a finite number, not bool True"),
        ({"input_tokens": -1}, "input_tokens must be a whole number from 0, not int -1"),
        ({"answer": SECRET.encode()}, "answer must be a text, not bytes$"),
        ({"answerable": SECRET}, "answerable must be true or false, not str$"),
        ({"expected_evidence": [{"txt": "a"}]}, "expected_evidence must hold texts, or objects"),
        ({"expected_chunks": ["a"]}, "unknown field 'expected_chunks'"),
        ({"query_ids": "a"}, r"unknown field 'query_ids'; did you mean 'query_id'\?"),
        ({SECRET * 100_000: "a"}, f"unknown field '{SECRET[:40]}'; known are abstained, answer"),
    ],
)
def test_a_value_that_cannot_be_is_named(row: Mapping[str, Any], fault: str) -> None:
    """Row, field and the kind of the value; of a user's text nothing."""
    with pytest.raises(ValueError, match=fault) as raised:
        evaluate([{}, row])
    assert str(raised.value).startswith("row 2: ")
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("column", "kind"), [("text", "str"), (5, "int"), ({"a": 1}, "dict"), (b"x", "bytes")]
)
def test_a_column_is_a_list(column: Any, kind: str) -> None:
    """A single answer is no column of its characters."""
    with pytest.raises(ValueError, match=f"answer must be a list with one value per row.* {kind}"):
        GenerationEvaluator().evaluate(answer=column)


@pytest.mark.parametrize("evaluator", [ChunkEvaluator(), GenerationEvaluator()])
def test_records_or_columns(evaluator: ChunkEvaluator | GenerationEvaluator) -> None:
    """Not both, and not nothing."""
    with pytest.raises(ValueError, match=r"give records or columns, not both \(text\)"):
        evaluator.evaluate([], text=["a"])
    with pytest.raises(ValueError, match="nothing to evaluate"):
        evaluator.evaluate()
    with pytest.raises(ValueError, match="unknown field 'colour'"):
        evaluator.evaluate(colour=["red"])


@pytest.mark.parametrize("records", [5, {"answer": ["a"]}, b"rows"])
def test_what_holds_no_records_is_refused(records: object) -> None:
    """It is told what it is."""
    with pytest.raises(ValueError, match=r"^(records|row 1:) must be"):
        evaluate(records)


@pytest.mark.parametrize(
    ("corpus", "fault"),
    [
        ([{"document_id": "a", "chunks": ["b"]}], "row 1: a document of the corpus needs its text"),
        (
            [{"document_id": "a", "text": "b"}, {"document_id": "a", "text": "c"}],
            "row 2: a second document has the id 'a'",
        ),
        (
            [{"text": "b", "chunks": [{"id": "1", "text": "b"}]} for _ in range(2)],
            "row 2: the chunk id '1' also stands in another document",
        ),
        ([{"text": "b", "chunks": [{"id": "1"}]}], "row 1: chunk 1: needs a text, or start and"),
        ([{"text": "b", "chunks": [{"start": 0}]}], "row 1: chunk 1: start and end go together"),
        ([{"text": "b", "chunks": [{"start": -1, "end": 1}]}], "chunk 1: start must be a whole"),
        ([{"text": "b", "chunks": [5]}], "chunks holds an entry that must be an object, not int 5"),
    ],
)
def test_a_corpus_that_is_none_is_refused(corpus: list[Any], fault: str) -> None:
    """By every evaluator, before a row is read."""
    with pytest.raises(ValueError, match=fault):
        RetrievalEvaluator(corpus=corpus)
    with pytest.raises(ValueError, match=fault):
        evaluate([], corpus=corpus)


def test_two_documents_of_one_id_are_refused() -> None:
    """Evidence of the one would be looked for in the other."""
    with pytest.raises(ValueError, match="row 2: a second document has the id 'a'"):
        ChunkEvaluator().evaluate([{"document_id": "a", "chunks": ["b"]}] * 2)


def test_offsets_beside_the_text_are_counted() -> None:
    """A chunk that starts after its end is not found; one that ends too late is mistrusted."""
    report = ChunkEvaluator().evaluate(
        [{"text": "a b. c d.", "chunks": [{"start": 5, "end": 2}, {"start": 0, "end": 200}]}]
    )
    assert {"offset_mismatch": 2, "unlocated": 1} == report.stages[0].notes


def test_an_id_that_is_not_known_makes_the_list_unknown() -> None:
    """None, empty and missing ids are a reason, as on a span; never a rank without relevance."""
    report = RetrievalEvaluator().evaluate(
        retrieved_ids=[["a", None], ["a", ""]], relevant_ids=[["a"], ["a"]]
    )
    metric = report.metric("retrieval.precision_at_k")
    assert metric is not None
    assert (None, {"missing:retrieved_ids": 2}) == (metric.value, metric.reasons)


def test_durations_of_all_kinds_of_numbers() -> None:
    """Decimals of a table and numbers of numpy; NaN is not given."""
    report = EndToEndEvaluator().evaluate(
        latency_ms=[Decimal("1.5"), np.float32(2.5), np.int64(5), float("nan"), None]
    )
    metric = report.metric("end_to_end.latency_ms")
    assert metric is not None
    assert (3.0, 3, {"missing:latency_s": 2}) == (metric.value, metric.count, metric.reasons)


def test_vectors_and_their_ids() -> None:
    """What belongs together has one length; an index is a list or a set of ids."""
    evaluator = EmbeddingEvaluator(k=1)
    with pytest.raises(ValueError, match="indexed_ids must be a list, not str"):
        evaluator.evaluate({"a": [1.0]}, indexed_ids="a")
    with pytest.raises(ValueError, match="row 1: needs a vector"):
        evaluator.evaluate({"a": [1.0]}, queries=[{"relevant_ids": ["a"]}])
    with pytest.raises(ValueError, match="row 1: needs id and vector"):
        evaluator.evaluate([{"id": "a"}])
    report = evaluator.evaluate({"a": [1.0], "b": [2.0]}, indexed_ids={"a", "c"})
    metric = report.metric("embedding.index_coverage")
    assert metric is not None
    assert 0.5 == metric.value
