from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from ragmon.capture.documents import read_documents


@dataclass
class Hit:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class Node:
    node_id: str
    text: str


@dataclass
class NodeWithScore:
    node: Node
    score: float | None = None


class Row(NamedTuple):
    id: str
    content: str
    score: float


class Number:
    """A number as array libraries have it."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __float__(self) -> float:
        return self._value


FORMS: list[tuple[str, Any, Any, Any, Any]] = [
    ("strings", ["x", "y"], ("", ""), ("x", "y"), None),
    ("one string", "x", ("",), ("x",), None),
    ("mappings", [{"id": "a", "text": "x", "score": 1.5}], ("a",), ("x",), (1.5,)),
    ("integer ids", [{"id": 1, "content": "x"}], ("1",), ("x",), None),
    ("other ids", [{"id": UUID(int=1), "text": "x"}], (str(UUID(int=1)),), ("x",), None),
    ("scored texts", [("x", 0.5), ("y", 1)], ("", ""), ("x", "y"), (0.5, 1.0)),
    ("scored mappings", [({"id": "a", "text": "x"}, 0.5)], ("a",), ("x",), (0.5,)),
    ("scored objects", [(Hit("x", id="a"), Number(0.25))], ("a",), ("x",), (0.25,)),
    ("id and text", [("a", "x"), ("b", "y")], ("a", "b"), ("x", "y"), None),
    ("id, text, score", [("a", "x", 0.5)], ("a",), ("x",), (0.5,)),
    ("objects", [Hit("x", id="a")], ("a",), ("x",), None),
    ("id in metadata", [Hit("x", {"doc_id": "a"})], ("a",), ("x",), None),
    ("score in metadata", [{"text": "x", "metadata": {"score": 0.5}}], ("",), ("x",), (0.5,)),
    ("nested nodes", [NodeWithScore(Node("a", "x"), 0.5)], ("a",), ("x",), (0.5,)),
    ("named tuples", [Row("a", "x", 0.5)], ("a",), ("x",), (0.5,)),
    (
        "search hits",
        [{"_id": "a", "_score": 2.0, "_source": {"text": "x"}}],
        ("a",),
        ("x",),
        (2.0,),
    ),
    ("points", [{"id": "a", "score": 0.5, "payload": {"text": "x"}}], ("a",), ("x",), (0.5,)),
    ("under a name", {"documents": [{"id": "a", "text": "x"}]}, ("a",), ("x",), None),
    ("a tuple of mappings", ({"id": "a", "text": "x"},), ("a",), ("x",), None),
    ("one mapping", {"id": "a", "text": "x"}, ("a",), ("x",), None),
    ("ids only", [{"id": "a"}, {"id": "b"}], ("a", "b"), None, None),
    ("a missing text", [{"id": "a", "text": "x"}, {"id": "b"}], ("a", "b"), ("x", ""), None),
    ("mixed", ["x", {"id": "b", "text": "y"}], ("", "b"), ("x", "y"), None),
    ("empty", [], (), (), None),
]


@pytest.mark.parametrize(
    ("value", "ids", "texts", "scores"), [f[1:] for f in FORMS], ids=[f[0] for f in FORMS]
)
def test_documents_forms(value: Any, ids: Any, texts: Any, scores: Any) -> None:
    """Documents are understood in the forms that applications and libraries have."""
    documents = read_documents(value)
    assert documents is not None
    assert tuple(documents.ids) == ids
    assert (documents.texts if documents.texts is None else tuple(documents.texts)) == texts
    assert (documents.scores if documents.scores is None else tuple(documents.scores)) == scores


@pytest.mark.parametrize("value", [None, 3, b"x", object(), iter(["x"]), {"x"}, {"unrelated": 1}])
def test_documents_none(value: Any) -> None:
    """What is no list of documents is not captured; an iterator is never consumed."""
    assert read_documents(value) is None


def test_documents_missing_score_is_nan() -> None:
    """Where some have a score, the others get NaN, whichever comes first."""
    scored, bare = {"id": "a", "text": "x", "score": 0.5}, {"id": "b", "text": "y"}
    for documents in ([scored, bare], [bare, scored]):
        read = read_documents(documents)
        assert read is not None
        scores = dict(zip(read.ids, read.scores or (), strict=True))
        assert scores["a"] == 0.5
        assert isnan(scores["b"])


def test_documents_none_score_is_nan() -> None:
    """A score of None is missing."""
    read = read_documents(
        [{"id": "a", "text": "x", "score": 0.5}, {"id": "b", "text": "y", "score": None}]
    )
    assert read is not None
    assert repr(tuple(read.scores or ())) == repr((0.5, nan))


def test_documents_same_keys_other_values() -> None:
    """What was learnt from one list does not misread the next one of the same keys."""
    first = read_documents([{"id": None, "chunk_id": "c", "text": "x"}])
    second = read_documents([{"id": "a", "chunk_id": "c", "text": "x"}])
    third = read_documents([{"id": None, "chunk_id": "d", "text": "y"}])
    both = read_documents([{"id": i, "chunk_id": "c", "text": "x"} for i in (None, "b")])
    ids = [tuple(read.ids) for read in (first, second, third, both) if read is not None]
    assert ids == [("c",), ("a",), ("d",), ("c", "b")]


def test_documents_property_that_raises_is_a_fault() -> None:
    """An object whose field raises something odd does not go unnoticed."""

    class Lazy:
        @property
        def text(self) -> str:
            raise RuntimeError("session is closed")

    with pytest.raises(RuntimeError):
        read_documents([Lazy()])


def test_documents_surrogates() -> None:
    """What UTF-8 cannot carry is replaced, since it would cost the whole batch."""
    read = read_documents([{"id": "é\udcff", "text": "a\ud800b"}, {"id": "b", "text": "ü"}])
    assert read is not None
    assert tuple(read.ids) == ("é?", "b")
    assert tuple(read.texts or ()) == ("a?b", "ü")
