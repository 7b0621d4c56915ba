"""Homogeneous lists of documents, read column by column.

How the first document is read is how all are; a list where that would misread one of them
is `Uneven`, and left to be read document by document.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple

from ragmon.capture.fields import field

ID_FIELDS: Final = ("id", "doc_id", "document_id", "chunk_id", "node_id", "id_", "_id")
TEXT_FIELDS: Final = ("text", "content", "page_content", "document", "body", "passage")
SCORE_FIELDS: Final = ("score", "similarity", "relevance_score", "rerank_score", "_score")
NESTED_FIELDS: Final = ("metadata", "node", "payload", "_source", "document", "meta", "fields")
NESTED_ID_FIELDS: Final = ("doc_id", "id", "chunk_id", "document_id", "node_id")


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


class Uneven(Exception):  # noqa: N818 -- a signal between two ways of reading, no error
    """The documents of a list are not alike."""


_MOST_READERS: Final = 256
_FLOATS: Final = {float}


def read_columns(documents: Sequence[Any]) -> Documents:
    """Read documents that are alike, at least one of them.

    Raises:
        Uneven, AttributeError, LookupError, TypeError, ValueError: They are not.
    """
    first = documents[0]
    if type(first) is str:
        return Documents(("",) * len(documents), *fit_texts(documents, None))
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
        raise Uneven
    inner = read_columns(pairs[0])
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
                raise Uneven
        ids = _ids(tuple(map(self.id, documents)))
        if self.score is None:
            _check_no_score(documents, first)
            return Documents(ids, *fit_texts(tuple(map(self.text, documents)), None))
        scores = _scores(tuple(map(self.score, documents)))
        return Documents(ids, *fit_texts(tuple(map(self.text, documents)), scores))


_readers: Final[dict[object, _Reader]] = {}


def _reader(first: Any) -> _Reader:
    get = itemgetter if type(first) is dict else attrgetter
    id_name, text_name = _name(first, ID_FIELDS), _name(first, TEXT_FIELDS)
    score_name = _name(first, SCORE_FIELDS)
    if text_name is None:
        raise Uneven
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
        raise Uneven
    outer, inner = get("metadata"), itemgetter(name)
    return lambda document: inner(outer(document))


def _check_no_score(documents: Sequence[Any], first: Any) -> None:
    """The first has no score: see that the others have none either, as far as is cheap."""
    if type(first) is dict:
        keys = first.keys()
        if not all(document.keys() == keys for document in documents):
            raise Uneven
    elif set(map(type, documents)) != {type(first)}:
        raise Uneven


def _ids(column: Sequence[Any]) -> Sequence[str]:
    if type(column[0]) is int:
        if set(map(type, column)) != {int}:
            raise Uneven
        return tuple(map(str, column))
    return column if "".join(column).isascii() else tuple(map(encodable, column))


def _scores(column: Sequence[Any]) -> Sequence[float]:
    """The column as floats; raises TypeError for what is no number."""
    return column if set(map(type, column)) == _FLOATS else array("d", column).tolist()


def fit_texts(
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
