"""What was retrieved, and what reranking made of it."""

from collections.abc import Callable
from typing import Any

import pytest

from ragmon.model.record import Absence, RequestRecord
from ragmon.model.span import Span

MakeSpan = Callable[..., Span]
Rag = Callable[..., dict[str, Any]]
ReadOne = Callable[..., RequestRecord]
Ids = list[str | None] | None


def lists(record: RequestRecord) -> tuple[Ids, Ids]:
    retrieved, reranked = (
        None if found is None else [document.id for document in found]
        for found in (record.retrieved, record.reranked)
    )
    return retrieved, reranked


def test_one_retriever_is_not_reranked(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """The list of a lone retriever is what was retrieved, and nothing else."""
    record = read_one(
        span("ask", None, rag("request")),
        span("search", "ask", rag("retrieval", documents_id=("a", "b"))),
    )

    assert (["a", "b"], None) == lists(record)


def test_nested_retrievers_are_candidates_and_final_list(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The innermost list holds the candidates, the outermost what was kept of them."""
    record = read_one(
        span("outer", None, rag("retrieval", documents_id=("b",))),
        span("middle", "outer"),
        span("inner", "middle", rag("retrieval", documents_id=("a", "b"))),
    )

    assert (["a", "b"], ["b"]) == lists(record)


@pytest.mark.parametrize(("outer", "inner"), [(("a",), None), (None, ("a",))])
def test_nested_retrievers_with_one_list_are_not_reranked(
    outer: tuple[str, ...] | None,
    inner: tuple[str, ...] | None,
    span: MakeSpan,
    rag: Rag,
    read_one: ReadOne,
) -> None:
    """It counts as reranked only where both retrievers carry a list."""
    record = read_one(
        span("outer", None, rag("retrieval", documents_id=outer)),
        span("inner", "outer", rag("retrieval", documents_id=inner)),
    )

    assert (["a"], None) == lists(record)


def test_a_final_list_may_be_empty(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """A retriever that keeps nothing of its candidates reranked them to an empty list."""
    record = read_one(
        span("outer", None, rag("retrieval", documents_id=())),
        span("inner", "outer", rag("retrieval", documents_id=("a",))),
    )

    assert (["a"], []) == lists(record)


def test_an_empty_inner_list_gives_no_candidates(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Where the inner retriever found nothing, the outer one's documents came from elsewhere."""
    record = read_one(
        span("outer", None, rag("retrieval", documents_id=("a",))),
        span("inner", "outer", rag("retrieval", documents_id=())),
    )

    assert (["a"], None) == lists(record)


def test_a_retrieval_told_twice_is_not_reranked(
    span: MakeSpan, rag: Rag, kind: Rag, listed: Rag, read_one: ReadOne
) -> None:
    """A decorated function around an instrumented retriever is one retrieval, not two."""
    found = listed("retrieval.documents", {"id": "a"}, {"id": "b"})
    record = read_one(
        span("outer", None, rag("retrieval", documents_id=("a", "b"))),
        span("inner", "outer", kind("RETRIEVER", found)),
    )

    assert (["a", "b"], None) == lists(record)


def test_a_rerankers_span_wins(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """A reranker's own list is the final one, whatever nested retrievers say."""
    record = read_one(
        span("ask", None, rag("request")),
        span("outer", "ask", rag("retrieval", documents_id=("a", "b"))),
        span("inner", "outer", rag("retrieval", documents_id=("a", "b", "c"))),
        span("rerank", "ask", rag("reranking", documents_id=("c",))),
    )

    assert (["a", "b", "c"], ["c"]) == lists(record)


def test_a_reranker_inside_a_retriever_saw_the_candidates(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Where a retriever returns what its own reranker kept, the reranker's input is retrieved."""
    record = read_one(
        span("search", None, rag("retrieval", documents_id=("b",))),
        span(
            "rerank", "search", rag("reranking", input_documents_id=("a", "b"), documents_id=("b",))
        ),
    )

    assert (["a", "b"], ["b"]) == lists(record)


def test_a_cascade_of_rerankers_ends_with_the_last(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A reranker that narrows what an earlier one returned gives the final list."""
    record = read_one(
        span("ask", None, rag("request")),
        span("coarse", "ask", rag("reranking", documents_id=("a", "b", "c")), at=(0, 10)),
        span("fine", "ask", rag("reranking", documents_id=("c", "a")), at=(10, 20)),
    )

    assert (None, ["c", "a"]) == lists(record)


def test_rerankers_at_the_same_time_are_siblings(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Rerankers that ran in parallel merge: neither took up what the other returned."""
    record = read_one(
        span("ask", None, rag("request")),
        span("one", "ask", rag("reranking", documents_id=("a", "b")), at=(0, 10)),
        span("two", "ask", rag("reranking", documents_id=("b",)), at=(5, 20)),
    )

    assert (None, ["a", "b"]) == lists(record)


def test_sibling_lists_merge_rank_by_rank(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """First ranks before second ones, ties by start, each document once at its first place."""
    record = read_one(
        span("ask", None, rag("request")),
        span("late", "ask", rag("retrieval", documents_id=("x", "b", "y")), at=(2, 5)),
        span("early", "ask", rag("retrieval", documents_id=("a", "x")), at=(1, 9)),
    )

    assert (["a", "x", "b", "y"], None) == lists(record)


def test_documents_without_an_id_merge_by_their_text(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """Without ids, equal texts are one document."""
    record = read_one(
        span("ask", None, rag("request")),
        span("one", "ask", rag("retrieval", documents_text=("Alpha", "Beta")), at=(0, 1)),
        span("two", "ask", rag("retrieval", documents_text=("Beta",)), at=(1, 2)),
    )

    assert ["Alpha", "Beta"] == [
        document.text and document.text.raw for document in record.retrieved or ()
    ]


def test_several_inner_retrievers_are_all_candidates(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """The candidates of a fused retrieval are the merged lists below it."""
    record = read_one(
        span("fusion", None, rag("retrieval", documents_id=("b", "a"))),
        span("dense", "fusion", rag("retrieval", documents_id=("a",)), at=(0, 1)),
        span("sparse", "fusion", rag("retrieval", documents_id=("b", "c")), at=(1, 2)),
    )

    assert (["a", "b", "c"], ["b", "a"]) == lists(record)


def test_an_empty_list_is_not_a_missing_one(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """Captured and empty is (), not captured None."""
    empty = read_one(span("search", None, rag("retrieval", documents_id=())))
    missing = read_one(span("search", None, rag("retrieval")))

    assert (([], None), (None, None)) == (lists(empty), lists(missing))
    assert {} == missing.absent


@pytest.mark.parametrize("stage", ["retrieval", "reranking"])
def test_a_stage_that_lost_attributes_has_no_list(
    stage: str, span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """What is left of a list is never taken for the list."""
    record = read_one(
        span("ask", None, rag("request")),
        span("stage", "ask", rag(stage, documents_id=("a",)), dropped=1),
        span("whole", "ask", rag("retrieval", documents_id=("b",))),
    )

    field = {"retrieval": "retrieved", "reranking": "reranked"}[stage]
    assert (None, Absence.DROPPED_ATTRIBUTES) == (getattr(record, field), record.absent[field])


def test_a_failed_sibling_leaves_the_other_list(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A retriever without a list takes nothing from the one beside it."""
    record = read_one(
        span("ask", None, rag("request")),
        span("failed", "ask", rag("retrieval")),
        span("search", "ask", rag("retrieval", documents_id=("a",))),
    )

    assert (["a"], None) == lists(record)


def test_texts_cross_once_and_are_found_by_id(span: MakeSpan, rag: Rag, read_one: ReadOne) -> None:
    """A later list names documents by id, and equal texts are one object in the record."""
    record = read_one(
        span("ask", None, rag("request")),
        span("search", "ask", rag("retrieval", documents_id=("a", "b"), documents_text=("A", "B"))),
        span("rerank", "ask", rag("reranking", documents_id=("b", "new")), at=(100, 110)),
    )

    retrieved, reranked = record.retrieved or (), record.reranked or ()
    assert ["B", None] == [document.text and document.text.raw for document in reranked]
    assert retrieved[1].text is reranked[0].text


def test_an_id_stands_for_the_text_that_crossed_first(
    span: MakeSpan, rag: Rag, read_one: ReadOne
) -> None:
    """A text that a later stage gave the same id does not change what was retrieved."""
    record = read_one(
        span("ask", None, rag("request")),
        span(
            "search", "ask", rag("retrieval", documents_id=("a",), documents_text=("A",)), at=(0, 1)
        ),
        span("rerank", "ask", rag("reranking", documents_id=("a",)), at=(1, 2)),
        span(
            "build",
            "ask",
            rag("augmentation", documents_id=("a",), documents_text=("A, shortened",)),
            at=(2, 3),
        ),
    )

    lists_of_one = (record.reranked or (), record.context or ())
    assert ["A", "A, shortened"] == [found[0].text and found[0].text.raw for found in lists_of_one]
