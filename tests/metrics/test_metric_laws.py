"""Laws that hold for any request."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragmon.metrics.augmentation import duplicate_ratio_text
from ragmon.metrics.correctness import (
    answer_f1,
    answer_precision,
    answer_recall,
    citation_f1,
    exact_match,
    required_fact_coverage,
    rouge_l_f1,
)
from ragmon.metrics.generation import (
    context_grounding,
    unsupported_number_rate,
    unsupported_number_rate_with_question,
)
from ragmon.metrics.input import RequestFacts, read_input
from ragmon.metrics.kernels import longest_common_subsequence, repeated_tokens
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import build
from ragmon.metrics.request_inputs import REQUEST_INPUTS
from ragmon.metrics.reranking import (
    first_relevant_rank_change,
    mrr_gain,
    precision_gain,
    rank_biased_overlap,
)
from ragmon.metrics.retrieval import (
    average_precision_at_k,
    f1_at_k,
    hit_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
)
from ragmon.metrics.spec import Scope, Unit
from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import (
    ContextSource,
    Document,
    ModelUsage,
    Outcome,
    RequestRecord,
    Stage,
    StageRun,
)
from ragmon.text import Text

MakeRecord = Callable[..., RequestRecord]
REGISTRY = build((1, 3))
REQUEST_SPECS = [spec for _, spec in REGISTRY.places[Scope.REQUEST]]

WORDS = [
    *("the", "cat", "sat", "on", "two", "10", "20", "1,000", "3.5", "May", "3,", "2024", "é", "."),
    "well-known",
]
raw_texts = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            [
                "the",
                "cat",
                "sat",
                "10",
                "20",
                "1,000",
                "two",
                "on",
                "3.5",
                "May",
                "3,",
                "2024",
                "well-known",
                ".",
                "é",
            ]
        ),
        max_size=20,
    ).map(" ".join),
)
texts = raw_texts.map(Text)
ids = st.sampled_from("abcdefgh")
scores = st.none() | st.floats()
documents = st.builds(Document, st.none() | ids, st.none() | texts, scores)
lists = st.none() | st.lists(documents, max_size=6).map(tuple)
seconds = st.floats(0, 1e6)
counts = st.none() | st.integers(0, 10**9)
records = st.fixed_dictionaries(
    {
        "latency_s": st.none() | seconds,
        "query": st.none() | texts,
        "retrieved": lists,
        "reranked": lists,
        "context": lists,
        "context_source": st.none() | st.sampled_from(ContextSource),
        "max_context_tokens": counts,
        "answer": st.none() | texts,
        "outcome": st.sampled_from(Outcome),
        "citations": st.none() | st.lists(ids, max_size=4).map(tuple),
        "usage": st.lists(
            st.builds(ModelUsage, st.none(), counts, counts, st.none() | st.floats(0, 100)),
            max_size=2,
        ).map(tuple),
        "stages": st.dictionaries(st.sampled_from(Stage), st.builds(StageRun, st.none() | seconds)),
    }
)
golds = st.builds(
    Gold,
    relevant=st.none() | st.dictionaries(ids, st.sampled_from([-1.0, 0.0, 1.0, 2.0]), max_size=4),
    reference_answers=st.none() | st.lists(texts, max_size=2).map(tuple),
    required_facts=st.none()
    | st.lists(st.lists(raw_texts, min_size=1, max_size=2).map(tuple), max_size=3).map(tuple),
    expected_citations=st.none() | st.lists(ids, max_size=3).map(tuple),
    answerable=st.none() | st.booleans(),
    verified_claims=st.none() | st.lists(st.none() | st.booleans(), max_size=3).map(tuple),
    task_success=st.none() | st.booleans(),
)
any_request = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@any_request
@given(fields=records, gold=golds)
def test_a_number_needs_every_input_and_lies_in_its_range(
    make_record: MakeRecord, fields: dict[str, Any], gold: Gold
) -> None:
    """No number without every input, none outside the range of its unit, nothing fails."""
    record = make_record(**fields)
    facts = RequestFacts(record, gold)
    absent = {
        name
        for name, one in REQUEST_INPUTS.items()
        if isinstance(read_input(name, one, facts), NotMeasured)
    }
    values = measure(record, gold, REGISTRY)
    for spec, value in zip(REQUEST_SPECS, values, strict=True):
        if isinstance(value, NotMeasured):
            assert value.kind in (Kind.MISSING, Kind.UNDEFINED)
            assert (value.detail != "") == bool(absent & set(spec.inputs))
            continue
        assert not absent & set(spec.inputs)
        assert math.isfinite(value)
        assert value >= 0 or spec.unit is Unit.SIGNED
        assert spec.unit is not Unit.RATIO or value <= 1
        assert spec.unit is not Unit.BINARY or value in (0, 1)


@any_request
@given(fields=records, gold=golds)
def test_measuring_again_gives_the_same(
    make_record: MakeRecord, fields: dict[str, Any], gold: Gold
) -> None:
    """The same request and labels always give the same values."""
    record = make_record(**fields)
    assert measure(record, gold, REGISTRY) == measure(record, gold, REGISTRY)


@given(texts)
def test_equal_texts_match_whole(text: Text) -> None:
    """A text against itself has every overlap whole, an empty one included."""
    for metric in (answer_precision, answer_recall, answer_f1, rouge_l_f1, exact_match):
        assert metric(text, (text,)) == 1


@given(texts, texts)
def test_the_order_of_words_only_costs(answer: Text, reference: Text) -> None:
    """ROUGE-L never exceeds the overlap without order, and both sides count alike."""
    in_order, overlap = rouge_l_f1(answer, (reference,)), answer_f1(answer, (reference,))
    assert in_order is not None
    assert overlap is not None
    assert in_order <= overlap
    assert in_order == rouge_l_f1(reference, (answer,))
    assert answer_precision(answer, (reference,)) == answer_recall(reference, (answer,))


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_the_longest_common_subsequence_is_that_of_the_table(
    one: list[str], other: list[str]
) -> None:
    """The bit-parallel length is that of the table, row by row."""
    row = [0] * (len(one) + 1)
    for token in other:
        above = row[:]
        for place, mine in enumerate(one, start=1):
            equal = above[place - 1] + 1 if mine == token else 0
            row[place] = max(above[place], row[place - 1], equal)
    assert row[-1] == longest_common_subsequence(one, other)


@given(texts, st.lists(raw_texts, min_size=1, max_size=4), st.lists(ids, max_size=4))
def test_alternatives_only_help(answer: Text, facts: list[str], cited: list[str]) -> None:
    """One more wording of a fact never lowers coverage; order and repeats of ids are nothing."""
    single = tuple({(fact,) for fact in facts})
    double = tuple({(fact, "Two, 10") for fact in facts})
    one, two = required_fact_coverage(answer, single), required_fact_coverage(answer, double)
    assert one is not None
    assert two is not None
    assert one <= two
    expected = frozenset("abc")
    assert citation_f1(tuple(cited), expected) == citation_f1((*cited[::-1], *cited), expected)


ranked = st.lists(ids, unique=True).map(tuple)
relevant = st.frozensets(ids, min_size=1)
cuts = st.integers(1, 10)


@given(ranked, relevant, cuts, st.randoms(use_true_random=False))
def test_order_within_the_cut_does_not_matter(
    retrieved: tuple[str, ...], gold: frozenset[str], k: int, shuffle: Any
) -> None:
    """Precision, recall and hit are the same for every order of the first k."""
    first = list(retrieved[:k])
    shuffle.shuffle(first)
    permuted = (*first, *retrieved[k:])
    for metric in (precision_at_k, recall_at_k, hit_at_k):
        assert metric(retrieved, gold, k=k) == metric(permuted, gold, k=k)


@given(ranked, relevant, cuts, st.integers(0, 10))
def test_an_irrelevant_result_never_helps(
    retrieved: tuple[str, ...], gold: frozenset[str], k: int, place: int
) -> None:
    """Inserting an irrelevant id anywhere never raises precision, recall or nDCG."""
    worse = (*retrieved[:place], "irrelevant", *retrieved[place:])
    grades = dict.fromkeys(gold, 1.0)
    assert (precision_at_k(worse, gold, k=k) or 0) <= (precision_at_k(retrieved, gold, k=k) or 0)
    assert (recall_at_k(worse, gold, k=k) or 0) <= (recall_at_k(retrieved, gold, k=k) or 0)
    assert (ndcg_at_k(worse, grades, k=k) or 0) <= (ndcg_at_k(retrieved, grades, k=k) or 0)
    for metric in (f1_at_k, mrr_at_k, average_precision_at_k):
        assert (metric(worse, gold, k=k) or 0) <= (metric(retrieved, gold, k=k) or 0)


@given(ranked, ranked, relevant, cuts)
def test_what_a_reranker_gains_it_loses_the_other_way(
    before: tuple[str, ...], after: tuple[str, ...], gold: frozenset[str], k: int
) -> None:
    """Gains change their sign with the sides, lie in [-1, 1], and are 0 for one order."""
    for metric in (mrr_gain, precision_gain):
        gain = metric(before, after, gold, k=k)
        assert gain is not None
        assert -1 <= gain <= 1
        assert -gain == metric(after, before, gold, k=k)
        assert metric(after, after, gold, k=k) == 0
    change = first_relevant_rank_change(before, after, gold)
    back = first_relevant_rank_change(after, before, gold)
    assert (change is None) == (back is None)
    assert (change or 0) == -(back or 0)


@given(ranked, ranked)
def test_overlap_of_rankings_is_symmetric(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """Rank-biased overlap is the same both ways, 1 for one order, 0 for strangers."""
    overlap = rank_biased_overlap(one, other)
    assert overlap == pytest.approx(rank_biased_overlap(other, one))
    assert overlap is None or 0 <= overlap <= 1
    strangers = tuple(found.upper() for found in one)
    assert not one or rank_biased_overlap(one, one) == pytest.approx(1)
    assert not one or rank_biased_overlap(one, strangers) == 0


@given(st.dictionaries(ids, st.sampled_from([1.0, 2.0, 3.0]), min_size=1), cuts)
def test_the_best_order_is_perfect(grades: dict[str, float], k: int) -> None:
    """Ids in the order of their grades have an nDCG of 1."""
    best = tuple(sorted(grades, key=lambda found: -grades[found]))
    assert 1 == ndcg_at_k(best, grades, k=k)


@given(texts)
def test_a_text_is_grounded_in_itself(text: Text) -> None:
    """An answer that is its own context is fully grounded and invents no number."""
    assert context_grounding(text, (text,)) in (None, 1)
    assert unsupported_number_rate(text, (text,)) in (None, 0)


@given(texts, st.lists(texts, max_size=3), texts)
def test_more_context_never_hurts(answer: Text, chunks: list[Text], more: Text) -> None:
    """Another chunk raises grounding or leaves it, and the rates of numbers the other way."""
    less = tuple(chunks)
    grounding = context_grounding(answer, less)
    rate = unsupported_number_rate(answer, less)
    asked = unsupported_number_rate_with_question(answer, less, more)
    if grounding is not None:
        assert grounding <= (context_grounding(answer, (*less, more)) or 0)
    assert (rate is None) == (asked is None)
    if rate is not None and asked is not None:
        assert asked <= rate
        assert asked == unsupported_number_rate(answer, (*less, more))


@given(texts, texts)
def test_overlap_is_symmetric_and_full_for_equals(answer: Text, reference: Text) -> None:
    """F1 does not mind which text is the reference; a match is an F1 of 1."""
    assert answer_f1(answer, (reference,)) == answer_f1(reference, (answer,))
    assert 1 == answer_f1(answer, (answer,))
    if exact_match(answer, (reference,)):
        assert 1 == answer_f1(answer, (reference,))


@given(texts, st.lists(texts, min_size=1, max_size=4))
def test_the_best_reference_counts(answer: Text, references: list[Text]) -> None:
    """With several references the score is the best one's."""
    for metric in (answer_f1, exact_match):
        best = max(metric(answer, (reference,)) or 0.0 for reference in references)
        assert best == metric(answer, tuple(references))


