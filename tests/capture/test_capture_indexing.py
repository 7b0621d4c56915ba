"""Chunking and embedding calls: offsets, limits, ids and vectors."""

import struct
from collections.abc import Callable
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import pytest

import ragmon
from tests.capture.conftest import Spans

IDS = "ragmon.documents.id"
START, END = "ragmon.documents.start", "ragmon.documents.end"
VECTORS, COUNT = "ragmon.vectors", "ragmon.vectors.count"
DIMENSION = "gen_ai.embeddings.dimension.count"
MASKED = "ragmon.masked"


class Node(NamedTuple):
    """A chunk as an object."""

    node_id: str
    text: str
    start_char_idx: int | None
    end_char_idx: int | None


def embed(made: Any, **options: Any) -> Callable[..., Any]:
    """A captured embedding function that returns this."""
    return ragmon.embedding(**options)(lambda texts, made=made: made)


def unpacked(content: bytes) -> tuple[float, ...]:
    """Little-endian float32 numbers."""
    return struct.unpack(f"<{len(content) // 4}f", content)


@pytest.mark.parametrize(
    ("chunks", "starts", "ends"),
    [
        (
            [{"text": "ab", "start": 0, "end": 2}, {"text": "b", "start": 1, "end": 2}],
            (0, 1),
            (2, 2),
        ),
        ([{"page_content": "ab", "metadata": {"start_index": 4}}], (4,), (6,)),
        ([Node("n", "ab", 3, 9), Node("m", "cd", None, None)], (3, -1), (9, -1)),
        ([{"text": "ab", "start": 5, "end": 2}, {"text": "b", "start": 1}], (-1, 1), (-1, 2)),
        ([{"text": "ab", "start": 0.5}], None, None),
        (["ab", "cd"], None, None),
    ],
)
def test_a_chunker_that_says_offsets_is_heard(
    spans: Spans, chunks: list[Any], starts: tuple[int, ...] | None, ends: tuple[int, ...] | None
) -> None:
    """Offsets are whole numbers by their usual names; without an end the text's length tells."""
    ragmon.chunking(lambda text: chunks)("abcd")
    assert (spans.only().get(START), spans.only().get(END)) == (starts, ends)


def test_limits_and_format_of_a_split(spans: Spans) -> None:
    """What chunks should be like crosses with them; an open side is -1."""
    split = ragmon.chunking(size_limits=(None, 400), markdown=True)(lambda text: [text])
    assert split("# A") == ["# A"]
    assert spans.only()["ragmon.size_limits"] == (-1, 400)
    assert spans.only()["ragmon.source.markdown"] is True


def test_content_off_keeps_ids_and_offsets(spans: Spans) -> None:
    """Without content a split still says where its chunks lie."""
    ragmon.configure(tracer_provider=spans.provider, content="off")
    chunks = [{"id": "c", "text": "Al", "start": 0}]
    ragmon.chunking(lambda document: chunks)({"id": "d", "text": "Alpha"})
    found = spans.only()
    assert (found[IDS], found[START], found[END]) == (("c",), (0,), (2,))
    assert set(found[MASKED]) == {"ragmon.source.text", "ragmon.documents.text"}


def test_a_source_may_be_as_long_as_its_chunks(spans: Spans) -> None:
    """A document is sent whole up to the bound of a list of texts."""
    ragmon.configure(tracer_provider=spans.provider, max_text_chars=10)
    split = ragmon.chunking(lambda text: [text[:5]])
    split("a" * 160)
    split("a" * 161)
    whole, cut = (span.attributes or {} for span in spans.all())
    assert whole["ragmon.source.text"] == "a" * 160
    assert cut["ragmon.truncated"] == ("ragmon.source.text=161",)


