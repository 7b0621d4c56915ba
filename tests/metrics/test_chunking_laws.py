"""Laws of the chunking metrics, and what they say of inputs that are missing or broken."""

from collections.abc import Callable, Mapping
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragmon.metrics.chunk_cover import ChunkCover
from ragmon.metrics.chunking_inputs import Boundaries
from ragmon.metrics.chunking_notes import notes
from ragmon.metrics.chunking_structure import boundary_f1
from ragmon.metrics.measure import measure_run
from ragmon.metrics.registry import build
from ragmon.metrics.spec import Scope, Unit
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunk, ChunkedDocument, Chunking
from ragmon.model.measurement import Measured, NotMeasured
from ragmon.model.record import Absence
from ragmon.text import Text
from ragmon.text.source import Source
from ragmon.text.tokens import word_spans

REGISTRY = build()
NAN = float("nan")
words = st.lists(st.sampled_from(["a", "b", "Ab", "cd", "e\u0301"]), max_size=25)
any_text = st.text(st.characters(exclude_categories=()), max_size=40)
spans = st.tuples(st.integers(-2, 45), st.integers(-2, 45))


def _document(source: str | None, *texts: str, **fields: Any) -> ChunkedDocument:
    chunks = tuple(Chunk(str(at), Text(text)) for at, text in enumerate(texts))
    return ChunkedDocument("d", None if source is None else Source(source), chunks, **fields)


def _measured(run: Chunking, gold: Gold | None = None) -> dict[str, Measured]:
    values = measure_run(run, gold or Gold(), REGISTRY)
    layout = REGISTRY.layouts[Scope.DOCUMENT]
    return {slot.metric: value for slot, value in zip(layout, values, strict=True)}


def _reason(name: str, run: Chunking, gold: Gold | None = None) -> str:
    value = _measured(run, gold)[name]
    return value.reason if isinstance(value, NotMeasured) else str(value)


def _full_run() -> tuple[Chunking, Gold]:
    """Two documents with every input, one of them with a boundary of its own."""
    vectors = np.array([[1.0, 0.0], [1.0, 1.0]])
    one = Chunk("1", Text("# Title\n\nOne two."), (0, 17), {"page": 1}, vectors, vectors[0])
    two = Chunk("2", Text("Three four one."), (18, 33), {"page": ""}, vectors[:1], vectors[1])
    document = ChunkedDocument("d", Source("# Title\n\nOne two. Three four one."), (one, two))
    gold = Gold(
        expected_evidence=({"text": "two three"}, {"text": "four", "document": "d"}),
        expected_chunks=("Title One two.", "three four one"),
        expected_metadata={"1": {"page": 1}, "2": {"page": 2}},
    )
    return Chunking((document,), (2, 3), ("page",)), gold


def test_a_full_run_has_every_number() -> None:
    """Each metric of a run with every input, worked by hand."""
    run, gold = _full_run()
    half = 1 / np.sqrt(2)
    assert pytest.approx(
        {
            "coverage": 1.0,
            "size_compliance": 1.0,
            "mean_chunk_tokens": 3.0,
            "min_chunk_tokens": 3.0,
            "max_chunk_tokens": 3.0,
            "size_cv": 0.0,
            "overlap_ratio": 0.0,
            "evidence_completeness": 1 / 2,
            "evidence_fragmentation": (2 + 1) / 2,
            "structural_integrity": 1.0,
            # The ideal chunk ends at its last word, the chunk behind the full stop.
            "boundary_f1": 0.0,
            "semantic_cohesion": half,
            "semantic_boundary_clarity": 1 - half,
            "semantic_chunk_stickiness": half,
            "metadata_completeness": 1 / 2,
            "metadata_accuracy": 1 / 2,
            "lexical_cohesion": 0.0,
            "lexical_boundary_clarity": 1 - 1 / 5,
            "lexical_chunk_stickiness": 1 / 5,
        }
    ) == _measured(run, gold)


