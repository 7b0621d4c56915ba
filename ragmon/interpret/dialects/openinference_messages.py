"""What OpenInference's model calls were sent and gave back, and its prompt templates."""

from typing import Final, NamedTuple

from ragmon import semconv
from ragmon.interpret import scalars
from ragmon.interpret.dialects import json_content, json_messages
from ragmon.interpret.dialects.flattened import Fields, Rows, collect, in_order, is_whole
from ragmon.interpret.dialects.json_messages import Message
from ragmon.interpret.dialects.openinference_content import (
    Absent,
    Content,
    input_of,
    is_masked,
    note,
    output_of,
    parsed,
    shown_text,
)
from ragmon.interpret.meaning import Field, RawDocuments
from ragmon.model.record import Absence
from ragmon.model.span import Attributes, AttributeValue, Span

_ROLE: Final = "message.role"
_CONTENT: Final = "message.content"
_CONTENTS: Final = "message.contents."
_PART_TEXT: Final = ".message_content.text"
_PROMPT_TEXT: Final = "prompt.text"
_COMPLETION_TEXT: Final = "completion.text"


class Sent(NamedTuple):
    """The flattened lists of what a model was sent."""

    messages: Rows
    prompts: Rows


class Received(NamedTuple):
    """The flattened lists of what a model gave back."""

    messages: Rows
    choices: Rows


def read_flattened(attributes: Attributes) -> tuple[Sent, Received]:
    """All lists of a model call, in one walk over its attributes."""
    messages, prompts, answers, choices = collect(
        attributes,
        semconv.LLM_INPUT_MESSAGES,
        semconv.LLM_PROMPTS,
        semconv.LLM_OUTPUT_MESSAGES,
        semconv.LLM_CHOICES,
    )
    return Sent(messages, prompts), Received(answers, choices)


def model_prompt(span: Span, sent: Sent, absent: Absent) -> str | None:
    """What the model was sent, as one text; None where a part of it was thrown away."""
    whole = is_whole(sent.messages) and is_whole(sent.prompts)
    if not whole or (span.dropped and (sent.messages or sent.prompts)):
        absent[Field.PROMPT] = Absence.DROPPED_ATTRIBUTES
        return None
    if sent.messages:
        return _joined(sent.messages, absent)
    texts = _texts(sent.prompts, _PROMPT_TEXT) or _array_texts(span.attributes)
    if texts:
        return "\n".join(texts)
    content = input_of(span.attributes)
    note(absent, Field.PROMPT, content)
    return content.text if content.text is not None else json_messages.find_prompt(content.json)


def _joined(messages: Rows, absent: Absent) -> str | None:
    entries = in_order(messages)
    read = [message for fields in entries for message in _messages(fields)]
    prompt = json_messages.join_messages(read)
    if prompt is None and any(is_masked(fields.get(_CONTENT)) for fields in entries):
        absent[Field.PROMPT] = Absence.MASKED
    return prompt


def _array_texts(attributes: Attributes) -> list[str]:
    """LlamaIndex writes `llm.prompts` as one array."""
    prompts = scalars.array(attributes.get(semconv.LLM_PROMPTS)) or ()
    return [text for prompt in prompts if (text := shown_text(prompt)) is not None]


def model_answer(span: Span, received: Received, absent: Absent) -> str | None:
    """The first text that the model gave back; "" where it gave only an empty one."""
    texts = [text for fields in in_order(received.messages) for _, text in _messages(fields)]
    texts += _texts(received.choices, _COMPLETION_TEXT)
    if texts:
        return next(filter(None, texts), "")
    content = output_of(span.attributes)
    note(absent, Field.ANSWER, content)
    return content.text if content.text is not None else json_messages.find_completion(content.json)


def _messages(fields: Fields) -> list[Message]:
    role = scalars.text(fields.get(_ROLE))
    text = shown_text(fields.get(_CONTENT))
    texts = [text] if text is not None else _part_texts(fields)
    return [(role, part) for part in texts]


def _part_texts(fields: Fields) -> list[str]:
    parts: dict[int, AttributeValue] = {}
    for key, value in fields.items():
        index = key.removeprefix(_CONTENTS).removesuffix(_PART_TEXT)
        if key == f"{_CONTENTS}{index}{_PART_TEXT}" and index.isdecimal():
            parts[int(index)] = value
    return [text for index in sorted(parts) if (text := shown_text(parts[index])) is not None]


def _texts(rows: Rows, field: str) -> list[str]:
    shown = (shown_text(fields.get(field)) for fields in in_order(rows))
    return [text for text in shown if text is not None]


def template_prompt(output: Content, absent: Absent) -> str | None:
    """The prompt that a template returned, as one text."""
    note(absent, Field.PROMPT, output)
    return output.text if output.text is not None else json_messages.find_prompt(output.json)


def template_variables(attributes: Attributes) -> dict[str, RawDocuments]:
    """The variables of a prompt template, each as the documents or texts it held."""
    return json_content.read_variables(parsed(attributes.get(semconv.LLM_TEMPLATE_VARIABLES)))