few_words = st.lists(
    st.lists(st.sampled_from("ab"), max_size=14).map(tuple) | st.just(tuple("abcdefghij")),
    max_size=5,
)


def _reference_repeats(chunks: Sequence[tuple[str, ...]], width: int) -> int:
    """The definition, word by word and slowly."""
    repeated = 0
    for place, chunk in enumerate(chunks):
        if chunk in chunks[:place]:
            repeated += len(chunk)
            continue
        before = [
            earlier[start : start + width]
            for earlier in chunks[:place]
            for start in range(len(earlier) - width + 1)
        ]
        marked: set[int] = set()
        for start in range(len(chunk) - width + 1):
            run = chunk[start : start + width]
            if run in before:
                marked.update(range(start, start + width))
            before.append(run)
        repeated += len(marked)
    return repeated


@given(few_words, st.sampled_from([3, 8]))
def test_repeats_are_counted_by_their_definition(chunks: list[tuple[str, ...]], width: int) -> None:
    """The fast count of repeated tokens equals its definition."""
    assert _reference_repeats(chunks, width) == repeated_tokens(chunks, width)


PASSAGE = "one two three four five six seven eight nine ten"


def test_a_chunk_that_comes_twice_counts_whole() -> None:
    """Of two equal chunks one is superfluous, also where they are shorter than a shingle."""
    assert 0.5 == duplicate_ratio_text((Text(PASSAGE), Text(PASSAGE.title())))
    assert 0.5 == duplicate_ratio_text((Text("short one"), Text("Short: one!")))


def test_a_shingle_does_not_cross_chunks() -> None:
    """A passage that goes on in the next chunk is not a repeat of one that does not."""
    words = PASSAGE.split()
    halves = (Text(" ".join(words[:5])), Text(" ".join(words[5:])))
    assert 0 == duplicate_ratio_text((Text(PASSAGE), *halves))


def test_an_overlap_of_chunks_counts_its_tokens() -> None:
    """Eight tokens shared by two chunks are repeats, seven are none."""
    words = PASSAGE.split()
    eight = Text(" ".join([*words[2:], "x", "y"]))
    seven = Text(" ".join([*words[3:], "x", "y", "z"]))
    assert 8 / 20 == duplicate_ratio_text((Text(PASSAGE), eight))
    assert 0 == duplicate_ratio_text((Text(PASSAGE), seven))
