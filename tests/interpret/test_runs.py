"""Indexing runs: which spans make one, what it carries, and what it leaves alone."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.interpret import interpret, interpret_runs
from ragmon.interpret.dialects import DIALECTS, carries_vectors
from ragmon.model.indexing import Chunking, Embedding, IndexingRun
from ragmon.model.record import Absence
from ragmon.model.span import AttributeValue, Span, SpanEvent, StatusCode, Trace
from tests.interpret.conftest import ARRIVAL_NS, MakeSpan, _make_span

Attributes = Mapping[str, AttributeValue]
SOURCE = "Alpha beta. Gamma delta."
CHUNKS = ("Alpha beta.", "Gamma delta.")
DIMENSION = "gen_ai.embeddings.dimension.count"


def runs(*spans: Span, arrival_ns: int = ARRIVAL_NS) -> tuple[IndexingRun, ...]:
    """The indexing runs of one trace."""
    return interpret_runs(Trace("t", spans, arrival_ns))


def only(*spans: Span) -> IndexingRun:
    """The one indexing run of a trace."""
    (run,) = runs(*spans)
    return run


def split(**changes: AttributeValue) -> dict[str, AttributeValue]:
    """Attributes of a chunking span; underscores after the first word are dots, None drops."""
    given: dict[str, AttributeValue] = {
        "ragmon.stage": "chunking",
        "ragmon.source.id": "d",
        "ragmon.source.text": SOURCE,
        "ragmon.documents.id": ("d-0", "d-1"),
        "ragmon.documents.text": CHUNKS,
        **{f"ragmon.{name}": value for name, value in changes.items()},
    }
    return {name: value for name, value in given.items() if value is not None}


def embedded(*rows: tuple[float, ...], **changes: AttributeValue) -> dict[str, AttributeValue]:
    """Attributes of an embedding span with these vectors."""
    vectors: dict[str, AttributeValue] = {}
    if rows:
        vectors["ragmon.vectors"] = np.array(rows, dtype="<f4").tobytes()
        vectors["ragmon.vectors.count"] = len(rows)
        vectors[DIMENSION] = len(rows[0])
    given = {"ragmon.stage": "embedding", **vectors, **changes}
    return {name: value for name, value in given.items() if value is not None}


def chunking(run: IndexingRun) -> Chunking:
    assert isinstance(run.content, Chunking)
    return run.content


def embedding(run: IndexingRun) -> Embedding:
    assert isinstance(run.content, Embedding)
    return run.content


def numbers(run: IndexingRun) -> list[list[float]] | None:
    """The vectors of a run."""
    matrix = embedding(run).vectors
    return None if matrix is None else matrix.tolist()


# --- chunking ----------------------------------------------------------------------------


def test_a_chunking_span_is_a_run(span: MakeSpan) -> None:
    """It carries the source, the chunks with their places, and what they should be like."""
    said: dict[str, AttributeValue] = {
        "documents.start": (0, -1),
        "documents.end": (11, -1),
        "size_limits": (1, -1),
        "source.markdown": False,
        "pipeline": "faq",
        "pipeline_version": "2",
    }
    run = only(span("c", None, split(**said), at=(10, 30)))
    content = chunking(run)
    (document,) = content.documents or ()
    assert (run.span_id, run.span_ids, run.event_ns) == ("c", ("c",), 30_000_000)
    assert (run.pipeline, run.pipeline_version, run.dialect) == ("faq", "2", "ragmon")
    assert (run.duration_s, run.error_type, run.clock_faults) == (0.02, None, ())
    assert (content.size_limits, content.absent) == ((1, None), {})
    assert (document.document_id, document.markdown) == ("d", False)
    assert document.source is not None
    assert document.source.raw == SOURCE
    assert [(one.id, one.text.raw, one.span) for one in document.chunks] == [
        ("d-0", CHUNKS[0], (0, 11)),
        ("d-1", CHUNKS[1], None),
    ]


def test_every_chunking_span_is_a_run_of_its_own(span: MakeSpan, rag: Any) -> None:
    """Within a request as well, where the request names the pipeline."""
    found = runs(
        span("ask", None, rag("request", pipeline="faq")),
        span("a", "ask", split(), at=(0, 1)),
        span("b", "ask", split(), at=(1, 2)),
    )
    assert [(run.span_id, run.pipeline) for run in found] == [("a", "faq"), ("b", "faq")]


def test_texts_that_crossed_earlier_in_the_request_are_found(span: MakeSpan, rag: Any) -> None:
    """A chunk's text crosses once per request; its id stands for it later."""
    first = rag("retrieval", documents_id=("d-0", "d-1"), documents_text=CHUNKS)
    run = only(
        span("ask", None, rag("request")),
        span("get", "ask", first, at=(0, 1)),
        span("c", "ask", split(**{"documents.text": None}), at=(1, 2)),
    )
    (document,) = chunking(run).documents or ()
    assert tuple(chunk.text.raw for chunk in document.chunks) == CHUNKS