def test_nothing_passed_is_missing() -> None:
    """Every metric says which input it lacks, with the cause where one is known."""
    dropped = {"documents": Absence.DROPPED_ATTRIBUTES}
    reasons = {value.reason for value in _measured(Chunking(None, absent=dropped)).values()}  # type: ignore[union-attr]  # nothing is measured
    assert {"missing:documents:dropped_attributes"} == reasons
    run = Chunking((_document(None, "a b"),))
    reasons_of = {name: _reason(name, run) for name in _measured(run)}
    expected = {
        **dict.fromkeys(("coverage", "overlap_ratio", "structural_integrity"), "missing:source"),
        "size_compliance": "missing:size_limits",
        "evidence_completeness": "missing:source",
        "boundary_f1": "missing:source",
        "semantic_cohesion": "missing:sentence_vectors",
        "semantic_chunk_stickiness": "missing:chunk_vectors",
        "metadata_completeness": "missing:chunk_metadata",
        "metadata_accuracy": "missing:metadata_by_id",
        "mean_chunk_tokens": "2.0",
    }
    assert expected == {name: reasons_of[name] for name in expected}


@pytest.mark.parametrize(
    ("name", "gold", "reason"),
    [
        ("evidence_completeness", Gold(), "missing:expected_evidence"),
        ("boundary_f1", Gold(), "missing:expected_chunks"),
        ("evidence_fragmentation", Gold(expected_evidence=()), "undefined:no_expected_evidence"),
        (
            "evidence_fragmentation",
            Gold(expected_evidence=({"text": "x"},)),
            "undefined:gold_not_found",
        ),
        (
            "evidence_completeness",
            Gold(expected_evidence=({"text": "a", "document": "other"},)),
            "undefined:gold_not_found",
        ),
        ("boundary_f1", Gold(expected_chunks=()), "undefined:gold_not_found"),
        ("boundary_f1", Gold(expected_chunks=("x",)), "undefined:gold_not_found"),
        ("boundary_f1", Gold(expected_chunks=("a", "x")), "1.0"),
        ("structural_integrity", Gold(), "undefined:no_blocks"),
    ],
)
def test_gold_that_cannot_be_compared(name: str, gold: Gold, reason: str) -> None:
    """Gold that no source holds is left out; where nothing is left nothing is measured."""
    assert reason == _reason(name, Chunking((_document("a b", "a", "b"),)), gold)


def test_expected_chunks_are_those_of_one_document() -> None:
    """With several documents nobody knows whose they are."""
    run = Chunking((_document("a b", "a b"), _document("a b", "a b")))
    gold = Gold(expected_chunks=("a", "b"))
    assert "undefined:several_documents" == _reason("boundary_f1", run, gold)


@settings(max_examples=60)
@given(words.filter(bool), st.integers(1, 6))
def test_a_partition_covers_all_once(tokens: list[str], size: int) -> None:
    """Chunks cut between words cover every token, and none twice."""
    raw = " ".join(tokens)
    cuts = [0, *(start for _, start, _ in word_spans(raw)[size::size]), len(raw)]
    chunks = tuple(Chunk(None, Text(raw[start:end]), (start, end)) for start, end in pairwise(cuts))
    measured = _measured(Chunking((ChunkedDocument("d", Source(raw), chunks),)))
    assert (1.0, 0.0) == (measured["coverage"], measured["overlap_ratio"])


