"""Lists of documents as applications have them, read into parallel columns.

Understood are strings, mappings, objects, pairs of a document and its score, (id, text)
and (id, text, score) tuples; fields by their usual names, also one level down in the
document's metadata. A homogeneous list, the usual one, is read column by column; anything
else document by document, with the same meaning.
"""

from collections.abc import Mapping, Sequence
from math import nan
from numbers import Number
from typing import Any, Final, NamedTuple

from ragmon.capture.columns import (
    ID_FIELDS,
    NESTED_FIELDS,
    NESTED_ID_FIELDS,
    SCORE_FIELDS,
    TEXT_FIELDS,
    Documents,
    Uneven,
    encodable,
    fit_texts,
    read_columns,
)
from ragmon.capture.fields import field, first_field, is_plain_tuple

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


class _One(NamedTuple):
    id: str | None
    text: str | None
    score: float | None


_EMPTY: Final = Documents((), (), None, 0)


def read_documents(value: Any) -> Documents | None:
    """Read a list of documents; None where the value is no such thing.

    >>> read_documents([{"id": "a", "text": "Alpha", "score": 0.9}, {"id": "b", "text": "Beta"}])
    Documents(ids=('a', 'b'), texts=('Alpha', 'Beta'), scores=(0.9, nan), chars=9)
    """
    documents = listed(value)
    if documents is None:
        return None
    if not documents:
        return _EMPTY
    try:
        return read_columns(documents)
    except (Uneven, AttributeError, LookupError, TypeError, ValueError):
        return _one_by_one(documents)


def listed(value: Any) -> Sequence[Any] | None:
    """The documents of a list, of what holds one, or one document; None for no such thing."""
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
    return Documents(ids, *fit_texts(tuple(text or "" for text in texts), scores))


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