def test_ids_of_other_splits_name_no_text(span: MakeSpan) -> None:
    """Outside of a request each split has ids of its own, and the same may recur."""
    found = runs(
        span("a", "job", split(), at=(0, 1)),
        span("b", "job", split(**{"documents.text": None}), at=(1, 2)),
    )
    assert [chunking(run).documents is None for run in found] == [False, True]


@pytest.mark.parametrize(
    ("changes", "dropped", "documents", "source", "absent"),
    [
        ({"masked": ("ragmon.documents.text",)}, 0, False, False, {"documents": Absence.MASKED}),
        ({"masked": ("ragmon.source.text",)}, 0, True, False, {"source": Absence.MASKED}),
        ({"source.text": None}, 0, True, False, {}),
        ({"source.text": 7}, 0, True, False, {"source": Absence.UNPARSABLE}),
        (
            {"truncated": ("ragmon.source.text=9",)},
            0,
            True,
            False,
            {"source": "dropped_attributes"},
        ),
        (
            {"truncated": ("ragmon.documents.text=9",)},
            *(0, False, False),
            {"documents": Absence.DROPPED_ATTRIBUTES},
        ),
        ({}, 3, False, False, {"documents": Absence.DROPPED_ATTRIBUTES}),
        ({"documents.text": None, "documents.id": None}, 0, False, False, {}),
        ({"documents.text": ("Alpha beta.",)}, 0, False, False, {}),
    ],
)
def test_what_a_split_lacks_is_explained(
    span: MakeSpan,
    changes: dict[str, AttributeValue],
    dropped: int,
    documents: bool,
    source: bool,
    absent: Mapping[str, str],
) -> None:
    """Withheld, cut and lost differ from never captured; a part never stands for the whole."""
    run = only(span("c", None, split(**changes), dropped=dropped))
    found = chunking(run).documents
    assert (found is not None, bool(found and found[0].source)) == (documents, source)
    assert dict(chunking(run).absent) == absent


def test_an_empty_split_is_captured(span: MakeSpan) -> None:
    """No chunks are something else than chunks that were not captured."""
    run = only(span("c", None, split(**{"documents.text": (), "documents.id": ()})))
    (document,) = chunking(run).documents or ()
    assert document.chunks == ()


@pytest.mark.parametrize(
    ("starts", "ends"),
    [((5,), (2,)), ((True,), (2,)), (("a",), (2,)), ((0,), ()), (7, 8), ((1 << 60,), (1 << 61,))],
)
def test_offsets_that_are_none(
    span: MakeSpan, starts: AttributeValue, ends: AttributeValue
) -> None:
    """What is no pair of offsets says nothing, and costs nothing else."""
    changes = {"documents.start": starts, "documents.end": ends}
    (document,) = chunking(only(span("c", None, split(**changes)))).documents or ()
    assert [chunk.span for chunk in document.chunks] == [None, None]


# --- embedding ---------------------------------------------------------------------------