@settings(max_examples=60)
@given(any_text, st.lists(st.tuples(any_text, st.none() | spans), max_size=6), any_text)
@example("a b", [("", (2, 1)), ("", (0, 0)), ("x" * 50, (0, 99))], "")
def test_any_split_measures_within_range(
    raw: str, chunks: list[tuple[str, tuple[int, int] | None]], evidence: str
) -> None:
    """Whatever a chunker says, no metric fails, and each value is one of its unit."""
    made = tuple(Chunk(None, Text(text), span) for text, span in chunks)
    run = Chunking((ChunkedDocument(None, Source(raw), made),), (1, None), ("a",))
    gold = Gold(expected_evidence=({"text": evidence},), expected_chunks=(raw, evidence))
    measured = _measured(run, gold)
    assert not [one for one in measured.values() if str(getattr(one, "kind", "")) == "failed"]
    for name, value in measured.items():
        if isinstance(value, float):
            spec = REGISTRY.find(f"chunking.{name}")
            assert spec is not None
            assert 0 <= value <= (1 if spec.unit is Unit.RATIO else float("inf"))
    assert set(notes(run, gold)) == set(notes(Chunking(None), Gold()))


@settings(max_examples=60)
@given(any_text, st.lists(spans, max_size=6), spans)
@example("hello", [(0, 3), (3, 5)], (3, 5))
@example("hello", [(0, 3), (3, 5)], (0, 3))
def test_cover_agrees_with_every_character(
    raw: str, cuts: list[tuple[int, int]], part: tuple[int, int]
) -> None:
    """Covered tokens, whole parts and touched chunks, against sets of tokens and characters."""
    tokens = word_spans(raw)

    def covered(start: int, end: int) -> set[int]:
        return {at for at, (_, s, e) in enumerate(tokens) if start <= s and e <= end}

    def letters(start: int, end: int) -> set[int]:
        return {at for _, s, e in tokens for at in range(s, e) if start <= at < end}

    cuts = [(max(0, start), end) for start, end in cuts]
    cover = ChunkCover(Source(raw), cuts)
    match = cover.match(*part)
    assert len(set().union(*(covered(*cut) for cut in cuts))) == cover.tokens
    assert (match is None) == (not letters(*part))
    if match is not None:
        wanted = covered(*part) or {
            at for at, (_, s, e) in enumerate(tokens) if letters(*part) & set(range(s, e))
        }
        assert match.whole == any(wanted <= covered(*cut) for cut in cuts)
        assert match.touched == sum(bool(letters(*cut) & letters(*part)) for cut in cuts)


@settings(max_examples=60)
@given(st.frozensets(st.integers(0, 30)), st.frozensets(st.integers(0, 30)), st.integers(0, 5))
def test_boundaries_agree_with_all_pairs(
    predicted: frozenset[int], ideal: frozenset[int], tolerance: int
) -> None:
    """Each end is compared with every other one."""
    near = [
        len({end for end in ends for other in others if abs(end - other) <= tolerance}) / len(ends)
        for ends, others in ((predicted, ideal), (ideal, predicted))
        if ends
    ]
    expected = None if not near else 0.0
    if len(near) == 2 and any(near):
        expected = 2 * near[0] * near[1] / (near[0] + near[1])
    assert pytest.approx(expected) == boundary_f1(Boundaries(predicted, ideal), tolerance)


def test_a_negative_tolerance_is_refused() -> None:
    """The message names the argument and its value."""
    with pytest.raises(ValueError, match="boundary_tolerance=-1 must be 0 or more"):
        boundary_f1(Boundaries(frozenset(), frozenset()), -1)


def _jaccard(one: str, other: str) -> float:
    left, right = set(Text(one).words), set(Text(other).words)
    return len(left & right) / len(left | right)


@settings(max_examples=60)
@given(st.lists(words.filter(bool).map(" ".join), min_size=2, max_size=6))
def test_lexical_metrics_agree_with_sets(lines: list[str]) -> None:
    """Cohesion is over all pairs of a chunk's lines, the others over neighbouring chunks."""
    measured = _measured(Chunking((_document(None, *lines),)))
    together = _measured(Chunking((_document(None, "\n".join(lines)),)))
    pairs = [_jaccard(one, other) for one, other in combinations(lines, 2)]
    neighbours = [_jaccard(one, other) for one, other in pairwise(lines)]
    assert pytest.approx(sum(pairs) / len(pairs)) == together["lexical_cohesion"]
    assert pytest.approx(sum(neighbours) / len(neighbours)) == measured["lexical_chunk_stickiness"]
    assert measured["lexical_boundary_clarity"] >= 0  # type: ignore[operator]  # it has words


