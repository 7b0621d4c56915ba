"""The order of the context's chunks says nothing to a metric of texts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.metrics.generation import (
    context_grounding,
    unsupported_number_rate,
    unsupported_number_rate_with_question,
)
from ragmon.metrics.retrieval import query_term_coverage
from ragmon.text import Text

texts = st.lists(
    st.sampled_from(["alpha", "Beta.", "10", "3,000", "two", "the", "\u0301", "?"]),
    max_size=8,
).map(lambda words: Text(" ".join(words)))


def in_two_orders(chunks: list[Text]) -> st.SearchStrategy[tuple[list[Text], list[Text]]]:
    """The same chunks as they came, and in any order."""
    return st.tuples(st.just(chunks), st.permutations(chunks))


def measured(answer: Text, query: Text, chunks: tuple[Text, ...]) -> tuple[float | None, ...]:
    """Every metric of texts that reads the context."""
    return (
        context_grounding(answer, chunks),
        unsupported_number_rate(answer, chunks),
        unsupported_number_rate_with_question(answer, chunks, query),
        query_term_coverage(query, chunks),
    )


@settings(max_examples=60, deadline=None)
@given(answer=texts, query=texts, orders=st.lists(texts, max_size=4).flatmap(in_two_orders))
def test_the_order_of_chunks_does_not_matter(
    answer: Text, query: Text, orders: tuple[list[Text], list[Text]]
) -> None:
    """Equal values for any order; only duplicate_ratio_text asks what came before."""
    first, second = (measured(answer, query, tuple(order)) for order in orders)
    assert first == second
