"""The model calls of a request: which one answered, and what all of them used."""

from collections.abc import Callable
from typing import Any

import pytest

from ragmon.model.record import Absence, ModelUsage, RequestRecord, Stage
from ragmon.model.span import Span

MakeSpan = Callable[..., Span]
Rag = Callable[..., dict[str, Any]]
ReadOne = Callable[..., RequestRecord]


def used(
    model: str | None = None,
    sent: int | None = None,
    received: int | None = None,
    cost: float | None = None,
) -> dict[str, Any]:
    return {
        "gen_ai.response.model": model,
        "gen_ai.usage.input_tokens": sent,
        "gen_ai.usage.output_tokens": received,
        "ragmon.cost_usd": cost,
    }


def test_the_leaf_call_that_ends_last_is_the_generation(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Outer calls and calls that ended before are not the one that answered."""
    record = read_one(
        span("root"),
        span("rewrite", "root", rag("generation", answer="rewritten") | used("small"), at=(0, 10)),
        span("outer", "root", rag("generation", answer="outer") | used("wrapper"), at=(10, 90)),
        span("inner", "outer", rag("generation", answer="inner") | used("large"), at=(20, 60)),
    )

    assert ("inner", "large", 0.04) == (
        record.answer and record.answer.raw,
        record.model,
        record.stages[Stage.GENERATION].duration_s,
    )


def test_what_the_leaf_lacks_the_call_around_it_tells(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Prompt, answer and model are taken from the nearest call that has them."""
    record = read_one(
        span("outer", None, rag("generation", prompt="the prompt", answer="yes") | used("large")),
        span("inner", "outer", rag("generation")),
    )

    assert ("the prompt", "yes", "large") == (
        record.prompt and record.prompt.raw,
        record.answer and record.answer.raw,
        record.model,
    )


def test_tokens_are_summed_over_leaf_calls_per_model(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """An outer call repeats what the inner ones used; it does not count again."""
    record = read_one(
        span("root"),
        span("outer", "root", rag("generation") | used("large", 30, 12, 0.5)),
        span("one", "outer", rag("generation") | used("large", 10, 5, 0.25), at=(0, 1)),
        span("two", "outer", rag("generation") | used("large", 20, 7, 0.25), at=(1, 2)),
        span("judge", "root", rag("generation") | used("small", 1, 1), at=(2, 3)),
    )

    assert (ModelUsage("large", 30, 12, 0.5), ModelUsage("small", 1, 1, None)) == record.usage
    assert (31, 13, 0.5) == (record.input_tokens, record.output_tokens, record.cost_usd)


def test_a_cost_on_the_outer_call_joins_the_inner_tokens(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Each value comes from the innermost span that carries it, under the inner call's model."""
    record = read_one(
        span("ask", None, rag("request") | used(cost=0.75)),
        span("outer", "ask", rag("generation")),
        span("inner", "outer", rag("generation") | used("large", 10, 5)),
    )

    assert (ModelUsage("large", 10, 5, 0.75),) == record.usage


def test_a_call_without_a_model_uses_that_of_the_call_around_it(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """An inner call that does not name its model belongs to the outer one's."""
    record = read_one(
        span("outer", None, rag("generation") | used("large")),
        span("middle", "outer", rag("generation")),
        span("inner", "middle", rag("generation") | used(None, 10, 5)),
    )

    assert (ModelUsage("large", 10, 5, None),) == record.usage


def test_without_any_count_there_is_no_usage(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """A call that reports nothing gives no row of nothing."""
    record = read_one(span("model", None, rag("generation") | used("large")))

    assert ((), "large", None) == (record.usage, record.model, record.cost_usd)


@pytest.mark.parametrize("value", [-1, True, 1.5, "7", float("nan"), 1e20, 10**400])
def test_a_count_that_is_none_is_not_captured(
    value: object, span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Tokens are whole numbers of 0 or more; anything else is no count."""
    attributes = rag("generation") | {"gen_ai.usage.input_tokens": value}

    assert () == read_one(span("model", None, attributes)).usage


def test_the_first_token_is_the_answering_calls(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Time to first token comes from the call that answered, else from the request."""
    first = "gen_ai.response.time_to_first_chunk"
    streamed = read_one(
        span("ask", None, rag("request") | {first: 0.5}),
        span("model", "ask", rag("generation") | {first: 0.25}),
    )
    only_request = read_one(span("ask", None, rag("request") | {first: 0.5}))

    assert (0.25, 0.5) == (
        streamed.time_to_first_token_s,
        only_request.time_to_first_token_s,
    )


def test_what_one_call_lost_is_not_known_of_all(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A sum over the calls that kept their amounts would pass for what all of them used."""
    whole = span("one", "ask", rag("generation") | used("large", 10, 1, 0.25), at=(0, 1))
    ask = span("ask", None, rag("request"))
    bare = span("two", "ask", rag("generation", answer="x"), at=(1, 2), dropped=3)
    uncosted = span("two", "ask", rag("generation") | used("small", 5, 2), at=(1, 2), dropped=3)

    assert ((), Absence.DROPPED_ATTRIBUTES) == (
        read_one(ask, whole, bare).usage,
        read_one(ask, whole, bare).absent.get("usage"),
    )
    assert (
        ModelUsage("large", 10, 1, None),
        ModelUsage("small", 5, 2, None),
    ) == read_one(ask, whole, uncosted).usage


def test_the_call_around_tells_what_a_call_lost(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """An outer call's amounts are those of the call inside it, whatever that lost."""
    record = read_one(
        span("ask", None, rag("request")),
        span("outer", "ask", rag("generation") | used("large", 30, 12, 0.5), at=(0, 5)),
        span("inner", "outer", rag("generation"), at=(1, 4), dropped=2),
        span("judge", "ask", rag("generation") | used("small", 1, 1, 0.25), at=(6, 7), dropped=1),
    )

    assert (ModelUsage("large", 30, 12, 0.5), ModelUsage("small", 1, 1, 0.25)) == record.usage