def test_the_embeddings_of_one_tree_are_one_run(span: MakeSpan) -> None:
    """Keyed by the earliest, ended with the last, parallel calls as the union of their times."""
    ids = {"ragmon.vectors.id": ("b",), "ragmon.indexed_ids": ("b", "c")}
    run = only(
        span("job"),
        span("late", "job", embedded((3.0, 4.0), **ids), at=(15, 30)),
        span("early", "job", embedded((1.0, 2.0), **{"ragmon.vectors.id": ("a",)}), at=(10, 20)),
    )
    assert (run.span_id, run.span_ids, run.event_ns) == ("early", ("early", "late"), 30_000_000)
    assert run.duration_s == 0.02
    assert numbers(run) == [[1.0, 2.0], [3.0, 4.0]]
    assert embedding(run).ids == ("a", "b")
    assert embedding(run).indexed_ids == frozenset({"b", "c"})


def test_trees_below_one_missing_parent_hang_together(span: MakeSpan) -> None:
    """A root that is late makes no runs of its own; other trees are other runs."""
    parts = [
        span(key, parent, embedded((1.0,))) for key, parent in (("a", "x"), ("b", "x"), ("c", None))
    ]
    assert [run.span_ids for run in runs(*parts)] == [("a", "b"), ("c",)]


def test_embeddings_of_a_request_are_a_run_only_with_vectors(span: MakeSpan, rag: Any) -> None:
    """Without vectors there is nothing to measure that the request does not tell."""
    ask = span("ask", None, rag("request", pipeline="faq"))
    bare = span("e", "ask", embedded(), at=(0, 5))
    full = span("f", "ask", embedded((1.0, 2.0)), at=(5, 9))
    assert runs(ask, bare) == ()
    run = only(ask, full)
    assert (run.span_id, run.pipeline, numbers(run)) == ("f", "faq", [[1.0, 2.0]])
    assert (run.duration_s, run.error_type) == (None, None)


def test_one_call_without_vectors_leaves_none(span: MakeSpan) -> None:
    """A part of the vectors never stands for all, unless the others failed."""
    full = span("a", "job", embedded((1.0, 2.0)))
    masked = {"ragmon.masked": ("ragmon.vectors",)}
    withheld = only(full, span("b", "job", embedded(**masked)))
    assert (numbers(withheld), withheld.content.absent) == (None, {"vectors": Absence.MASKED})
    bare = only(full, span("b", "job", embedded()))
    assert (numbers(bare), bare.content.absent) == (None, {})
    retried = only(full, span("b", "job", embedded(), status=StatusCode.ERROR))
    assert (numbers(retried), retried.error_type) == ([[1.0, 2.0]], "_OTHER")


def test_a_call_that_two_instrumentations_tell_of_counts_once(
    span: MakeSpan, kind: Callable[..., Any]
) -> None:
    """The outermost span with vectors is heard; where it has none, those inside it are."""
    vector = {"embedding.embeddings.0.embedding.vector": (3.0, 4.0)}
    inner = span("in", "out", kind("EMBEDDING", vector), at=(1, 2))
    assert numbers(only(span("out", "job", embedded((1.0, 2.0))), inner)) == [[1.0, 2.0]]
    assert numbers(only(span("out", "job", embedded()), inner)) == [[3.0, 4.0]]


def test_vectors_that_cannot_be_compared_are_counted(span: MakeSpan) -> None:
    """NaN, infinity and another size than most leave the others, with their ids."""
    nan, infinite = float("nan"), float("inf")
    ids = {"ragmon.vectors.id": ("a", "b", "c")}
    odd = {"ragmon.vectors.id": ("d",)}
    run = only(
        span("a", "job", embedded((1.0, 2.0), (nan, 0.0), (0.0, infinite), **ids), at=(0, 1)),
        span("b", "job", embedded((1.0, 2.0, 3.0), **odd), at=(1, 2)),
    )
    assert (numbers(run), embedding(run).invalid, embedding(run).ids) == ([[1.0, 2.0]], 3, ("a",))


