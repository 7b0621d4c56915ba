"""Chat messages, prompts and completions inside JSON."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from ragmon.interpret.dialects.json_content import Json, ranked, search

Message: TypeAlias = tuple[str | None, str]
"""A role, where one is known, and a text."""

_USER_ROLES: Final = frozenset({"user", "human"})
_MODEL_ROLES: Final = frozenset({"assistant", "ai", "model"})
_QUERY_KEYS: Final = ranked(
    "query",
    "question",
    "input",
    "user_input",
    "query_str",
    "str_or_query_bundle",
    "message",
    "user_message",
    "q",
    "text",
    "prompt",
)
_ANSWER_KEYS: Final = ranked(
    "answer",
    "response",
    "output",
    "result",
    "output_text",
    "generation",
    "completion",
    "replies",
    "content",
    "text",
)
_PROMPT_KEYS: Final = ranked("prompt", "prompts", "text")


def find_query(content: Json) -> str | None:
    """The question in the input of a chain: the shallowest field that is named like one."""
    return _find(content, _QUERY_KEYS, _USER_ROLES)


def find_answer(content: Json) -> str | None:
    """The answer in the output of a chain: the shallowest field that is named like one."""
    return _find(content, _ANSWER_KEYS, _MODEL_ROLES)


def _find(content: Json, keys: Mapping[str, int], roles: frozenset[str]) -> str | None:
    if isinstance(content, str):
        return content
    found = search(content, keys)
    return found if found is not None else _last_text(messages_in(content), roles)


def find_prompt(content: Json) -> str | None:
    """The prompt in what a model or a template was given or returned."""
    messages = read_messages(messages_in(content))
    return join_messages(messages) if messages else search(content, _PROMPT_KEYS)


def find_completion(content: Json) -> str | None:
    """The first text in what a model returned, as LangChain, OpenAI or Haystack write it."""
    if isinstance(content, dict):
        for key in ("generations", "choices"):
            first = _first(_first(content.get(key)))
            if isinstance(first, dict):
                return _choice_text(first)
    return find_answer(content)


def _choice_text(choice: dict[str, Json]) -> str | None:
    text = choice.get("text")
    message = choice.get("message")
    inner = message.get("content") if isinstance(message, dict) else None
    return text if isinstance(text, str) else content_text(inner)


def _first(value: Json) -> Json:
    """The first entry of a list; anything else as it is."""
    return (value[0] if value else None) if isinstance(value, list) else value


def messages_in(content: Json) -> Json:
    """The list of messages that the content is or has."""
    return content.get("messages") if isinstance(content, dict) else content


def _last_text(messages: Json, roles: frozenset[str]) -> str | None:
    texts = [text for role, text in read_messages(messages) if role in roles]
    return texts[-1] if texts else None


def read_messages(content: Json) -> list[Message]:
    """Roles and texts of a list of chat messages, also where it is one of several lists."""
    if isinstance(content, list) and content and isinstance(content[0], list):
        content = content[0]
    if not isinstance(content, list):
        return []
    return [message for entry in content if (message := _message(entry)) is not None]


def _message(entry: Json) -> Message | None:
    if not isinstance(entry, dict):
        return None
    fields = _constructor_fields(entry)
    text = content_text(fields.get("content"))
    if text is None:
        return None
    roles = (fields.get("role"), fields.get("type"), entry.get("type"))
    return next((role for role in roles if isinstance(role, str)), None), text


def _constructor_fields(entry: dict[str, Json]) -> dict[str, Json]:
    """LangChain serialises a message as a constructor with its arguments."""
    for key in ("kwargs", "data"):
        inner = entry.get(key)
        if isinstance(inner, dict):
            return inner
    return entry


def content_text(content: Json) -> str | None:
    """The text of a message: a string, or the texts among its parts joined by a newline."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) else part for part in content]
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if texts else None


def join_messages(messages: Iterable[Message]) -> str | None:
    """One prompt: the texts joined by a newline, a repeated system text once."""
    texts: list[str] = []
    system: set[str] = set()
    for role, text in messages:
        if role == "system":
            if text in system:
                continue
            system.add(text)
        texts.append(text)
    return "\n".join(texts) if texts else None
