"""Laws of the metrics of positions, through the whole of a request."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragmon.metrics.augmentation_positions import duplicate_ratio
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import build
from ragmon.metrics.spec import Scope, Unit
from ragmon.model.corpus import NO_SOURCES, Sources, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.measurement import Measured, NotMeasured
from ragmon.model.record import ContextSource, Document, RequestRecord
from ragmon.text import Text

MakeRecord = Callable[..., RequestRecord]
K = 4
REGISTRY = build((K,))
SPECS = {spec.key: spec for _, spec in REGISTRY.places[Scope.REQUEST]}
TOKENS = [key for key, spec in SPECS.items() if "retrieved_ranges" in spec.inputs]
CONTEXT = [key for key, spec in SPECS.items() if "context_ranges" in spec.inputs]
POSITIONS = TOKENS + CONTEXT
WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
DOCUMENTS = {"d": f" {' '.join(WORDS)} ", "e": f" {' '.join(WORDS[::-1])} ", "far": " x y z "}


def _measured(
    record: RequestRecord, gold: Gold, sources: Sources = NO_SOURCES
) -> Mapping[str, Measured]:
    values = measure(record, gold, REGISTRY, sources)
    found = {slot.key: value for slot, value in zip(REGISTRY.layout, values, strict=True)}
    return {key: found[key] for key in POSITIONS}


def _number(value: Measured) -> float:
    assert not isinstance(value, NotMeasured)
    return value


def _reasons(measured: Mapping[str, Measured]) -> dict[str, str]:
    return {key: one.reason for key, one in measured.items() if isinstance(one, NotMeasured)}


chunk = st.builds(
    lambda document, first, length: TokenRange(document, first, min(12, first + length)),
    st.sampled_from("de"),
    st.integers(0, 11),
    st.integers(0, 6),
)
corpora = st.lists(st.none() | chunk, min_size=1, max_size=6)
evidence = st.lists(
    st.builds(
        lambda document, first, length: (document, first, first + length),
        st.sampled_from("de"),
        st.integers(0, 9),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=3,
)


def _sources(ranges: list[TokenRange | None]) -> Sources:
    chunks = {str(place): one for place, one in enumerate(ranges)}
    return Sources(chunks | {"far": TokenRange("far", 0, 3)}, DOCUMENTS)


def _gold(spans: list[tuple[str, int, int]]) -> Gold:
    return Gold(
        expected_evidence=tuple(
            {"text": " ".join(DOCUMENTS[document].split()[first:end]), "document": document}
            for document, first, end in spans
        )
    )


def _chunks(ids: list[str]) -> tuple[Document, ...]:
    """Chunks of which each text holds as many words as any range."""
    return tuple(Document(found, Text("w " * 12)) for found in ids)


any_request = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


@any_request
@given(corpora, evidence, st.randoms(use_true_random=False))
def test_order_within_the_cut_does_not_matter(
    make_record: MakeRecord, ranges: list[TokenRange | None], spans: Any, shuffle: Any
) -> None:
    """No token metric minds the order of the first k results, nor a result that comes again."""
    sources, gold = _sources(ranges), _gold(spans)
    ids = [str(place) for place in range(len(ranges))]
    shuffle.shuffle(ids)
    first = ids[:K]
    shuffle.shuffle(first)
    before = _measured(make_record(retrieved=_chunks(ids)), gold, sources)
    repeated = _chunks([*first[:1] * K, *first, *ids[K:]])
    after = _measured(make_record(retrieved=repeated), gold, sources)
    assert {key: before[key] for key in TOKENS} == {key: after[key] for key in TOKENS}


@any_request
@given(corpora, evidence, st.randoms(use_true_random=False))
def test_order_of_the_context_does_not_matter(
    make_record: MakeRecord, ranges: list[TokenRange | None], spans: Any, shuffle: Any
) -> None:
    """Of the metrics of the context only the place of the evidence minds its order."""
    sources, gold = _sources(ranges), _gold(spans)
    ids = [str(place) for place in range(len(ranges))]
    before = _measured(make_record(context=_chunks(ids)), gold, sources)
    shuffle.shuffle(ids)
    after = _measured(make_record(context=_chunks(ids)), gold, sources)
    unordered = [key for key in CONTEXT if key != "augmentation.evidence_edge_placement"]
    assert {key: before[key] for key in unordered} == {key: after[key] for key in unordered}


@any_request
@given(corpora.filter(lambda ranges: len(ranges) < K), evidence)
def test_an_unrelated_chunk_never_helps(
    make_record: MakeRecord, ranges: list[TokenRange | None], spans: Any
) -> None:
    """Another document within k raises no token metric; nor does it help the context."""
    sources, gold = _sources(ranges), _gold(spans)
    less = _chunks([str(place) for place in range(len(ranges))])
    more = (*less, Document("far", Text("x y z")))
    before = _measured(make_record(retrieved=less, context=less), gold, sources)
    after = _measured(make_record(retrieved=more, context=more), gold, sources)
    helping = [*TOKENS, "augmentation.context_precision", "augmentation.context_recall"]
    for key in [*helping, "augmentation.context_sufficient"]:
        if not isinstance(before[key], NotMeasured):
            assert _number(after[key]) <= _number(before[key])


@any_request
@given(corpora, evidence)
def test_values_lie_in_their_range(
    make_record: MakeRecord, ranges: list[TokenRange | None], spans: Any
) -> None:
    """Every value is a share or a truth value; what has none says why."""
    chunks = _chunks([str(place) for place in range(len(ranges))])
    measured = _measured(
        make_record(retrieved=chunks, context=chunks), _gold(spans), _sources(ranges)
    )
    assert set(_reasons(measured).values()) <= {"undefined"}
    for key, value in measured.items():
        if not isinstance(value, NotMeasured):
            assert 0 <= value <= 1
            assert SPECS[key].unit is not Unit.BINARY or value in (0, 1)


GOLD = _gold([("d", 1, 3)])
KNOWN = Sources({"a": TokenRange("d", 0, 2), "b": TokenRange("d", 2, 4)}, DOCUMENTS)


@pytest.mark.parametrize(
    "chunks",
    [
        (Document("a", Text("x")), Document("stranger", Text("y"))),
        (Document("a", Text("x")), Document(None, Text("y"))),
    ],
)
def test_what_is_not_registered_is_no_miss(
    make_record: MakeRecord, chunks: tuple[Document, ...]
) -> None:
    """One chunk that the corpus does not know, and nothing is measured: never 0."""
    retrieved = _reasons(_measured(make_record(retrieved=chunks), GOLD, KNOWN))
    context = _reasons(_measured(make_record(context=chunks), GOLD, KNOWN))
    assert dict.fromkeys(TOKENS, "missing:source") == retrieved
    assert dict.fromkeys(CONTEXT, "missing:source") == context


def test_without_a_corpus_everything_is_missing(make_record: MakeRecord) -> None:
    """A request of a pipeline that registered nothing has no metric of positions."""
    assert dict.fromkeys(POSITIONS, "missing:source") == _reasons(_measured(make_record(), GOLD))


def test_each_input_is_required(make_record: MakeRecord) -> None:
    """Without a list, its texts or the label there is no number, and the reason is that."""
    labelled = [key for key in POSITIONS if "evidence_ranges" in SPECS[key].inputs]
    expected = dict.fromkeys(labelled, "missing:expected_evidence")
    assert expected == _reasons(_measured(make_record(), Gold(), KNOWN))
    for field, keys, name in (
        ("retrieved", TOKENS, "retrieved_ranges"),
        ("context", CONTEXT, "context_ranges"),
    ):
        expected = dict.fromkeys(keys, f"missing:{name}")
        if field == "context":
            expected["augmentation.duplicate_ratio"] = "missing:context_texts"
        assert expected == _reasons(_measured(make_record(**{field: None}), GOLD, KNOWN))


def test_a_context_that_was_read_from_the_prompt_has_no_places(make_record: MakeRecord) -> None:
    """The prompt is no chunk, whatever stands in it."""
    record = make_record(context_source=ContextSource.PROMPT)
    expected = dict.fromkeys(CONTEXT, "missing:context_ranges")
    assert expected == _reasons(_measured(record, GOLD, KNOWN))


@pytest.mark.parametrize("source", [ContextSource.RERANKED, ContextSource.RETRIEVED])
def test_any_list_of_chunks_is_a_context(make_record: MakeRecord, source: ContextSource) -> None:
    """Where nothing says what was packed, the list that was handed on is measured."""
    measured = _measured(make_record(context_source=source), GOLD, KNOWN)
    assert 2 / 4 == measured["augmentation.context_precision"]


def test_a_chunk_without_a_place_has_its_rank(make_record: MakeRecord) -> None:
    """A registered chunk that was not located holds nothing, and hides how much repeats."""
    sources = Sources({**KNOWN.chunks, "lost": None}, DOCUMENTS)
    context = _chunks(["lost", "a", "lost"])
    measured = _measured(make_record(context=context), GOLD, sources)
    assert 1 / 2 == measured["augmentation.context_precision"]
    assert 0.0 == measured["augmentation.evidence_edge_placement"]
    assert {"augmentation.duplicate_ratio": "undefined"} == _reasons(measured)


def test_texts_that_are_not_whole_have_no_share_of_repeats() -> None:
    """Fewer words than places: the texts were cut, and nobody knows what they repeat."""
    ranges = (TokenRange("d", 0, 4), TokenRange("d", 0, 4))
    assert duplicate_ratio((Text("a"), Text("a b")), ranges) is None
    assert 0.5 == duplicate_ratio((Text("a b c d"), Text("a b c d")), ranges)
