"""The reference vectors of the embedding stage, and its metrics as `measure_run` gives them.

RAGMON_VECTORS names another folder with files of the same form.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from ragmon.metrics.embedding_rows import measure_queries, query_layout
from ragmon.metrics.measure import measure_run
from ragmon.metrics.registry import build
from ragmon.metrics.spec import Scope
from ragmon.metrics.vectors import clean
from ragmon.model.gold import Gold
from ragmon.model.indexing import EmbeddedQuery, Embedding
from ragmon.model.measurement import Measured, NotMeasured
from ragmon.model.record import Absence

_FOLDER = Path(
    os.environ.get("RAGMON_VECTORS") or Path(__file__).parents[1] / "fixtures" / "vectors"
)
SQUARE = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [-1.0, 0.0]])
IDS = ("a", "b", "zero", "c")


def _vectors() -> list[ParameterSet]:
    found = json.loads((_FOLDER / "stage_embedding.json").read_text("utf-8"))["vectors"]
    return [pytest.param(vector, id=vector["id"]) for vector in found]


def _query(given: Mapping[str, Any]) -> EmbeddedQuery:
    gold, index_ids = given.get("gold"), given.get("index_ids")
    return EmbeddedQuery(
        np.array(given["vector"], dtype=np.float64),
        None if gold is None else frozenset(gold),
        None if index_ids is None else tuple(index_ids),
    )


def _run(given: Mapping[str, Any]) -> Embedding:
    """A run of what an input says; vectors that are none are left out."""
    cleaned = clean(given["vectors"].values())
    ids = tuple(given["vectors"])
    indexed, queries = given.get("indexed_ids"), given.get("queries")
    return Embedding(
        vectors=cleaned.matrix,
        ids=tuple(ids[place] for place in cleaned.kept),
        invalid=cleaned.invalid,
        indexed_ids=None if indexed is None else frozenset(indexed),
        queries=None if queries is None else tuple(map(_query, queries)),
    )


def _measured(run: Embedding, k: int = 1) -> dict[str, Measured]:
    registry = build((k,))
    values = measure_run(run, Gold(), registry)
    return {
        slot.metric: value
        for slot, value in zip(registry.layouts[Scope.INDEX], values, strict=True)
    }


def _reasons(run: Embedding) -> dict[str, str]:
    measured = _measured(run)
    return {
        name: value.reason for name, value in measured.items() if isinstance(value, NotMeasured)
    }


def _asked(vector: tuple[float, float], gold: str, index: str | None = None) -> EmbeddedQuery:
    return EmbeddedQuery(np.array(vector), frozenset(gold), None if index is None else tuple(index))


@pytest.mark.parametrize("vector", _vectors())
def test_embedding_metrics_are_the_reference_s(vector: dict[str, Any]) -> None:
    """Every metric of the stage is that of the reference; null is not measured."""
    measured = _measured(_run(vector["input"]), vector["input"].get("k", 5))
    expected = {
        name: value if value is None else pytest.approx(value, rel=1e-12, abs=1e-12)
        for name, value in vector["expected"].items()
    }
    assert expected == {
        name: None if isinstance(measured[name], NotMeasured) else measured[name]
        for name in expected
    }


def test_a_full_run_has_every_number() -> None:
    """Each metric of a run with every input, worked by hand."""
    queries = (_asked((2.0, 0.0), "ax", "bb"), _asked((1.0, 1.0), "b", "ac"))
    run = Embedding(SQUARE, IDS, indexed_ids=frozenset({"a", "c", "other"}), queries=queries)
    half = 1 / np.sqrt(2)
    assert pytest.approx(
        {
            "zero_norm_rate": 1 / 4,
            "duplicate_vector_rate": 0.0,
            "mean_vector_norm": 3 / 4,
            "index_coverage": 1 / 2,
            # The first query lacks the gold chunk x; the second has a before b, being first.
            "query_topk_recall": (1 / 2 + 0) / 2,
            # a and b are equally near to the second query.
            "ann_recall_at_k": (0 + 1) / 2,
            "positive_similarity": (1 + half) / 2,
            "negative_similarity": ((0 + 0 - 1) / 3 + (half + 0 - half) / 3) / 2,
            "similarity_margin": (1 + 1 / 3 + half) / 2,
        }
    ) == _measured(run)


def test_nothing_passed_is_missing() -> None:
    """Every metric says which input it lacks, with the cause where one is known."""
    dropped = {"vectors": Absence.DROPPED_ATTRIBUTES}
    reasons = _reasons(Embedding(None, absent=dropped))
    assert {"missing:vectors:dropped_attributes", "missing:vector_ids"} == set(reasons.values())
    assert "missing:vector_ids" == reasons["index_coverage"]
    queried = {"query_topk_recall", "ann_recall_at_k", "positive_similarity", "similarity_margin"}
    for run, reason in [
        (Embedding(SQUARE), "missing:vector_ids"),
        (Embedding(SQUARE, IDS), "missing:queries"),
        (Embedding(SQUARE, IDS, queries=()), "undefined:no_queries"),
    ]:
        assert {reason} == {_reasons(run)[name] for name in queried}


@pytest.mark.parametrize(
    ("query", "gold", "index"),
    [
        (EmbeddedQuery(SQUARE[0]), "missing:gold_ids", "missing:index_ids"),
        (EmbeddedQuery(SQUARE[0], frozenset(), ()), "undefined:no_relevant_ids", 0.0),
        (
            EmbeddedQuery(np.ones(3), frozenset("a"), ("a",)),
            "undefined:invalid_query_vector",
            "undefined:invalid_query_vector",
        ),
        (
            EmbeddedQuery(np.array([np.nan, 1.0]), frozenset("a"), ("a",)),
            "undefined:invalid_query_vector",
            "undefined:invalid_query_vector",
        ),
    ],
)
def test_a_query_says_what_it_lacks(query: EmbeddedQuery, gold: str, index: str | float) -> None:
    """Without labels, results or a sound vector a query has no value, and costs no other one."""
    other = _asked((1.0, 0.0), "a", "a")
    alone = _measured(Embedding(SQUARE, IDS, queries=(query,)))
    together = _measured(Embedding(SQUARE, IDS, queries=(query, other)))
    said = [alone["query_topk_recall"], alone["ann_recall_at_k"]]
    assert [gold, index] == [one.reason if isinstance(one, NotMeasured) else one for one in said]
    assert 1.0 == together["query_topk_recall"]


def test_nothing_embedded_finds_nothing() -> None:
    """A gold chunk that was not embedded is a miss; without vectors there is no exact search."""
    queries = (_asked((1.0, 0.0), "a", "a"),)
    measured = _measured(Embedding(np.empty((0, 0)), (), queries=queries))
    assert 0.0 == measured["query_topk_recall"]
    del measured["query_topk_recall"], measured["index_coverage"]
    assert {NotMeasured(kind="undefined")} == set(measured.values())  # type: ignore[arg-type]


def test_an_id_counts_once() -> None:
    """A chunk embedded twice is one chunk, with its first vector; so is one returned twice."""
    queries = (_asked((0.0, 1.0), "b", "bba"),)
    twice = Embedding(np.vstack([SQUARE, SQUARE[:2] * 5]), (*IDS, "a", "b"), queries=queries)
    once = Embedding(SQUARE, IDS, queries=queries)
    names = {slot.metric for slot in query_layout(build())}
    one, other = _measured(once, k=2), _measured(twice, k=2)
    assert {name: one[name] for name in names} == {name: other[name] for name in names}


def test_ids_and_vectors_come_in_pairs() -> None:
    """Too few ids are a fault of the caller's, named when queries are measured."""
    run = Embedding(SQUARE, ("a",), queries=(_asked((1.0, 0.0), "a"),))
    assert "failed:ValueError" == _reasons(run)["query_topk_recall"]
    with pytest.raises(ValueError, match="ids: 1 for 4 vectors; there must be one for each"):
        measure_queries(run, build())