@pytest.mark.parametrize(
    "changes",
    [
        {DIMENSION: 3},
        {DIMENSION: 0},
        {DIMENSION: None},
        {"ragmon.vectors.count": 2},
        {"ragmon.vectors": b"\x00"},
        {"ragmon.vectors": "text"},
    ],
)
def test_bytes_that_are_no_vectors(span: MakeSpan, changes: dict[str, Any]) -> None:
    """What was cut or does not fit its dimension is told as unparsable."""
    run = only(span("a", "job", embedded((1.0, 2.0), **changes)))
    assert (numbers(run), run.content.absent) == (None, {"vectors": Absence.UNPARSABLE})


@pytest.mark.parametrize("ids", [("a",), ("a", ""), ("a", None), 7])
def test_ids_that_do_not_fit_the_vectors(span: MakeSpan, ids: AttributeValue) -> None:
    """Ids are of no use unless there is one for each vector; the vectors stay."""
    run = only(span("a", "job", embedded((1.0,), (2.0,), **{"ragmon.vectors.id": ids})))
    assert (numbers(run), embedding(run).ids) == ([[1.0], [2.0]], None)
    assert run.content.absent == {"ids": Absence.UNPARSABLE}


def openinference(*vectors: AttributeValue) -> dict[str, AttributeValue]:
    """A flattened list of embeddings."""
    head = "embedding.embeddings"
    return {f"{head}.{at}.embedding.vector": value for at, value in enumerate(vectors)}


def test_openinference_vectors_are_read(span: MakeSpan, kind: Callable[..., Any]) -> None:
    """One attribute per text, in order of their numbers; what is no vector is invalid."""
    run = only(span("a", None, kind("EMBEDDING", openinference((1.0, 2), ("x",), (3.0, 4.0)))))
    assert (run.dialect, numbers(run)) == ("openinference", [[1.0, 2.0], [3.0, 4.0]])
    assert embedding(run).invalid == 1


@pytest.mark.parametrize(
    ("attributes", "dropped", "absent"),
    [
        (openinference("__REDACTED__"), 0, {"vectors": Absence.MASKED}),
        ({"embedding.embeddings.1.embedding.vector": (1.0,)}, 0, {"vectors": "dropped_attributes"}),
        ({"embedding.embeddings.0.embedding.text": "a"}, 0, {}),
        ({"embedding.embeddings.0.embedding.text": "a"}, 2, {"vectors": "dropped_attributes"}),
        ({}, 0, {}),
    ],
)
def test_openinference_vectors_that_are_missing(
    span: MakeSpan,
    kind: Callable[..., Any],
    attributes: Attributes,
    dropped: int,
    absent: Mapping[str, str],
) -> None:
    """Withheld and lost vectors are told; a list without its first entry is torn."""
    run = only(span("a", None, kind("EMBEDDING", attributes), dropped=dropped))
    missing = {name: cause for name, cause in run.content.absent.items() if name == "vectors"}
    assert (numbers(run), missing) == (None, absent)


def test_every_dialect_says_how_it_writes_vectors(span: MakeSpan) -> None:
    """A dialect that is added reads vectors too, or says that it has none."""
    assert [carries_vectors(span("a"), dialect.name) for dialect in DIALECTS] == [False, False]


# --- all runs ----------------------------------------------------------------------------


def test_a_run_has_a_key_of_its_own(span: MakeSpan, rag: Any) -> None:
    """A split that calls a model is a request too; their keys differ."""
    spans = (span("c", None, split()), span("llm", "c", rag("generation", answer="x")))
    (record,) = interpret(Trace("t", spans, ARRIVAL_NS))
    assert (record.span_id, only(*spans).span_id) == ("c", "c/chunking")


def test_a_run_with_a_wrong_clock_is_told(span: MakeSpan) -> None:
    """An end far ahead of arrival is arrival; a negative duration is none."""
    (ahead,) = runs(span("c", None, split(), at=(0, 400_000)), arrival_ns=1)
    (back,) = runs(span("c", None, split(), at=(20, 10)))
    assert (ahead.event_ns, ahead.clock_faults) == (1, ("future",))
    assert (back.duration_s, back.clock_faults) == (None, ("negative",))


