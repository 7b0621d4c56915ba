"""What each stage looks for: its parameters by name, and what its result is.

The names are tried in order; the first that the decorated function has is read.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from ragmon import semconv
from ragmon.capture.documents import read_documents
from ragmon.capture.fields import as_count, as_text, field, is_plain_tuple
from ragmon.capture.offsets import write_offsets
from ragmon.capture.recording import DOCUMENTS, INPUT_DOCUMENTS, Recording
from ragmon.capture.settings import LIST_TEXTS
from ragmon.capture.texts import (
    identity_and_text,
    read_answer,
    read_prompt,
    read_query,
    read_usage,
)
from ragmon.capture.vectors import write_embedded, write_embedded_ids, write_vectors

Writer: TypeAlias = Callable[[Recording, Any], None]


class Input(NamedTuple):
    """One thing a stage is given: its option, the parameter names it goes by, its writer."""

    option: str
    names: tuple[str, ...]
    write: Writer


class Stage(NamedTuple):
    """One stage: its name on the wire, what it is given, what it gives back.

    `operation` is OpenTelemetry's name for it, None where there is none. `gives_text` says
    that a stream of this stage is one text in pieces, and not a list of documents.
    """

    name: str
    operation: str | None
    inputs: tuple[Input, ...]
    write_result: Writer
    gives_text: bool = False


QUERY_NAMES: Final = ("query", "question", "user_query", "query_text", "user_input", "q")
DOCUMENT_NAMES: Final = (
    "documents",
    "docs",
    "candidates",
    "chunks",
    "passages",
    "nodes",
    "results",
    "hits",
    "contexts",
    "context",
)


def _query(recording: Recording, value: Any) -> None:
    text = read_query(value)
    if text is not None:
        recording.put_text(semconv.QUERY, text)


def _retrieval_query(recording: Recording, value: Any) -> None:
    text = read_query(value)
    if text is not None:
        recording.put_text(semconv.GEN_AI_RETRIEVAL_QUERY_TEXT, text)


def _prompt(recording: Recording, value: Any) -> None:
    text = read_prompt(value)
    if text is not None:
        recording.put_text(semconv.PROMPT, text)


def _answer(recording: Recording, value: Any) -> None:
    text = read_answer(value)
    if text is not None:
        recording.put_text(semconv.ANSWER, text)


def _generated(recording: Recording, value: Any) -> None:
    _answer(recording, value)
    if type(value) is not str:
        recording.put_usage(*read_usage(value))


def _documents(recording: Recording, value: Any) -> None:
    recording.put_documents(DOCUMENTS, value)


def _input_documents(recording: Recording, value: Any) -> None:
    recording.put_documents(INPUT_DOCUMENTS, value)


def _model(recording: Recording, value: Any) -> None:
    if isinstance(value, str):
        recording.put(semconv.GEN_AI_REQUEST_MODEL, value)


def _top_k(recording: Recording, value: Any) -> None:
    count = as_count(value)
    if count is not None:
        recording.put(semconv.GEN_AI_RETRIEVAL_TOP_K, count)


def _data_source(recording: Recording, value: Any) -> None:
    recording.put(semconv.GEN_AI_DATA_SOURCE_ID, str(value))


def _max_context_tokens(recording: Recording, value: Any) -> None:
    count = as_count(value)
    if count is not None:
        recording.put(semconv.MAX_CONTEXT_TOKENS, count)


def _request_id(recording: Recording, value: Any) -> None:
    recording.put(semconv.REQUEST_ID, str(value))


def _conversation_id(recording: Recording, value: Any) -> None:
    recording.put(semconv.GEN_AI_CONVERSATION_ID, str(value))


def _source(recording: Recording, value: Any) -> None:
    identity, text = identity_and_text(value)
    if identity is not None:
        recording.attributes.setdefault(semconv.SOURCE_ID, identity)
    if text is not None:
        recording.put_text(semconv.SOURCE_TEXT, text, LIST_TEXTS)


def _source_id(recording: Recording, value: Any) -> None:
    recording.put(semconv.SOURCE_ID, str(value))


def _markdown(recording: Recording, value: Any) -> None:
    recording.put(semconv.SOURCE_MARKDOWN, bool(value))


def _size_limits(recording: Recording, value: Any) -> None:
    fewest, most = (-1 if bound is None else int(bound) for bound in value)
    recording.put(semconv.SIZE_LIMITS, (fewest, most))


def _chunks(recording: Recording, value: Any) -> None:
    _documents(recording, value)
    write_offsets(recording, value)


def _send_vectors(recording: Recording, value: Any) -> None:
    recording.settings = replace(recording.settings, vectors=bool(value))


def _packed(recording: Recording, value: Any) -> None:
    """What a prompt builder returned: a prompt, its documents, or both."""
    if isinstance(value, str):
        recording.put_text(semconv.PROMPT, value)
    elif is_plain_tuple(value) and len(value) == 2 and isinstance(value[0], str):
        recording.put_text(semconv.PROMPT, value[0])
        if not isinstance(value[1], str):
            recording.put_documents(DOCUMENTS, value[1])
    elif isinstance(value, list | tuple) and value and field(value[0], "role") is not None:
        _prompt(recording, value)
    else:
        _packed_fields(recording, value)


def _packed_fields(recording: Recording, value: Any) -> None:
    if not isinstance(value, list | tuple):
        _prompt(recording, value)
        if isinstance(value, Mapping) or as_text(field(value, "prompt")) is not None:
            value = _packed_list(value)
    if value is not None and read_documents(value) is not None:
        recording.put_documents(DOCUMENTS, value)


def _packed_list(value: Any) -> Any:
    for name in DOCUMENT_NAMES:
        found = field(value, name)
        if isinstance(found, list | tuple):
            return found
    return None


_QUERY = Input("query", QUERY_NAMES, _query)

REQUEST: Final = Stage(
    "request",
    None,
    (
        Input(
            "query",
            (*QUERY_NAMES, "input", "prompt", "message", "messages", "text", "inputs"),
            _query,
        ),
        Input("request_id", ("request_id",), _request_id),
        Input("conversation_id", ("conversation_id", "session_id", "thread_id"), _conversation_id),
    ),
    _answer,
    gives_text=True,
)
CHUNKING: Final = Stage(
    "chunking",
    None,
    (
        Input("source_id", ("source_id", "doc_id", "document_id"), _source_id),
        Input("source", ("document", "doc", "source", "text", "content", "page"), _source),
        Input("markdown", (), _markdown),
        Input("size_limits", (), _size_limits),
    ),
    _chunks,
)
EMBEDDING: Final = Stage(
    "embedding",
    "embeddings",
    (
        Input("model", ("model", "model_name"), _model),
        Input("vectors", (), _send_vectors),
        Input("documents", ("chunks", "documents", "docs", "nodes", "passages"), write_embedded),
        Input("ids", ("ids", "chunk_ids", "doc_ids", "document_ids"), write_embedded_ids),
    ),
    write_vectors,
)
RETRIEVAL: Final = Stage(
    "retrieval",
    "retrieval",
    (
        Input("query", (*QUERY_NAMES, "input", "text"), _retrieval_query),
        Input("top_k", ("top_k", "k", "n_results", "limit"), _top_k),
        Input("data_source", ("data_source",), _data_source),
    ),
    _documents,
)
RERANKING: Final = Stage(
    "reranking",
    None,
    (
        _QUERY,
        Input("documents", DOCUMENT_NAMES, _input_documents),
        Input("model", ("model", "model_name"), _model),
    ),
    _documents,
)
AUGMENTATION: Final = Stage(
    "augmentation",
    None,
    (
        _QUERY,
        Input("documents", DOCUMENT_NAMES, _input_documents),
        Input("max_context_tokens", ("max_context_tokens",), _max_context_tokens),
    ),
    _packed,
)
GENERATION: Final = Stage(
    "generation",
    "chat",
    (
        _QUERY,
        Input("documents", DOCUMENT_NAMES, _input_documents),
        Input("prompt", ("prompt", "messages", "input", "text"), _prompt),
        Input("model", ("model", "model_name"), _model),
    ),
    _generated,
    gives_text=True,
)
STAGES: Final = {
    stage.name: stage
    for stage in (REQUEST, CHUNKING, EMBEDDING, RETRIEVAL, RERANKING, AUGMENTATION, GENERATION)
}
