"""What holds for any vectors, and agreement with libraries that others wrote."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

from ragmon.metrics import vectors
from ragmon.metrics.embedding import ann_recall_at_k, duplicate_vector_rate
from ragmon.metrics.embedding_matches import IndexMatch, index_matches
from ragmon.metrics.measure import measure_run
from ragmon.metrics.registry import build
from ragmon.metrics.spec import Scope, Unit
from ragmon.metrics.vectors import as_vector, clean, cosines, distinct, norms
from ragmon.model.gold import Gold
from ragmon.model.indexing import EmbeddedQuery, Embedding
from ragmon.model.measurement import Kind, Measured, NotMeasured

few = settings(max_examples=60)
REGISTRY = build((1, 3))
Matrix = NDArray[np.float64]

numbers = st.sampled_from([-0.0, 0.0, 1.0, -1.0, 0.5, 3.0]) | st.floats(-1e3, 1e3, width=32)
matrices = st.integers(1, 4).flatmap(
    lambda size: arrays.arrays(
        np.float64, st.tuples(st.integers(0, 8), st.just(size)), elements=numbers
    )
)
anything = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1e300, 1e-310])


def _ids(matrix: Matrix) -> tuple[str, ...]:
    return tuple(f"c{row}" for row in range(len(matrix)))


def _measured(run: Embedding) -> dict[tuple[str, int | None], Measured]:
    values = measure_run(run, Gold(), REGISTRY)
    layout = REGISTRY.layouts[Scope.INDEX]
    return {(slot.metric, slot.k): value for slot, value in zip(layout, values, strict=True)}


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    product = math.fsum(x * y for x, y in zip(one, other, strict=True))
    return product / lengths if lengths else 0.0


def _random_run(seed: int, n: int = 40, size: int = 6) -> Embedding:
    chance = np.random.default_rng(seed)
    matrix = chance.standard_normal((n, size))
    queries = tuple(
        EmbeddedQuery(
            chance.standard_normal(size),
            frozenset(f"c{row}" for row in chance.choice(n, 4, replace=False)),
            tuple(f"c{row}" for row in chance.choice(n, 5, replace=False)),
        )
        for _ in range(7)
    )
    return Embedding(matrix, _ids(matrix), indexed_ids=frozenset({"c1"}), queries=queries)


@few
@given(st.lists(st.lists(anything, max_size=3), max_size=8), st.lists(anything, max_size=3))
def test_no_value_is_nan_and_each_lies_in_its_range(
    given_vectors: list[list[float]], asked: list[float]
) -> None:
    """Whatever numbers are sent, a rate is in [0, 1], and nothing is NaN or fails."""
    cleaned = clean(given_vectors)
    ids = _ids(cleaned.matrix)
    query = EmbeddedQuery(np.array(asked, dtype=np.float64), frozenset({"c0", "c1"}), ids[::-1])
    run = Embedding(cleaned.matrix, ids, cleaned.invalid, frozenset({"c0"}), (query,))
    values = measure_run(run, Gold(), REGISTRY)
    for (_, spec), value in zip(REGISTRY.places[Scope.INDEX], values, strict=True):
        if isinstance(value, NotMeasured):
            assert value.kind is not Kind.FAILED
            continue
        assert math.isfinite(value)
        assert spec.unit is not Unit.RATIO or 0 <= value <= 1
        assert spec.unit is not Unit.SIGNED or -2 <= value <= 2
    assert len(given_vectors) == len(cleaned.matrix) + cleaned.invalid


@few
@given(matrices, st.randoms(use_true_random=False))
def test_duplicates_have_no_order_and_no_sign_of_zero(matrix: Matrix, chance: Any) -> None:
    """Neither the order of the vectors nor the sign of a zero changes the rate."""
    rows = list(range(len(matrix)))
    chance.shuffle(rows)
    unsigned = matrix[rows].copy()
    unsigned[unsigned == 0] = -0.0
    assert duplicate_vector_rate(matrix) == duplicate_vector_rate(unsigned)
    assert len({tuple(row) for row in matrix.tolist()}) == distinct(matrix)


@few
@given(matrices.filter(len), st.integers(1, 10), st.data())
def test_the_exact_result_is_all_an_index_can_lose_nothing_of(
    matrix: Matrix, k: int, draw: st.DataObject
) -> None:
    """Returning what exact search finds, in any order of ties, is a recall of 1."""
    asked = draw.draw(arrays.arrays(np.float64, matrix.shape[1], elements=numbers))
    exact = [_cosine(row, asked.tolist()) for row in matrix.tolist()]
    ties = draw.draw(st.permutations(range(len(matrix))))
    ranked = sorted(ties, key=lambda row: -round(exact[row], 12))
    found = tuple(f"c{row}" for row in ranked[:k])
    run = Embedding(matrix, _ids(matrix), queries=(EmbeddedQuery(asked, None, found),))
    (match,) = index_matches(run)
    assert isinstance(match, IndexMatch)
    assert 1.0 == ann_recall_at_k((match,), k=k)


@few
@given(st.integers(0, 1000), st.floats(1e-100, 1e90), st.floats(1e-200, 1e90))
def test_scale_changes_no_similarity(seed: int, factor: float, other: float) -> None:
    """A positive factor on vectors and queries moves neither a similarity nor a rank."""
    run = _random_run(seed, n=12)
    assert run.vectors is not None
    scaled = Embedding(
        run.vectors * factor,
        run.ids,
        indexed_ids=run.indexed_ids,
        queries=tuple(
            EmbeddedQuery(query.vector * other, query.gold_ids, query.index_ids)
            for query in run.queries or ()
        ),
    )
    one, two = _measured(run), _measured(scaled)
    del one["mean_vector_norm", None], two["mean_vector_norm", None]
    assert one == pytest.approx(two, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_similarities_and_ranks_are_scikit_learn_s(seed: int) -> None:
    """Cosines, the exact top k and the index's share of it agree with scikit-learn."""
    run = _random_run(seed)
    assert run.vectors is not None
    ids, queries = np.array(run.ids), run.queries or ()
    similar = cosine_similarity(np.stack([query.vector for query in queries]), run.vectors)
    gold = np.array([[one in (query.gold_ids or ()) for one in ids] for query in queries])
    positive = np.array([row[mask].mean() for row, mask in zip(similar, gold, strict=True)])
    negative = np.array([row[~mask].mean() for row, mask in zip(similar, gold, strict=True)])
    expected: dict[tuple[str, int | None], Any] = {
        ("positive_similarity", None): positive.mean(),
        ("negative_similarity", None): negative.mean(),
        ("similarity_margin", None): (positive - negative).mean(),
        ("mean_vector_norm", None): np.linalg.norm(run.vectors, axis=1).mean(),
    }
    for k in (1, 3):
        nearest = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute")
        nearest.fit(run.vectors)
        tops = [
            set(ids[nearest.kneighbors(query.vector[np.newaxis], return_distance=False)[0]])
            for query in queries
        ]
        recalls = [
            len(top & (query.gold_ids or frozenset())) / 4
            for top, query in zip(tops, queries, strict=True)
        ]
        lost = [
            len(top & set((query.index_ids or ())[:k])) / k
            for top, query in zip(tops, queries, strict=True)
        ]
        expected["query_topk_recall", k] = np.mean(recalls)
        expected["ann_recall_at_k", k] = np.mean(lost)
    measured = _measured(run)
    assert pytest.approx(expected, rel=1e-12) == {name: measured[name] for name in expected}


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few rows are held at once, the numbers are the same."""
    run = _random_run(3)
    whole = _measured(run)
    monkeypatch.setattr(vectors, "_CELLS", 50)
    assert pytest.approx(whole, rel=1e-12) == _measured(run)


def test_equal_vectors_tie_in_their_order() -> None:
    """Of equal vectors the first stands first, whatever the order of a sum rounds them to."""
    chance = np.random.default_rng(0)
    one = chance.standard_normal(301)
    matrix = np.tile(one, (67, 1)) * np.arange(1, 68)[:, np.newaxis]
    (similar,) = cosines(matrix, norms(matrix), [chance.standard_normal(301)])
    order = vectors.ExactOrder(similar)
    assert list(range(1, 68)) == [order.rank(row) for row in range(67)]
    assert {1} == {order.best_rank(row) for row in range(67)}


@pytest.mark.parametrize(
    ("sent", "kept", "invalid"),
    [
        ([], [], 0),
        ([[1, 2], [3, 4]], [0, 1], 0),
        ([[1.0, math.nan], [1.0, math.inf], [1.0, 1e101], [1.0, 1e99]], [3], 3),
        ([[1.0], [1.0, 2.0], [3.0, 4.0], []], [1, 2], 2),
        ([[1.0], [1.0, 2.0]], [0], 1),
        ([[], []], [], 2),
        ([["x"], [None], None, "12", [[1.0]], [10**400], [1j], {}], [], 8),
        ([b"\0\0\x80?", b"\0\0\xc0\x7f", b"\0", np.ones(1, dtype=np.float32)], [0, 3], 2),
        (np.array([[1.0, 2.0], [np.nan, 0.0], [0.0, -np.inf]]), [0], 2),
        (np.empty((2, 0)), [], 2),
        (np.array([["1"], ["x"]]), [0], 1),
    ],
)
def test_cleaning_keeps_comparable_vectors(
    sent: Sequence[Any], kept: list[int], invalid: int
) -> None:
    """What is no vector, or has another size than most, is counted and left out."""
    cleaned = clean(sent)
    assert kept == cleaned.kept.tolist()
    assert invalid == cleaned.invalid
    assert len(kept) == len(cleaned.matrix)
    assert np.float64 == cleaned.matrix.dtype
    assert (0, 0) == cleaned.matrix.shape or kept


def test_float32_bytes_are_the_numbers_they_hold() -> None:
    """Bytes are little-endian single precision; a whole matrix is used as it is."""
    sent = np.array([0.1, -2.5, 3e38], dtype="<f4")
    vector = as_vector(sent.tobytes())
    assert vector is not None
    assert sent.astype(np.float64).tolist() == vector.tolist()
    matrix = np.ones((3, 2))
    assert matrix is clean(matrix).matrix


def test_what_is_nearly_as_near_is_no_loss() -> None:
    """An index may return a chunk within 1e-9 of the last exact one; not one further away."""
    asked = np.array([1.0, 0.0])
    for angle, expected in [(1e-5, 1), (1e-4, 2)]:  # a cosine of 1 - angle**2 / 2
        matrix = np.array([[1.0, 0.0], [math.cos(angle), math.sin(angle)]])
        run = Embedding(matrix, ("a", "b"), queries=(EmbeddedQuery(asked, None, ("b",)),))
        assert [IndexMatch((expected,), 2)] == index_matches(run)
