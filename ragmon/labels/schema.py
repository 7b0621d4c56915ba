"""A posted label as JSON Schema: what `parse_label` takes, for whoever writes labels.

A schema cannot say everything. It takes, and the parser refuses: a query without a word; a
`labelled_at` that is a text and no time from 1970 to 2262; a whole number written with a
point (`1.0`) as an id or a revision; half a surrogate pair, which is no character.
"""

from collections.abc import Mapping
from typing import Any, Final

from ragmon.labels.fields import LARGEST_GRADE
from ragmon.labels.parse import LONGEST_NAME, LONGEST_TEXT, REVISIONS
from ragmon.model.gold import GoldField

VERSION: Final = 1
"""Moves where a label that was valid is so no more, or means something else."""

_END_S: Final = 9_223_372_036.854_776

_TEXT: Final = {"type": "string"}
_ID: Final = {"type": ["string", "integer"], "minLength": 1}
_TEXTS: Final = {
    "anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}],
}
_FACT: Final = {"type": "string", "pattern": r"\S"}
_EVIDENCE: Final = {
    "type": "object",
    "properties": {"text": _TEXT, "document": _TEXT, "source": _TEXT},
    "required": ["text"],
    "additionalProperties": False,
}
_CLAIM: Final = {
    "type": ["boolean", "null", "object"],
    "properties": {"supported": {"type": ["boolean", "null"]}},
}
_GRADES: Final = {
    "type": "object",
    "propertyNames": {"minLength": 1},
    "additionalProperties": {
        "type": "number",
        "minimum": -LARGEST_GRADE,
        "maximum": LARGEST_GRADE,
    },
}

_GOLD: Final[Mapping[GoldField, Mapping[str, Any]]] = {
    GoldField.RELEVANT_IDS: {
        "description": "Ids of relevant documents, or each with its grade (0 is not relevant).",
        "anyOf": [{"type": "array", "items": _ID}, _GRADES],
    },
    GoldField.EXPECTED_EVIDENCE: {
        "description": "Passages that the answer needs; source is the text they come from.",
        "type": "array",
        "items": {"anyOf": [_TEXT, _EVIDENCE]},
    },
    GoldField.EXPECTED_CHUNKS: {
        "description": "The ideal chunks of a document, in order.",
        **_TEXTS,
    },
    GoldField.REFERENCE_ANSWERS: {
        "description": "Acceptable answers.",
        **_TEXTS,
    },
    GoldField.REQUIRED_FACTS: {
        "description": "Facts that the answer must hold, each a text or alternatives.",
        "type": "array",
        "items": {"anyOf": [_FACT, {"type": "array", "items": _FACT, "minItems": 1}]},
    },
    GoldField.EXPECTED_CITATIONS: {
        "description": "Ids of the documents that the answer must cite.",
        "type": "array",
        "items": _ID,
    },
    GoldField.ANSWERABLE: {
        "description": "Whether the question can be answered from the corpus.",
        "type": "boolean",
    },
    GoldField.VERIFIED_CLAIMS: {
        "description": "Per claim of the answer whether it is supported; null is not known.",
        "type": "array",
        "items": _CLAIM,
    },
    GoldField.TASK_SUCCESS: {
        "description": "Whether the request did what it was for.",
        "type": "boolean",
    },
}

_TARGETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "trace_id": {
        "description": "The trace, 32 hexadecimal digits.",
        "type": "string",
        "pattern": "^[0-9a-fA-F]{32}$",
        "maxLength": 32,
    },
    "request_id": {
        "description": "The id that the application gave the request.",
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST_TEXT,
    },
    "query": {
        "description": "A question; the label stands for every request with its words.",
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST_TEXT,
    },
}

_SPAN_ID: Final = {
    "description": "One span of the trace, 16 hexadecimal digits.",
    "type": "string",
    "pattern": "^[0-9a-fA-F]{16}$",
    "maxLength": 16,
}

_NAME: Final = {"type": ["string", "null"], "minLength": 1, "maxLength": LONGEST_NAME}
_ENVELOPE: Final[Mapping[str, Mapping[str, Any]]] = {
    "pipeline": {"description": "Only requests of this pipeline; absent: of all.", **_NAME},
    "annotator": {"description": "Who says so.", **_NAME},
    "labelled_at": {
        "description": "When, ISO 8601 or seconds since 1970; absent: when it is received.",
        "type": ["string", "number", "null"],
        "minimum": 0,
        "exclusiveMaximum": _END_S,
    },
    "revision": {
        "description": "A higher one replaces a lower one.",
        "type": "integer",
        "minimum": 0,
        "exclusiveMaximum": REVISIONS,
        "default": 0,
    },
    "probability": {
        "description": "With which the request was chosen for labelling.",
        "type": ["number", "null"],
        "exclusiveMinimum": 0,
        "maximum": 1,
    },
}


def label_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one posted label."""
    gold = {str(field): dict(_GOLD[field]) for field in GoldField}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:ragmon:label:{VERSION}",
        "title": "ragmon gold label",
        "description": "One object of POST /v1/labels: a target, gold fields, who says so.",
        "type": "object",
        "properties": {**_TARGETS, "span_id": _SPAN_ID, **gold, **_ENVELOPE},
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in _TARGETS],
        "anyOf": [{"required": [name]} for name in gold],
        "dependentRequired": {"span_id": ["trace_id"]},
    }
