"""Questions, prompts, answers and usage, found in the values applications pass around."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ragmon.capture.fields import as_count, as_text, field, first_field, is_plain_tuple

QUERY_FIELDS: Final = ("query", "question", "input", "text", "content", "message")
ANSWER_FIELDS: Final = (
    "answer",
    "output_text",
    "response",
    "output",
    "text",
    "content",
    "result",
    "message",
)
PROMPT_FIELDS: Final = ("prompt", "messages", "text", "content")


def read_query(value: Any) -> str | None:
    """A question: a string, one field of a mapping or object, or the last user message."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        asked = [turn for turn in value if field(turn, "role") in ("user", "human")]
        return _content(asked[-1]) if asked else None
    return as_text(first_field(value, QUERY_FIELDS))


def read_prompt(value: Any) -> str | None:
    """A prompt: a string, or the texts of its messages joined by a newline, without roles.

    >>> read_prompt([{"role": "user", "content": "Hi"}])
    'Hi'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        texts = [text for turn in value if (text := _content(turn)) is not None]
        return "\n".join(texts) if texts else None
    found = first_field(value, PROMPT_FIELDS)
    return None if found is None else read_prompt(found)


def read_answer(value: Any) -> str | None:
    """An answer: a string, or what a mapping, chat completion or message carries as one."""
    if value is None or isinstance(value, str):
        return value
    if is_plain_tuple(value):
        return next((text for part in value if (text := as_text(part)) is not None), None)
    if isinstance(value, list):
        return _joined(value)
    choices = field(value, "choices")
    if isinstance(choices, list) and choices:
        message = field(choices[0], "message")
        return _content(message) if message is not None else as_text(field(choices[0], "text"))
    return _answer_field(value)


def _answer_field(value: Any) -> str | None:
    for name in ANSWER_FIELDS:
        found = field(value, name)
        if isinstance(found, str):
            return found
        if found is not None and name in ("content", "message", "response"):
            return _joined(found) if isinstance(found, list) else _content(found)
    return None


def read_chunk(value: Any) -> str | None:
    """The text of one chunk of a stream; None for a chunk that carries none."""
    if isinstance(value, str):
        return value
    choices = field(value, "choices")
    if isinstance(choices, list):
        return _delta(choices[0]) if choices else None
    return _delta(value) or read_answer(value)


def _delta(holder: Any) -> str | None:
    delta = field(holder, "delta")
    if delta is None:
        return as_text(field(holder, "text"))
    return as_text(delta) or as_text(first_field(delta, ("content", "text")))


def _content(turn: Any) -> str | None:
    if isinstance(turn, str):
        return turn
    if is_plain_tuple(turn):
        return as_text(turn[-1]) if turn else None
    content = first_field(turn, ("content", "text", "parts"))
    return _joined(content) if isinstance(content, list) else as_text(content)


def _joined(parts: list[Any]) -> str | None:
    texts = [
        text
        for part in parts
        if (text := as_text(part) or as_text(first_field(part, ("text", "content")))) is not None
    ]
    return "".join(texts) if texts else None


class Usage(NamedTuple):
    """What a model's response says about itself; None where it says nothing."""

    input_tokens: int | None
    output_tokens: int | None
    model: str | None
    finish_reason: str | None


def read_usage(response: Any) -> Usage:
    """Tokens, model and finish reason of a chat completion, message or last stream chunk."""
    usage = first_field(response, ("usage", "usage_metadata"))
    choices = field(response, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return Usage(
        as_count(first_field(usage, ("input_tokens", "prompt_tokens"))),
        as_count(first_field(usage, ("output_tokens", "completion_tokens"))),
        as_text(field(response, "model")),
        as_text(field(choice, "finish_reason")) or as_text(field(response, "stop_reason")),
    )


def identity_and_text(value: Any) -> tuple[str | None, str | None]:
    """Id and text of a source document; a string is its own text."""
    if isinstance(value, str):
        return None, value
    identity = first_field(value, ("id", "doc_id", "document_id", "source"))
    text = first_field(value, ("text", "content", "page_content", "body"))
    return (
        None if identity is None or isinstance(identity, Mapping) else str(identity),
        as_text(text),
    )
