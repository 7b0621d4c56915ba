"""Metrics of positions against plain sets of positions."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragmon.metrics import augmentation_positions as context
from ragmon.metrics import positions, retrieval_tokens
from ragmon.model.corpus import TokenRange
from ragmon.text import Text
from ragmon.text.tokens import joined

Token = tuple[str, int]
Span = tuple[TokenRange, ...]
RETRIEVAL: tuple[Callable[..., float | None], ...] = (
    retrieval_tokens.token_recall,
    retrieval_tokens.token_precision,
    retrieval_tokens.token_iou,
    retrieval_tokens.complete_evidence_recall,
)
CONTEXT: tuple[Callable[..., float | None], ...] = (
    context.context_recall,
    context.context_precision,
    context.context_noise,
    context.context_sufficient,
    context.evidence_edge_placement,
)


def _between(document: str, one: int, other: int) -> TokenRange:
    return TokenRange(document, min(one, other), max(one, other))


chunk = st.builds(_between, st.sampled_from("de"), st.integers(0, 12), st.integers(0, 12))
span = st.builds(
    lambda document, first, length: TokenRange(document, first, first + length),
    st.sampled_from("de"),
    st.integers(0, 12),
    st.integers(1, 4),
)
chunks = st.lists(st.none() | chunk, max_size=6).map(tuple)
spans = st.lists(span, max_size=4).map(tuple)
cuts = st.integers(1, 7)


def _tokens(found: TokenRange | None) -> set[Token]:
    if found is None:
        return set()
    return {(found.document_id, at) for at in range(found.first, found.end)}


def _all(ranges: Sequence[TokenRange | None]) -> set[Token]:
    return set().union(*map(_tokens, ranges))


def _ratio(part: int, of: int) -> float | None:
    return part / of if of else None


@given(chunks, spans)
def test_sizes_are_those_of_the_sets(
    ranges: tuple[TokenRange | None, ...], gold: tuple[TokenRange, ...]
) -> None:
    """Ranges cover and share as many tokens as the sets of their positions."""
    assert len(_all(ranges)) == positions.covered(ranges)
    assert len(_all(ranges) & _all(gold)) == positions.shared(ranges, gold)
    for one in gold:
        assert any(_tokens(one) <= _tokens(held) for held in ranges) == positions.whole(one, ranges)
    for held in ranges:
        assert bool(_tokens(held) & _all(gold)) == positions.meets(held, gold)


@given(chunks, spans, cuts)
def test_token_metrics_are_those_of_the_sets(
    ranges: tuple[TokenRange | None, ...], gold: tuple[TokenRange, ...], k: int
) -> None:
    """Recall, precision, overlap and whole spans of the first k, by their formulas on sets."""
    held, wanted = _all(ranges[:k]), _all(gold)
    complete = [any(_tokens(one) <= _tokens(each) for each in ranges[:k]) for one in gold]
    expected = [
        _ratio(len(held & wanted), len(wanted)),
        _ratio(len(held & wanted), len(held) if gold else 0),
        _ratio(len(held & wanted), len(held | wanted) if gold else 0),
        _ratio(sum(complete), len(gold)),
    ]
    assert expected == [metric(ranges, gold, k=k) for metric in RETRIEVAL]


@given(chunks, spans)
def test_context_metrics_are_those_of_the_sets(
    ranges: tuple[TokenRange | None, ...], gold: tuple[TokenRange, ...]
) -> None:
    """Recall, precision, noise, sufficiency and place of the context, by their formulas."""
    held, wanted = _all(ranges), _all(gold)
    precision = _ratio(len(held & wanted), len(held) if gold else 0)
    complete = [any(_tokens(one) <= _tokens(each) for each in ranges) for one in gold]
    places = [
        at / max(1, len(ranges) - 1) for at, one in enumerate(ranges) if _tokens(one) & wanted
    ]
    edges = [abs(2 * place - 1) for place in places]
    expected = [
        _ratio(len(held & wanted), len(wanted)),
        precision,
        None if precision is None else 1 - precision,
        float(all(complete)) if gold else None,
        sum(edges) / len(edges) if edges else None,
    ]
    assert expected == pytest.approx([metric(ranges, gold) for metric in CONTEXT])


@given(st.lists(chunk, max_size=6).map(tuple), st.integers(0, 3))
def test_duplicates_are_those_of_the_sets(ranges: tuple[TokenRange, ...], title: int) -> None:
    """The share of repeats is what the texts have more than the places that they stand at."""
    texts = tuple(Text("w " * (len(_tokens(one)) + title)) for one in ranges)
    size = sum(len(text.words) for text in texts)
    expected = _ratio(size - len(_all(ranges)), size)
    assert expected == context.duplicate_ratio(texts, ranges)


words = st.lists(st.sampled_from(["a", "b", "ab", "é"]), max_size=12)


@given(words, words.filter(bool).map(lambda found: found[:3]))
def test_a_run_is_found_where_it_first_stands(document: list[str], run: list[str]) -> None:
    """Words are found whole, in a row, at their first place in the document."""
    length = len(run)
    starts = [at for at in range(len(document)) if document[at : at + length] == run]
    expected = TokenRange("d", starts[0], starts[0] + length) if starts else None
    assert expected == positions.find(run, "d", joined(document))