def test_the_run_is_the_mean_of_its_queries() -> None:
    """Each query by itself has the value that the run's mean is made of."""
    registry = build((1, 2))
    unlabelled = EmbeddedQuery(SQUARE[1])
    queries = (_asked((2.0, 1.0), "ax", "bb"), _asked((1.0, 3.0), "b", "ac"), unlabelled)
    run = Embedding(SQUARE, IDS, queries=queries)
    rows = measure_queries(run, registry)
    whole = dict(
        zip(registry.layouts[Scope.INDEX], measure_run(run, Gold(), registry), strict=True)
    )
    for place, slot in enumerate(query_layout(registry)):
        first, second, third = (row[place] for row in rows)
        assert isinstance(third, NotMeasured)
        assert isinstance(first, float)
        assert isinstance(second, float)
        assert pytest.approx((first + second) / 2) == whole[slot]
    assert 7 == len(query_layout(registry))


def test_queries_of_a_run_without_vectors_say_so() -> None:
    """Every query has a row, of reasons where there is nothing to compare it with."""
    rows = measure_queries(Embedding(None, queries=(_asked((1.0, 0.0), "a"),)), build())
    assert [{NotMeasured.parse("missing:vectors")}] == [set(row) for row in rows]
    assert () == measure_queries(Embedding(SQUARE, IDS), build())