@pytest.mark.parametrize(
    ("made", "numbers", "dimension"),
    [
        ([[0.5, 1], [2, 3]], (0.5, 1, 2, 3), 2),
        ([0.5, 1.0, 2.0], (0.5, 1, 2), 3),
        (np.array([[0.5, 1], [2, 3]]), (0.5, 1, 2, 3), 2),
        (np.array([0.5, 1], dtype=np.float16), (0.5, 1), 2),
        ([np.array([0.5, 1]), np.array([2, 3])], (0.5, 1, 2, 3), 2),
        ((np.float32(0.5), np.float32(1)), (0.5, 1), 2),
        (np.asfortranarray([[0.5, 1], [2, 3]]), (0.5, 1, 2, 3), 2),
        ([[1e300, -1e300]], (float("inf"), float("-inf")), 2),
    ],
)
def test_vectors_cross_as_float32(
    spans: Spans, made: Any, numbers: tuple[float, ...], dimension: int
) -> None:
    """Lists, arrays and single vectors alike are one run of little-endian float32."""
    embed(made, vectors=True)(["t"])
    found = spans.only()
    assert unpacked(found[VECTORS]) == numbers
    assert (found[COUNT], found[DIMENSION]) == (len(numbers) // dimension, dimension)


def test_a_vector_of_another_size_is_sent_as_none(spans: Spans) -> None:
    """One that does not fit among the others is NaN, for the reader to count."""
    embed([[1.0, 2.0], [3.0], [4.0, 5.0]], vectors=True)(["t"])
    sent = unpacked(spans.only()[VECTORS])
    assert [isnan(number) for number in sent] == [False, False, True, True, False, False]


class Tensor:
    """An array of another library: a shape and a `tolist`."""

    shape = (1, 2)

    def tolist(self) -> list[list[float]]:
        """Its numbers."""
        return [[0.5, 1.0]]


def test_a_tensor_is_read_by_its_list(spans: Spans) -> None:
    """No library is imported: what has a shape can make a list of itself."""
    embed(Tensor(), vectors=True)(["t"])
    assert unpacked(spans.only()[VECTORS]) == (0.5, 1.0)


@pytest.mark.parametrize("made", [[], None, "vectors", ["a", "b"], {"a": 1}, np.zeros((2, 0)), 7])
def test_what_is_no_vector_is_not_sent(spans: Spans, made: Any) -> None:
    """A result of another form costs the vectors, and nothing else."""
    embed(made, vectors=True)(["t"])
    assert spans.only().keys().isdisjoint({VECTORS, COUNT, DIMENSION, MASKED})


def test_vectors_are_sent_where_they_are_wanted(
    spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment, configure and the decorator say it, the narrowest wins; else never."""
    embed([[1.0]])(["t"])
    monkeypatch.setenv("RAGMON_SEND_VECTORS", "1")
    ragmon.configure(tracer_provider=spans.provider)
    embed([[1.0]])(["t"])
    embed([[1.0]], vectors=False)(["t"])
    ragmon.configure(tracer_provider=spans.provider, vectors=False)
    embed([[1.0]])(["t"])
    embed([[1.0]], vectors=True)(["t"])
    sent = [VECTORS in (span.attributes or {}) for span in spans.all()]
    assert sent == [False, True, False, False, True]


@pytest.mark.parametrize("limits", [{"content": "off"}, {"max_vector_bytes": 15}])
def test_vectors_that_may_not_cross_are_said_to_be_withheld(
    spans: Spans, limits: dict[str, Any]
) -> None:
    """Over the bound, and without content, the mask stands for the vectors."""
    ragmon.configure(tracer_provider=spans.provider, vectors=True, **limits)
    embed([[1.0, 2.0], [3.0, 4.0]])(["t"])
    found = spans.only()
    assert VECTORS not in found
    assert (found[MASKED], found[COUNT], found[DIMENSION]) == ((VECTORS,), 2, 2)


def test_vectors_up_to_the_bound_are_sent(spans: Spans) -> None:
    """The bound is the most that crosses, in bytes."""
    ragmon.configure(tracer_provider=spans.provider, vectors=True, max_vector_bytes=16)
    embed([[1.0, 2.0], [3.0, 4.0]])(["t"])
    assert len(spans.only()[VECTORS]) == 16


@pytest.mark.parametrize(
    ("call", "ids"),
    [
        (lambda function: function(chunks=[{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]), "12"),
        (lambda function: function(chunks=["a"], ids=["x", "y"]), "xy"),
        (lambda function: function(chunks=[{"id": 1, "text": "a"}, {"text": "b"}]), None),
        (lambda function: function(chunks=["a", "b"]), None),
    ],
)
def test_ids_of_what_was_embedded(
    spans: Spans, call: Callable[[Any], Any], ids: str | None
) -> None:
    """They come from the documents or an argument of their own, and only all of them."""

    @ragmon.embedding
    def make(chunks: list[Any], ids: list[str] | None = None) -> list[list[float]]:
        return [[1.0] for _ in chunks]

    call(make)
    assert spans.only().get("ragmon.vectors.id") == (None if ids is None else tuple(ids))


def test_indexed_ids_are_annotated(spans: Spans) -> None:
    """An embedding that also fills the index may say what the index holds."""

    @ragmon.embedding
    def fill(ids: list[str]) -> list[list[float]]:
        ragmon.annotate(indexed_ids=ids[:1])
        return [[1.0], [2.0]]

    fill(["a", "b"])
    assert spans.only()["ragmon.indexed_ids"] == ("a",)
    assert spans.only()["ragmon.vectors.id"] == ("a", "b")


def test_too_many_ids_are_withheld(spans: Spans) -> None:
    """Ids that would be cut are of no use, and said to be withheld."""
    ragmon.embedding(lambda ids: [[1.0]])([str(number) for number in range(10_001)])
    assert spans.only()[MASKED] == ("ragmon.vectors.id",)


class Broken:
    """Something that no array is like."""

    shape = (2, 2)

    def astype(self, _: str) -> object:
        """Fails, as a foreign array may."""
        raise RuntimeError("no")


def test_vectors_never_break_the_call(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be packed reaches the caller unharmed."""
    monkeypatch.setenv("RAGMON_STRICT", "0")
    made = Broken()
    assert embed(made, vectors=True)(["t"]) is made
    assert VECTORS not in spans.only()