def _with_vectors(*sentences: Any, chunks: Any = None) -> Chunking:
    made = tuple(
        Chunk(None, Text("a"), None, None, given, None if chunks is None else chunks[at])
        for at, given in enumerate(sentences)
    )
    return Chunking((ChunkedDocument("d", None, made),))


@pytest.mark.parametrize(
    ("sentences", "cohesion", "clarity"),
    [
        ([np.array([[1.0, 0.0], [NAN, 0.0]])], None, None),
        ([np.array([[1.0, 0.0], [NAN, 0.0], [2.0, 0.0]])], 1.0, None),
        ([np.array([[0.0, 0.0], [2.0, 0.0]])], 0.0, None),
        ([np.array([[1e-200, 0.0], [-1e99, 0.0]])], -1.0, None),
        ([np.array([[1.0, 0.0]]), None, np.array([[1.0, 0.0]])], None, None),
        ([np.array([[1.0, 0.0]]), np.array([[-1.0, 0.0], [NAN, 1.0]])], None, 2.0),
        ([np.array([[-1.0, 0.0], [NAN, 1.0]]), np.array([[1.0, 0.0]])], None, None),
        ([np.array([[1.0, 0.0]]), np.array([[1.0]])], None, None),
        ([np.empty((0, 2)), np.array([[1.0]])], None, None),
    ],
)
def test_broken_vectors_are_left_out(
    sentences: list[Any], cohesion: float | None, clarity: float | None
) -> None:
    """NaN, other sizes and gaps leave a pair out; zeros have cosine 0."""
    measured = _measured(_with_vectors(*sentences))
    found = [measured["semantic_cohesion"], measured["semantic_boundary_clarity"]]
    plain = [None if isinstance(one, NotMeasured) else one for one in found]
    assert [pytest.approx(one) if one is not None else None for one in (cohesion, clarity)] == plain


@settings(max_examples=40)
@given(
    st.integers(2, 6).flatmap(
        lambda size: st.lists(
            st.lists(st.floats(-5, 5, width=16), min_size=size, max_size=size),
            min_size=2,
            max_size=6,
        )
    )
)
def test_cosines_agree_with_all_pairs(rows: list[list[float]]) -> None:
    """Cohesion and stickiness are what one pair after another gives."""
    matrix = np.array(rows)

    def cosine(one: Any, other: Any) -> float:
        size = np.linalg.norm(one) * np.linalg.norm(other)
        return float(one @ other / size) if size else 0.0

    run = _with_vectors(*([matrix] * len(rows)), chunks=matrix)
    measured = _measured(run)
    pairs = [cosine(one, other) for one, other in combinations(matrix, 2)]
    near = [cosine(one, other) for one, other in pairwise(matrix)]
    assert pytest.approx(np.mean(pairs), abs=1e-9) == measured["semantic_cohesion"]
    assert pytest.approx(np.mean(near), abs=1e-9) == measured["semantic_chunk_stickiness"]


@pytest.mark.parametrize(
    ("found", "expected", "accuracy"),
    [
        ({"page": 3}, {"page": "3"}, 0.0),
        ({"page": 3}, {"page": 3}, 1.0),
        ({"page": None}, {"page": None}, 1.0),
        ({}, {"page": None}, 0.0),
        ({"page": 3, "other": 4}, {"page": 3, "file": ""}, 0.5),
    ],
)
def test_metadata_is_compared_strictly(
    found: Mapping[str, object], expected: Mapping[str, object], accuracy: float
) -> None:
    """Another type is another value, and a key that is not there has none."""
    run = Chunking((ChunkedDocument("d", None, (Chunk("1", Text("a"), None, found),)),))
    assert accuracy == _measured(run, Gold(expected_metadata={"1": expected}))["metadata_accuracy"]
    turned = dict(reversed(list(expected.items())))
    assert accuracy == _measured(run, Gold(expected_metadata={"1": turned}))["metadata_accuracy"]


