"""Lists of documents as applications have them, read into parallel columns.

Understood are strings, mappings, objects, pairs of a document and its score, (id, text)
and (id, text, score) tuples; fields by their usual names, also one level down in the
document's metadata. A homogeneous list, the usual one, is read column by column; anything
else document by document, with the same meaning.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from math import nan
from numbers import Number
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple

from ragmon.capture.fields import field, first_field, is_plain_tuple

ID_FIELDS: Final = ("id", "doc_id", "document_id", "chunk_id", "node_id", "id_", "_id")
TEXT_FIELDS: Final = ("text", "content", "page_content", "document", "body", "passage")
SCORE_FIELDS: Final = ("score", "similarity", "relevance_score", "rerank_score", "_score")
NESTED_FIELDS: Final = ("metadata", "node", "payload", "_source", "document", "meta", "fields")
NESTED_ID_FIELDS: Final = ("doc_id", "id", "chunk_id", "document_id", "node_id")
LIST_FIELDS: Final = (
    "documents",
    "docs",
    "results",
    "chunks",
    "passages",
    "nodes",
    "matches",
    "points",
    "hits",
    "source_documents",
    "source_nodes",
)


class Documents(NamedTuple):
    """A list in columns, best first.

    `ids` has "" where a document has none. `texts` is None where no document has one, and
    `scores` where none has a score; else "" and NaN stand where one is missing. `chars` is
    the length of all texts together.
    """

    ids: Sequence[str]
    texts: Sequence[str] | None
    scores: Sequence[float] | None
    chars: int


class _One(NamedTuple):
    id: str | None
    text: str | None
    score: float | None


class _Uneven(Exception):  # noqa: N818 -- a signal between two ways of reading, no error
    """The documents of a list are not alike."""


_EMPTY: Final = Documents((), (), None, 0)
_MOST_READERS: Final = 256
_FLOATS: Final = {float}


def read_documents(value: Any) -> Documents | None:
    """Read a list of documents; None where the value is no such thing.

    >>> read_documents([{"id": "a", "text": "Alpha", "score": 0.9}, {"id": "b", "text": "Beta"}])
    Documents(ids=('a', 'b'), texts=('Alpha', 'Beta'), scores=(0.9, nan), chars=9)
    """
    documents = _listed(value)
    if documents is None:
        return None
    if not documents:
        return _EMPTY
    try:
        return _in_columns(documents)
    except (_Uneven, AttributeError, LookupError, TypeError, ValueError):
        return _one_by_one(documents)


def _listed(value: Any) -> Sequence[Any] | None:
    if type(value) is list or is_plain_tuple(value):
        return value  # type: ignore[no-any-return]
    if isinstance(value, str):
        return (value,)
    if value is None or isinstance(value, bytes | bytearray | Number):
        return None
    inner = first_field(value, LIST_FIELDS)
    if isinstance(inner, list | tuple):
        return inner
    if isinstance(value, Sequence) and not hasattr(value, "_fields"):
        return tuple(value)
    return (value,) if _read_one(value).text is not None else None


def _in_columns(documents: Sequence[Any]) -> Documents:
    first = documents[0]
    if type(first) is str:
        return Documents(("",) * len(documents), *_texts(documents, None))
    if type(first) is tuple:
        return _scored(documents)
    # Mappings with the same keys, or objects of one class, are mostly read the same way.
    likeness = tuple(first) if type(first) is dict else type(first)
    reader = _readers.get(likeness)
    if reader is None:
        reader = _reader(first)
        if len(_readers) >= _MOST_READERS:
            _readers.clear()
        _readers[likeness] = reader
    try:
        return reader.read(documents, first)
    except Exception:
        _readers.pop(likeness, None)
        raise


def _scored(documents: Sequence[Any]) -> Documents:
    """Pairs of a document and its score."""
    pairs = tuple(zip(*documents, strict=True))
    if len(pairs) != 2:
        raise _Uneven
    inner = _in_columns(pairs[0])
    return inner._replace(scores=_scores(pairs[1]))


class _Reader(NamedTuple):
    """How to read documents that carry the same fields as the first of them.

    `passed` reads the fields that would come first, had they not been None.
    """

    id: Callable[[Any], Any]
    text: Callable[[Any], Any]
    score: Callable[[Any], Any] | None
    passed: tuple[Callable[[Any], Any], ...]

    def read(self, documents: Sequence[Any], first: Any) -> Documents:
        for get in self.passed:
            if any(value is not None for value in map(get, documents)):
                raise _Uneven
        ids = _ids(tuple(map(self.id, documents)))
        if self.score is None:
            _check_no_score(documents, first)
            return Documents(ids, *_texts(tuple(map(self.text, documents)), None))
        scores = _scores(tuple(map(self.score, documents)))
        return Documents(ids, *_texts(tuple(map(self.text, documents)), scores))


_readers: Final[dict[object, _Reader]] = {}


def _reader(first: Any) -> _Reader:
    get = itemgetter if type(first) is dict else attrgetter
    id_name, text_name = _name(first, ID_FIELDS), _name(first, TEXT_FIELDS)
    score_name = _name(first, SCORE_FIELDS)
    if text_name is None:
        raise _Uneven
    return _Reader(
        _nested_id(first, get) if id_name is None else get(id_name),
        get(text_name),
        None if score_name is None else get(score_name),
        tuple(
            get(name)
            for names, found in (
                (ID_FIELDS, id_name),
                (TEXT_FIELDS, text_name),
                (SCORE_FIELDS, score_name),
            )
            for name in _passed(first, names, found)
        ),
    )


def _passed(document: Any, names: tuple[str, ...], found: str | None) -> Iterator[str]:
    """The fields that the document has, as None, before the one that was found."""
    for name in takewhile(lambda name: name != found, names):
        if name in document if type(document) is dict else hasattr(document, name):
            yield name


def _name(document: Any, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if field(document, name) is not None), None)


def _nested_id(first: Any, get: Callable[[str], Callable[[Any], Any]]) -> Callable[[Any], Any]:
    metadata = field(first, "metadata")
    name = _name(metadata, NESTED_ID_FIELDS) if type(metadata) is dict else None
    if name is None:
        raise _Uneven
    outer, inner = get("metadata"), itemgetter(name)
    return lambda document: inner(outer(document))


def _check_no_score(documents: Sequence[Any], first: Any) -> None:
    """The first has no score: see that the others have none either, as far as is cheap."""
    if type(first) is dict:
        keys = first.keys()
        if not all(document.keys() == keys for document in documents):
            raise _Uneven
    elif set(map(type, documents)) != {type(first)}:
        raise _Uneven


def _ids(column: Sequence[Any]) -> Sequence[str]:
    if type(column[0]) is int:
        if set(map(type, column)) != {int}:
            raise _Uneven
        return tuple(map(str, column))
    return column if "".join(column).isascii() else tuple(map(encodable, column))


def _scores(column: Sequence[Any]) -> Sequence[float]:
    """The column as floats; raises TypeError for what is no number."""
    return column if set(map(type, column)) == _FLOATS else array("d", column).tolist()


def _texts(
    column: Sequence[str], scores: Sequence[float] | None
) -> tuple[Sequence[str], Sequence[float] | None, int]:
    """The texts fit for UTF-8, the scores, the texts' length; TypeError for other things."""
    # Joining tells at once that all are strings, how long they are, and if all are ASCII.
    joined = "".join(column)
    texts = column if joined.isascii() else tuple(map(encodable, column))
    return texts, scores, len(joined)


