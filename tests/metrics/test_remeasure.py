"""What becomes of the values of a request when its texts are gone."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.metrics.declare import stage
from ragmon.metrics.input import RequestFacts
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry, build
from ragmon.metrics.remeasure import carried, remeasure
from ragmon.metrics.spec import Better, Scope, Unit
from ragmon.model.corpus import CorpusDocument, TokenRange
from ragmon.model.gold import Gold, GoldField, GoldLabel, MatchKey, TargetKind
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import ContextSource, Document, Outcome, RequestRecord
from ragmon.settle.sealing import seal, unseal
from ragmon.text import Text
from ragmon.text.tokens import joined, word_tokens
from tests.metrics.measuring import HASHER, by_metric, differing, hashed, plain, remeasured

MakeRecord = Callable[..., RequestRecord]
REGISTRY = build((2,))
SOURCE = "Alpha 10 and Beta 20 stand here, then Alpha again."

texts = st.sampled_from(
    ("Alpha 10.", "Beta 20", "alpha", "the 3,000", "", "€", "Alpha 10 and Beta")
)
chunks = st.builds(Document, st.sampled_from("abc"), st.one_of(st.none(), st.builds(Text, texts)))
lists = st.one_of(st.none(), st.lists(chunks, max_size=3, unique_by=lambda one: one.id).map(tuple))
records = st.builds(
    RequestRecord,
    trace_id=st.just("0" * 32),
    span_id=st.just("0" * 16),
    span_ids=st.just(()),
    dialect=st.just("ragmon"),
    pipeline=st.just("tests"),
    event_ns=st.just(5),
    outcome=st.sampled_from(Outcome),
    latency_s=st.sampled_from((None, 2.0)),
    query=st.one_of(st.none(), st.builds(Text, texts)),
    retrieved=lists,
    reranked=lists,
    context=lists,
    context_source=st.sampled_from((None, *ContextSource)),
    max_context_tokens=st.sampled_from((None, 3)),
    answer=st.one_of(st.none(), st.builds(Text, texts)),
    citations=st.sampled_from((None, (), ("a", "z"))),
)
golds = st.builds(
    Gold,
    relevant=st.sampled_from((None, {}, {"a": 1.0, "b": 2.0})),
    expected_evidence=st.sampled_from(
        (None, ({"text": "Beta 20"},), ({"text": "alpha", "document": "d"},), ({"text": "gone"},))
    ),
    reference_answers=st.one_of(st.none(), st.lists(st.builds(Text, texts), max_size=2).map(tuple)),
    required_facts=st.sampled_from((None, (), (("alpha",),), (("ten", "10"), ("€",)))),
    expected_citations=st.sampled_from((None, (), ("a",))),
    answerable=st.sampled_from((None, True, False)),
    task_success=st.sampled_from((None, True)),
)
CORPUS = (
    CorpusDocument(
        "tests",
        "d",
        joined(word_tokens(SOURCE)),
        (("a", TokenRange("d", 0, 4)), ("b", TokenRange("d", 3, 7)), ("c", None)),
        1,
    ),
)


@settings(max_examples=300)
@given(records, golds)
def test_with_hashes_every_metric_gives_the_plain_value_or_is_not_kept(
    record: RequestRecord, gold: Gold
) -> None:
    """Whatever labels and corpus come after sealing; and None never becomes a number."""
    expected = plain(record, gold, REGISTRY, CORPUS)
    assert {} == differing(expected, hashed(record, gold, REGISTRY, CORPUS))  # type: ignore[arg-type]


def test_with_hashes_a_full_request_loses_nothing(make_record: MakeRecord, gold: Gold) -> None:
    """Every metric of the registry that has a value for it has the same one afterwards."""
    values = hashed(make_record(), gold, REGISTRY, CORPUS)
    assert values == plain(make_record(), gold, REGISTRY, CORPUS)


def test_a_fact_without_a_word_is_not_kept(make_record: MakeRecord) -> None:
    """It is looked for in the text itself, which hashes cannot say."""
    values = hashed(make_record(), Gold(required_facts=(("€",),)), REGISTRY)
    assert values["generation.required_fact_coverage"] is Kind.NOT_KEPT


@settings(max_examples=200)
@given(records, golds)
def test_with_ids_what_was_measured_stays_and_texts_give_no_late_value(
    record: RequestRecord, gold: Gold
) -> None:
    """A value is the first one or the plain one; where it needs a text that came late: none."""
    first = measure(record, Gold(), REGISTRY)
    plainly = plain(record, gold, REGISTRY)
    again = remeasured(record, gold, REGISTRY, keep_hashes=False)
    for slot, before, now in zip(REGISTRY.layout, first, again, strict=True):
        if isinstance(before, float):
            assert before == now
        elif isinstance(now, float):
            assert now == plainly[slot.key]


@pytest.mark.parametrize(
    "key",
    ["generation.exact_match", "generation.rouge_l_f1", "generation.required_fact_coverage"],
)
def test_with_ids_a_label_on_the_answer_comes_too_late(
    make_record: MakeRecord, gold: Gold, key: str
) -> None:
    """It is not kept, and never 0; recall still comes."""
    values = by_metric(REGISTRY, remeasured(make_record(), gold, REGISTRY, keep_hashes=False))
    assert values[key] is Kind.NOT_KEPT
    assert values["retrieval.recall_at_k"] == 0.5


def test_with_ids_a_second_label_on_the_answer_leaves_the_first_value(
    make_record: MakeRecord, gold: Gold
) -> None:
    """What was measured stays as it was, while the labels on ids go on to count."""
    second = replace(gold, reference_answers=(Text("no"),), relevant={"a": 1.0})
    again = remeasured(make_record(), second, REGISTRY, keep_hashes=False, known=gold)
    values, before = by_metric(REGISTRY, again), plain(make_record(), gold, REGISTRY)
    assert before["generation.answer_f1"] == values["generation.answer_f1"]
    assert 1.0 == values["retrieval.recall_at_k"] != before["retrieval.recall_at_k"]


@settings(max_examples=100)
@given(records, st.booleans())
def test_without_a_label_nothing_changes(record: RequestRecord, keep_hashes: bool) -> None:
    """Undefined stays undefined and missing stays missing, whatever is kept."""
    again = remeasured(record, Gold(), REGISTRY, keep_hashes=keep_hashes)
    assert measure(record, Gold(), REGISTRY) == again


_metric = stage("generation")


@_metric(unit=Unit.COUNT, better=Better.NONE)
def alphas(answer: Text) -> float:
    """How often the answer says a word."""
    return float(answer.words.count("alpha"))


@_metric(unit=Unit.COUNT, better=Better.NONE)
def cited(cited_ids: tuple[str, ...]) -> float:
    """How many documents are cited."""
    return float(len(cited_ids))


def test_a_new_formula_is_measured_where_its_inputs_are_kept(make_record: MakeRecord) -> None:
    """The value of an older version is none of this one's; no word is found among hashes."""
    older = Registry(_metric.specs, ())
    newer = Registry([replace(spec, version=2) for spec in _metric.specs], ())
    first = dict(zip(older.layout, measure(make_record(), Gold(), older), strict=True))
    (reduced,) = unseal(seal([make_record()], HASHER, keep_hashes=True), HASHER)
    facts = RequestFacts(reduced, Gold())
    assert (1.0, 2.0) == remeasure(facts, older, first)
    assert (NotMeasured(Kind.NOT_KEPT), 2.0) == remeasure(facts, newer, first)


def test_a_run_of_indexing_keeps_its_values_and_takes_no_label() -> None:
    """A label that came too late is not kept; without one nothing changes."""
    layout = REGISTRY.layouts[Scope.DOCUMENT]
    missing = NotMeasured(Kind.MISSING, "expected_evidence")
    before = {slot: missing if "evidence" in slot.metric else 0.5 for slot in layout}
    label = GoldLabel(
        *(MatchKey(TargetKind.TRACE, "0" * 32), None, GoldField.EXPECTED_EVIDENCE, "ann", "[]", 0),
        *(0, None, ""),
    )
    unlabelled = carried(Gold(), REGISTRY, Scope.DOCUMENT, before)
    labelled = carried(Gold(winners=(label,)), REGISTRY, Scope.DOCUMENT, before)
    assert tuple(before.values()) == unlabelled
    assert {0.5, NotMeasured(Kind.NOT_KEPT)} == set(labelled)
