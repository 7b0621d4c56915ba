"""What an application can say about a span beyond what its arguments and result carry."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypedDict, Unpack

from opentelemetry.context import get_current
from opentelemetry.trace import get_current_span

from ragmon import semconv
from ragmon.capture import faults
from ragmon.capture.recording import CONTEXT, DOCUMENTS, INPUT_DOCUMENTS, Recording, current
from ragmon.capture.stages import Writer
from ragmon.capture.texts import read_answer, read_prompt, read_query


class Notes(TypedDict, total=False):
    """Everything that can be said of a span; None says nothing."""

    answer: object
    citations: Iterable[str] | None
    context: object
    conversation_id: str | None
    cost_usd: float | None
    data_source: str | None
    documents: object
    finish_reason: str | None
    indexed_ids: Iterable[str] | None
    input_documents: object
    input_tokens: int | None
    max_context_tokens: int | None
    model: str | None
    output_tokens: int | None
    prompt: object
    query: object
    request_id: str | None
    session_id: str | None
    source_id: str | None
    top_k: int | None


def annotate(**notes: Unpack[Notes]) -> None:
    """Add to the open span what arguments and return values do not carry.

    Goes to the innermost ragmon span that is open here, or to OpenTelemetry's current span
    where there is none; `request_id`, `conversation_id` and `session_id` go to the request.
    Does nothing where no span is recorded. Never raises (see `RAGMON_STRICT`).

    Args:
        **notes: Any of
            `input_tokens`, `output_tokens` (as the model reports them), `cost_usd`,
            `model` (the one that answered), `finish_reason`;
            `citations`: ids of the documents the answer cites;
            `request_id`: the application's own id, by which gold labels can find the
            request; `conversation_id`, `session_id`;
            `query`, `prompt`, `answer`: texts, in any form the decorators understand;
            `documents`: what the stage returned; `input_documents`: what it was given;
            `context`: what really went into the prompt, a list of documents or one string;
            `max_context_tokens`: the context's budget, in word tokens;
            `top_k`, `data_source`, `source_id`;
            `indexed_ids`: ids that the index holds, on the embedding span.

    Example:
        @ragmon.generation
        def generate(prompt: str) -> str:
            reply = client.responses.create(model="small", input=prompt)
            ragmon.annotate(input_tokens=reply.usage.input_tokens, cost_usd=0.0003)
            return reply.output_text
    """
    try:
        recording = current()
        if recording is not None:
            apply(recording, notes)
        else:
            _annotate_foreign(notes)
    except Exception as fault:  # noqa: BLE001
        faults.report(fault, "annotating")


def _annotate_foreign(notes: Mapping[str, Any]) -> None:
    span = get_current_span()
    if span.is_recording():
        recording = Recording(span, {}, get_current())
        apply(recording, notes)
        recording.write()


def apply(recording: Recording, notes: Mapping[str, Any]) -> None:
    """Write notes to a recording.

    Raises:
        TypeError: A keyword that is none; the others are written all the same.
    """
    unknown = []
    for keyword, value in notes.items():
        write = _WRITERS.get(keyword)
        if write is None:
            unknown.append(keyword)
        elif value is not None:
            target = recording.request or recording if keyword in _OF_REQUEST else recording
            write(target, value)
    if unknown:
        raise TypeError(_unknown(unknown))


def _unknown(keywords: list[str]) -> str:
    near = difflib.get_close_matches(keywords[0], _WRITERS, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown annotation {', '.join(map(repr, keywords))}{hint}"


def _text(attribute: str, read: Any) -> Writer:
    def write(recording: Recording, value: Any) -> None:
        text = read(value)
        if text is not None:
            recording.put_text(attribute, text)

    return write


def _query(recording: Recording, value: Any) -> None:
    text = read_query(value)
    retrieval = recording.identity.get(semconv.STAGE) == "retrieval"
    if text is not None:
        recording.put_text(
            semconv.GEN_AI_RETRIEVAL_QUERY_TEXT if retrieval else semconv.QUERY, text
        )


def _plain(attribute: str, kind: type) -> Writer:
    return lambda recording, value: recording.put(attribute, kind(value))


_WRITERS: Final[Mapping[str, Writer]] = {
    "answer": _text(semconv.ANSWER, read_answer),
    "citations": lambda recording, value: recording.put(
        semconv.CITATIONS, (value,) if isinstance(value, str) else tuple(map(str, value))
    ),
    "context": lambda recording, value: recording.put_documents(CONTEXT, value),
    "conversation_id": _plain(semconv.GEN_AI_CONVERSATION_ID, str),
    "cost_usd": _plain(semconv.COST_USD, float),
    "data_source": _plain(semconv.GEN_AI_DATA_SOURCE_ID, str),
    "documents": lambda recording, value: recording.put_documents(DOCUMENTS, value),
    "finish_reason": lambda recording, value: recording.put(
        semconv.GEN_AI_RESPONSE_FINISH_REASONS, (str(value),)
    ),
    "indexed_ids": lambda recording, value: recording.put_ids(semconv.INDEXED_IDS, value),
    "input_documents": lambda recording, value: recording.put_documents(INPUT_DOCUMENTS, value),
    "input_tokens": _plain(semconv.GEN_AI_USAGE_INPUT_TOKENS, int),
    "max_context_tokens": _plain(semconv.MAX_CONTEXT_TOKENS, int),
    "model": _plain(semconv.GEN_AI_RESPONSE_MODEL, str),
    "output_tokens": _plain(semconv.GEN_AI_USAGE_OUTPUT_TOKENS, int),
    "prompt": _text(semconv.PROMPT, read_prompt),
    "query": _query,
    "request_id": _plain(semconv.REQUEST_ID, str),
    "session_id": _plain(semconv.SESSION_ID, str),
    "source_id": _plain(semconv.SOURCE_ID, str),
    "top_k": _plain(semconv.GEN_AI_RETRIEVAL_TOP_K, int),
}
_OF_REQUEST: Final = frozenset({"conversation_id", "request_id", "session_id"})