def encodable(text: str) -> str:
    """The text, with what UTF-8 cannot carry replaced: one such text costs its whole batch."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _score(value: Any) -> float | None:
    if isinstance(value, str | bool) or not hasattr(value, "__float__"):
        return None
    return float(value)


def _one_by_one(documents: Sequence[Any]) -> Documents:
    ones = [_read_one(document) for document in documents]
    ids = tuple(encodable(one.id or "") for one in ones)
    texts, scores = [one.text for one in ones], None
    if any(one.score is not None for one in ones):
        scores = tuple(nan if one.score is None else one.score for one in ones)
    if all(text is None for text in texts):
        return Documents(ids, None, scores, 0)
    return Documents(ids, *_texts(tuple(text or "" for text in texts), scores))


def _read_one(document: Any) -> _One:
    if isinstance(document, str):
        return _One(None, document, None)
    if is_plain_tuple(document):
        return _read_tuple(document)
    nested = [inner for name in NESTED_FIELDS if (inner := field(document, name)) is not None]
    return _One(
        _identity(document, nested),
        _text(document, nested),
        _first_score(document, nested),
    )


def _read_tuple(document: tuple[Any, ...]) -> _One:
    match document:
        case (str(id_), str(text)):
            return _One(id_, text, None)
        case (str(id_), str(text), score):
            return _One(id_, text, _score(score))
        case (inner, score) if _score(score) is not None:
            return _read_one(inner)._replace(score=_score(score))
        case _:
            return _One(None, None, None)


def _identity(document: Any, nested: list[Any]) -> str | None:
    found = first_field(document, ID_FIELDS)
    if found is None:
        found = next(
            (id_ for inner in nested if (id_ := first_field(inner, NESTED_ID_FIELDS)) is not None),
            None,
        )
    return None if found is None or isinstance(found, Mapping) else str(found)


def _text(document: Any, nested: list[Any]) -> str | None:
    for holder in (document, *nested):
        for name in TEXT_FIELDS:
            found = field(holder, name)
            if isinstance(found, str):
                return found
    return None


def _first_score(document: Any, nested: list[Any]) -> float | None:
    for holder in (document, *nested):
        found = _score(first_field(holder, SCORE_FIELDS))
        if found is not None:
            return found
    return None
