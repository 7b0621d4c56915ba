"""OpenInference's `input.value` and `output.value`: text, JSON, masked, or cut short."""

from typing import Final, NamedTuple, TypeAlias

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.dialects import json_content, json_messages
from ragmon.interpret.dialects.json_content import Json
from ragmon.interpret.meaning import Field
from ragmon.model.record import Absence
from ragmon.model.span import Attributes, AttributeValue

Absent: TypeAlias = dict[Field, Absence]
"""Collects, while a span is read, why its values are None."""

_INPUT_TYPE: Final = "input.mime_type"
_OUTPUT_TYPE: Final = "output.mime_type"


class Content(NamedTuple):
    """A value as text or as JSON; neither where it was not captured, or `absence` says why."""

    text: str | None = None
    json: Json = None
    absence: Absence | None = None


_NOTHING: Final = Content()
_MASKED: Final = Content(absence=Absence.MASKED)
_UNPARSABLE: Final = Content(absence=Absence.UNPARSABLE)


def input_of(attributes: Attributes) -> Content:
    """What a span was given."""
    return _content(attributes.get(semconv.INPUT_VALUE), attributes.get(_INPUT_TYPE))


def output_of(attributes: Attributes) -> Content:
    """What a span returned."""
    return _content(attributes.get(semconv.OUTPUT_VALUE), attributes.get(_OUTPUT_TYPE))


def _content(value: AttributeValue, mime_type: AttributeValue) -> Content:
    if not isinstance(value, str):
        return _NOTHING
    if is_masked(value):
        return _MASKED
    if not isinstance(mime_type, str) or not mime_type.startswith("application/json"):
        return Content(text=value)
    try:
        return Content(json=json_content.parse(value))
    except ValueError:
        return _UNPARSABLE


def query_of(attributes: Attributes, absent: Absent) -> str | None:
    """The question that a chain or retriever was given."""
    content = input_of(attributes)
    note(absent, Field.QUERY, content)
    return content.text if content.text is not None else json_messages.find_query(content.json)


def answer_of(attributes: Attributes, absent: Absent) -> str | None:
    """The answer that a chain returned."""
    content = output_of(attributes)
    note(absent, Field.ANSWER, content)
    return content.text if content.text is not None else json_messages.find_answer(content.json)


def note(absent: Absent, field: Field, content: Content) -> None:
    """Keep why a field cannot be read from this content, if it cannot."""
    if content.absence is not None:
        absent[field] = content.absence


def is_masked(value: AttributeValue) -> bool:
    """Whether content was withheld here."""
    return value == semconv.OPENINFERENCE_MASK


def shown_text(value: AttributeValue) -> str | None:
    """A text that was not withheld."""
    return None if is_masked(value) else scalars.text(value)


def parsed(value: AttributeValue) -> Json:
    """JSON in an attribute that always holds JSON; None where it does not parse."""
    if not isinstance(value, str) or is_masked(value):
        return None
    try:
        return json_content.parse(value)
    except ValueError:
        return None