def test_a_failed_run_names_its_error(
    span: MakeSpan, exception: Callable[[str], SpanEvent]
) -> None:
    """As stages of requests do."""
    failed = span("c", None, split(), status=StatusCode.ERROR, events=(exception("ValueError"),))
    assert only(failed).error_type == "ValueError"


def test_a_sampled_run_stands_for_others(span: MakeSpan) -> None:
    """Its weight is that of the trace."""
    assert only(span("c", None, split(), trace_state="ot=th:8")).weight == 2.0


def test_runs_are_read_in_bounded_time(span: MakeSpan) -> None:
    """Thousands of splits and calls in one tree are no square."""
    splits = [span(f"c{n}", "job", split(), at=(n, n + 1)) for n in range(3000)]
    calls = [span(f"e{n}", "job", embedded(), at=(n, n + 1)) for n in range(3000)]
    found = runs(span("job"), *splits, *calls)
    assert len(found) == 3001


ROLES: tuple[Attributes, ...] = (
    split(),
    split(**{"documents.text": None}),
    embedded((1.0, 2.0)),
    embedded((1.0,), (float("nan"),)),
    embedded(),
    {"openinference.span.kind": "EMBEDDING", **openinference((0.5, 1.0))},
    {"ragmon.stage": "request"},
    {"ragmon.stage": "retrieval", "ragmon.documents.id": ("d-0",), "ragmon.documents.text": ("x",)},
    {},
)
IDS = "abcdefg"


@st.composite
def _traces(draw: st.DrawFn) -> list[Span]:
    times = st.integers(0, 20)
    return [
        _make_span(
            id_,
            draw(st.sampled_from([None, *IDS, "gone"])),
            draw(st.sampled_from(ROLES)),
            at=(draw(times), draw(times)),
            dropped=draw(st.sampled_from([0, 0, 0, 1])),
            status=draw(st.sampled_from([StatusCode.UNSET, StatusCode.ERROR])),
        )
        for id_ in draw(st.lists(st.sampled_from(IDS), min_size=1, unique=True))
    ]


def _plain(run: IndexingRun) -> object:
    content: object
    if isinstance(run.content, Chunking):
        content = [
            (one.document_id, [(c.id, c.text.raw, c.span) for c in one.chunks])
            for one in run.content.documents or ()
        ]
    else:
        content = (numbers(run), run.content.ids, run.content.invalid)
    named = (run.span_id, run.span_ids, run.dialect, run.event_ns, run.duration_s, run.error_type)
    return (named, run.clock_faults, dict(run.content.absent), content)


@given(_traces(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_spans_says_nothing_of_runs(spans: list[Span], random: Any) -> None:
    """Any order gives the same runs, and no key is a request's or another run's."""
    shuffled = list(spans)
    random.shuffle(shuffled)
    found = runs(*spans)
    assert list(map(_plain, found)) == list(map(_plain, runs(*shuffled)))
    records = interpret(Trace("t", tuple(spans), ARRIVAL_NS))
    keys = [run.span_id for run in found] + [record.span_id for record in records]
    assert len(set(keys)) == len(keys)


@given(_traces(), _traces())
@settings(max_examples=60, deadline=None)
def test_indexing_beside_a_request_leaves_it_alone(spans: list[Span], others: list[Span]) -> None:
    """Requests are the same with and without the indexing of other trees of their trace."""
    asked = [one for one in spans if one.attributes.get("ragmon.stage") == "request"]
    beside = [
        _moved(one)
        for one in others
        if one.attributes.get("ragmon.stage") in ("chunking", "embedding")
    ]
    alone = interpret(Trace("t", tuple(asked), ARRIVAL_NS))
    assert interpret(Trace("t", (*asked, *beside), ARRIVAL_NS)) == alone


def _moved(one: Span) -> Span:
    return replace(one, span_id=f"i{one.span_id}", parent_id=None)
