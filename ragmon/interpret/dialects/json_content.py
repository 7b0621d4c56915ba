"""Named fields and documents inside the JSON that instrumentations write."""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

import orjson

from ragmon.interpret import scalars
from ragmon.interpret.meaning import RawDocument, RawDocuments

Json: TypeAlias = "str | bool | int | float | list[Json] | dict[str, Json] | None"

_ID_KEYS: Final = ("id", "node_id", "id_")
_METADATA_ID_KEYS: Final = ("doc_id", "id", "chunk_id")
_TEXT_KEYS: Final = ("page_content", "content", "text")
_SCORE_KEYS: Final = ("relevance_score", "score")
_DEPTH: Final = 5
_WIDTH: Final = 64


def parse(text: str) -> Json:
    """Parse JSON.

    Raises:
        ValueError: it does not parse, as a text that was cut short does not.
    """
    parsed: Json = orjson.loads(text)
    return parsed


def search(content: Json, ranks: Mapping[str, int]) -> str | None:
    """The text under the shallowest of these keys, of equally shallow ones the lowest ranked.

    Under a key may stand a text or a list that starts with one. Lists of objects hold
    documents and are not entered.
    """
    for level in _levels(content):
        found = [
            (ranks[key], place, text)
            for place, fields in enumerate(level)
            for key in ranks.keys() & fields.keys()
            if (text := _as_text(fields[key])) is not None
        ]
        if found:
            return min(found)[-1]
    return None


def ranked(*keys: str) -> dict[str, int]:
    """Keys for `search`, the most telling first."""
    return {key: rank for rank, key in enumerate(keys)}


def _levels(content: Json) -> Iterator[list[dict[str, Json]]]:
    level = [content] if isinstance(content, dict) else []
    for _ in range(_DEPTH):
        if not level:
            return
        yield level
        level = [value for fields in level for value in fields.values() if isinstance(value, dict)][
            :_WIDTH
        ]


def _as_text(value: Json) -> str | None:
    """A text, or the first of a list of texts."""
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, str) and not _is_repr(value) else None


def _is_repr(text: str) -> bool:
    """Whether a text is a Python object's `repr`, such as `ChatMessage(_role=...)`."""
    head, bracket, _ = text.partition("(")
    return bool(bracket) and text.endswith(")") and head.isidentifier() and head[0].isupper()


def read_documents(content: Json) -> RawDocuments | None:
    """The documents of a list, or of an object's `documents`; None where they are no objects."""
    listed = content.get("documents") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        return None
    if not all(isinstance(entry, dict) for entry in listed):
        return None
    return tuple([_document(entry) for entry in listed if isinstance(entry, dict)])


def _document(fields: Mapping[str, Json]) -> RawDocument:
    metadata = fields.get("metadata")
    inner = metadata if isinstance(metadata, dict) else {}
    texts = (scalars.text(fields.get(key)) for key in _TEXT_KEYS)
    score = scalars.number(fields.get("score"))
    return RawDocument(
        _first_id(fields, _ID_KEYS) or metadata_id(inner),
        next((text for text in texts if text is not None), None),
        score if score is not None else metadata_score(inner),
    )


def metadata_id(metadata: Json) -> str | None:
    """A document's id as its metadata carries it."""
    return _first_id(metadata, _METADATA_ID_KEYS) if isinstance(metadata, dict) else None


def metadata_score(metadata: Json) -> float | None:
    """A document's score as its metadata carries it."""
    if not isinstance(metadata, dict):
        return None
    scores = (scalars.number(metadata.get(key)) for key in _SCORE_KEYS)
    return next((score for score in scores if score is not None), None)


def _first_id(fields: Mapping[str, Json], keys: tuple[str, ...]) -> str | None:
    return next((found for key in keys if (found := scalars.identifier(fields.get(key)))), None)


def read_variables(content: Json) -> dict[str, RawDocuments]:
    """The variables of a prompt template that hold texts or documents."""
    variables = content.items() if isinstance(content, dict) else ()
    read = ((name, _variable(value)) for name, value in variables)
    return {name: documents for name, documents in read if documents is not None}


def _variable(value: Json) -> RawDocuments | None:
    listed = value if isinstance(value, list) else [value]
    texts = [entry for entry in listed if isinstance(entry, str) and not _is_repr(entry)]
    if len(texts) == len(listed):
        return tuple([RawDocument(None, text) for text in texts])
    return read_documents(value) if isinstance(value, list) else None