def test_required_keys_are_required() -> None:
    """0 and False are values, None and "" are none, nor is there one without any metadata."""
    chunks = tuple(
        Chunk(None, Text("a"), None, {"k": value}) for value in (0, False, None, "", "x")
    )
    documents = (ChunkedDocument("d", None, (*chunks, Chunk(None, Text("b")))),)
    assert 3 / 6 == _measured(Chunking(documents, required_keys=("k",)))["metadata_completeness"]
    for keys in (None, ()):
        run = Chunking(documents, required_keys=keys)
        assert "missing:required_keys" == _reason("metadata_completeness", run)


@pytest.mark.parametrize(
    ("markdown", "source", "reason"),
    [
        (None, "# a\n\nb", "1.0"),
        (True, "<html>\n\n# a\n", "1.0"),
        (None, "<html>\n\n# a\n", "undefined:no_blocks"),
        (False, "# a\n\nb", "undefined:no_blocks"),
        (None, "# !\n\n- ?\n\nb", "undefined:no_blocks"),
    ],
)
def test_what_is_taken_as_markdown(markdown: bool | None, source: str, reason: str) -> None:
    """Everything but web pages, unless told otherwise; blocks without words are none."""
    run = Chunking((_document(source, source, markdown=markdown),))
    assert reason == _reason("structural_integrity", run)


def test_notes_count_what_was_left_out() -> None:
    """Every doubt is counted once, gold of both kinds together."""
    bad = np.array([[NAN, 1.0], [1.0, 1.0]])
    chunks = (
        Chunk("1", Text("a b"), (4, 6), None, bad, bad[0]),
        Chunk("2", Text("gone"), None, None, None, bad[1]),
        Chunk("3", Text("a")),
    )
    run = Chunking((ChunkedDocument("d", Source("a b a b"), chunks),))
    gold = Gold(expected_evidence=({"text": "b"}, {"text": "c"}), expected_chunks=("a b", "d"))
    assert {
        "unlocated": 1,
        "offset_mismatch": 1,
        "ambiguous": 2,
        "gold_not_found": 2,
        "invalid_vectors": 2,
    } == notes(run, gold)
    assert set(notes(Chunking(None), gold).values()) == {0}


def test_evidence_belongs_to_its_document() -> None:
    """Named or not, each text counts in one document, with whole words before parts of words."""
    one = ChunkedDocument("one", Source("start here"), (Chunk("1", Text("start here")),))
    two = ChunkedDocument("two", Source("art here"), (Chunk("2", Text("art")),))
    gold = Gold(
        expected_evidence=(
            {"text": "art"},
            {"text": "here", "document": "two"},
            {"text": "here"},
            {"text": "rt h"},
            {"text": "rt here"},
            {"text": "ar"},
            {"text": "ere no"},
        ),
        expected_metadata={"2": {"page": 1}, "9": {"page": 1}},
        expected_chunks=("start",),
    )
    run = Chunking((one, two))
    assert (1 + 0 + 4) / 6 == _measured(run, gold)["evidence_completeness"]


def test_chunks_are_located_once() -> None:
    """All metrics and the notes read one and the same location."""
    document = _document("a b", "a", "b")
    assert document.located is document.located
    assert _document(None, "a").located is None


@pytest.mark.parametrize(
    "make", [lambda: "ab" * 100_000, lambda: "A\n" * 100_000, lambda: "\n" * 99]
)
def test_hostile_documents_are_measured(make: Callable[[], str]) -> None:
    """A text without spaces, of short lines only or of nothing else costs no failure."""
    raw = make()
    run = Chunking((_document(raw, raw, raw[:50], "", raw * 2),))
    measured = _measured(run)
    assert not [one for one in measured.values() if str(getattr(one, "kind", "")) == "failed"]
