"""What interpretation costs grows as the trace does, however its spans lie."""

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.interpret.search import Search
from ragmon.model.span import Span

MakeSpan = Callable[..., Span]
Rag = Callable[..., dict[str, Any]]
Read = Callable[..., object]
Shape = Callable[[int, MakeSpan, Rag], list[Span]]


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs: a measure of work without a clock."""
    lines = 0

    def traced(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


def calls_in_calls(count: int, span: MakeSpan, rag: Rag) -> list[Span]:
    """Model calls one in the other, none with a model, and as many in the innermost."""
    calls = rag("generation")
    deep = [span(f"deep{n}", f"deep{n - 1}" if n else "ask", calls) for n in range(count)]
    used = calls | {"gen_ai.usage.input_tokens": 1}
    return deep + [span(f"call{n}", f"deep{count - 1}", used) for n in range(count)]


def retrievers_beside_rerankers(count: int, span: MakeSpan, rag: Rag) -> list[Span]:
    """As many rerankers as retrievers, none inside another."""
    first = rag("retrieval", documents_id=("a",))
    then = rag("reranking", documents_id=("a",), input_documents_id=("a",))
    return [span(f"search{n}", "ask", first) for n in range(count)] + [
        span(f"rank{n}", "ask", then, at=(50, 60)) for n in range(count)
    ]


def one_long_list_beside_short_ones(count: int, span: MakeSpan, rag: Rag) -> list[Span]:
    """Retrievers with one document each, and one with as many as all of them."""
    many = rag("retrieval", documents_id=tuple(map(str, range(count))))
    one = rag("retrieval", documents_id=("a",))
    return [span("long", "ask", many), *(span(f"short{n}", "ask", one) for n in range(count))]


def builders_beside_texts(count: int, span: MakeSpan, rag: Rag) -> list[Span]:
    """As many prompt builders that hold a variable of no known name as retrieved texts."""
    texts = tuple(f"text {n}" for n in range(count))
    search = span("search", "ask", rag("retrieval", documents_text=texts))
    held = ({"llm.prompt_template.variables": f'{{"tone": "kind {n}"}}'} for n in range(count))
    kind = {"openinference.span.kind": "PROMPT"}
    return [search, *(span(f"build{n}", "ask", kind | one) for n, one in enumerate(held))]


@pytest.mark.parametrize(
    "shape",
    [
        calls_in_calls,
        retrievers_beside_rerankers,
        one_long_list_beside_short_ones,
        builders_beside_texts,
    ],
)
def test_twice_the_spans_take_twice_the_work(
    shape: Shape, span: MakeSpan, rag: Rag, read: Read
) -> None:
    """A trace of any shape is read in work that grows as its spans do, not as their square."""
    ask = span("ask", None, rag("request"))
    once, twice = (lines_run(partial(read, ask, *shape(count, span, rag))) for count in (200, 400))

    assert twice < 2.5 * once


@settings(max_examples=60)
@given(
    texts=st.lists(st.text("ab\0", max_size=4), max_size=12),
    prompt=st.sampled_from(["ab", "ab" * 600, "b" + "a" * 1500]),
)
def test_a_text_is_found_where_it_stands(texts: list[str], prompt: str) -> None:
    """In whatever order texts are looked for, those are found that the prompt contains."""
    assert [text in prompt for text in texts] == Search().found(texts, prompt)


def test_texts_in_their_order_are_found_in_one_pass() -> None:
    """A long prompt of a thousand texts is no more work than reading through it."""
    texts = [f"{n} " + "lorem ipsum " * 100 for n in range(1000)]

    assert [True] * 1000 == Search().found(texts, "\n".join(texts))


def test_many_lists_share_the_work_of_a_request() -> None:
    """Documents spread over many spans are looked for no longer than those of one."""
    search, prompt = Search(), "ab" * 50_000
    lists = [[f"{part} {n}" for n in range(40)] for part in range(10)]
    found = [search.found(texts, prompt) for texts in lists]

    assert ([False] * 40, None) == (found[0], found[-1])
    assert [False] * 40 == search.found(["ab" * 60_000] * 40, "a new prompt" * 100)
