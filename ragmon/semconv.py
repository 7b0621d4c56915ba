"""Every attribute name that ragmon writes or reads, and what it carries.

OpenTelemetry's own names stand where one exists; `ragmon.*` for what has none. A list of
documents is parallel arrays, never one attribute per document: the SDK throws away the
oldest attributes above 128.
"""

from typing import Final

# --- ragmon's own -------------------------------------------------------------------
STAGE: Final = "ragmon.stage"
"""request, chunking, embedding, retrieval, reranking, augmentation or generation."""
PIPELINE: Final = "ragmon.pipeline"
"""The pipeline's name, on a span or its resource; else `service.name`."""
PIPELINE_VERSION: Final = "ragmon.pipeline_version"
REQUEST_ID: Final = "ragmon.request_id"
"""The application's own id of the request, by which labels can find it."""
QUERY: Final = "ragmon.query"
ANSWER: Final = "ragmon.answer"
PROMPT: Final = "ragmon.prompt"
DOCUMENTS_ID: Final = "ragmon.documents.id"
"""string[]: ids of the documents a stage returned, best first; "" where a document has none."""
DOCUMENTS_TEXT: Final = "ragmon.documents.text"
"""string[]: their texts. Absent where every text crossed earlier in the same request under
the same id."""
DOCUMENTS_SCORE: Final = "ragmon.documents.score"
"""double[]: their scores; NaN where one has none. Absent where none has one."""
DOCUMENTS_COUNT: Final = "ragmon.documents.count"
"""int: how many documents there were, also where content is off."""
DOCUMENTS_START: Final = "ragmon.documents.start"
"""int[]: where each chunk starts in its source, in code points; -1 where it is not known."""
DOCUMENTS_END: Final = "ragmon.documents.end"
"""int[]: where each ends, exclusive; -1 where it is not known."""
INPUT_DOCUMENTS_ID: Final = "ragmon.input_documents.id"
"""string[]: ids of the documents a reranker or prompt builder was given."""
INPUT_DOCUMENTS_TEXT: Final = "ragmon.input_documents.text"
"""string[]: their texts, where they did not cross earlier in the request."""
CONTEXT_ID: Final = "ragmon.context.id"
"""string[]: the packed context as `annotate(context=...)` gave it; overrides what is inferred."""
CONTEXT_TEXT: Final = "ragmon.context.text"
MAX_CONTEXT_TOKENS: Final = "ragmon.max_context_tokens"
"""int: the context budget in word tokens."""
CITATIONS: Final = "ragmon.citations"
"""string[]: ids of the documents the answer cites."""
COST_USD: Final = "ragmon.cost_usd"
SOURCE_ID: Final = "ragmon.source.id"
"""The id of the document that a chunking run split."""
SOURCE_TEXT: Final = "ragmon.source.text"
SOURCE_MARKDOWN: Final = "ragmon.source.markdown"
"""bool: whether that document is Markdown."""
SIZE_LIMITS: Final = "ragmon.size_limits"
"""int[2]: fewest and most word tokens a chunk may have; -1 leaves a side open."""
VECTORS: Final = "ragmon.vectors"
"""bytes: vectors as little-endian float32, one after the other, each of
`gen_ai.embeddings.dimension.count` numbers. Only sent where they are switched on."""
VECTORS_COUNT: Final = "ragmon.vectors.count"
"""int: how many vectors there are, also where they were withheld."""
VECTORS_ID: Final = "ragmon.vectors.id"
"""string[]: ids of what was embedded, in order; absent unless each has one."""
INDEXED_IDS: Final = "ragmon.indexed_ids"
"""string[]: ids that the index holds after the run."""
TRUNCATED: Final = "ragmon.truncated"
"""string[]: `attribute=original length in characters` for each text that was cut."""
MASKED: Final = "ragmon.masked"
"""string[]: names of the attributes that were withheld, by the content setting or their bound."""
ABANDONED: Final = "ragmon.abandoned"
"""bool: true where the caller went away (closed the stream, cancelled the task) before the
end; what had come until then is recorded, and it is no error."""
ANNOTATOR: Final = "ragmon.annotator"
"""Who gave an evaluation, on its log event."""
ANNOTATOR_KIND: Final = "ragmon.annotator_kind"
"""HUMAN, LLM or CODE, on such an event; OpenTelemetry has no attribute for it."""
CANARY: Final = "ragmon.canary"
"""The canary that a trace belongs to, on the span that the processor adds to it."""
PROBE_SCOPE: Final = "ragmon.probe"
"""The scope of that span."""
OWN_PREFIX: Final = "ragmon."
"""Begins the names of ragmon's own scores, and of nobody else's."""
TRUNCATION_MARK: Final = "…truncated"
"""Ends a text that was cut."""

# --- OpenTelemetry ------------------------------------------------------------------
GEN_AI_OPERATION_NAME: Final = "gen_ai.operation.name"
GEN_AI_REQUEST_MODEL: Final = "gen_ai.request.model"
GEN_AI_RESPONSE_MODEL: Final = "gen_ai.response.model"
GEN_AI_RESPONSE_FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
GEN_AI_TIME_TO_FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
"""double, seconds."""
GEN_AI_USAGE_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_USAGE_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
GEN_AI_RETRIEVAL_QUERY_TEXT: Final = "gen_ai.retrieval.query.text"
GEN_AI_RETRIEVAL_TOP_K: Final = "gen_ai.retrieval.top_k"
GEN_AI_DATA_SOURCE_ID: Final = "gen_ai.data_source.id"
GEN_AI_CONVERSATION_ID: Final = "gen_ai.conversation.id"
GEN_AI_EMBEDDINGS_DIMENSION_COUNT: Final = "gen_ai.embeddings.dimension.count"
GEN_AI_EVALUATION_EVENT: Final = "gen_ai.evaluation.result"
"""The name of a log event that says how good an answer was."""
GEN_AI_EVALUATION_NAME: Final = "gen_ai.evaluation.name"
GEN_AI_EVALUATION_SCORE: Final = "gen_ai.evaluation.score.value"
GEN_AI_EVALUATION_LABEL: Final = "gen_ai.evaluation.score.label"
EVENT_NAME: Final = "event.name"
"""The name of a log event, from senders older than the field of that name."""
SESSION_ID: Final = "session.id"
SERVICE_NAME: Final = "service.name"
ERROR_TYPE: Final = "error.type"
EXCEPTION_TYPE: Final = "exception.type"
EXCEPTION_EVENT: Final = "exception"

# --- OpenInference ------------------------------------------------------------------
OPENINFERENCE_SPAN_KIND: Final = "openinference.span.kind"
OPENINFERENCE_MASK: Final = "__REDACTED__"
OPENINFERENCE_FIRST_TOKEN_EVENT: Final = "First Token Stream Event"  # noqa: S105
INPUT_VALUE: Final = "input.value"
OUTPUT_VALUE: Final = "output.value"
RETRIEVAL_DOCUMENTS: Final = "retrieval.documents"
RERANKER_QUERY: Final = "reranker.query"
RERANKER_INPUT_DOCUMENTS: Final = "reranker.input_documents"
RERANKER_OUTPUT_DOCUMENTS: Final = "reranker.output_documents"
LLM_MODEL_NAME: Final = "llm.model_name"
LLM_RESPONSE_MODEL_NAME: Final = "llm.response.model_name"
LLM_REQUEST_MODEL_NAME: Final = "llm.request.model_name"
LLM_PROMPTS: Final = "llm.prompts"
LLM_INPUT_MESSAGES: Final = "llm.input_messages"
LLM_OUTPUT_MESSAGES: Final = "llm.output_messages"
LLM_CHOICES: Final = "llm.choices"
LLM_TOKENS_PROMPT: Final = "llm.token_count.prompt"
LLM_TOKENS_COMPLETION: Final = "llm.token_count.completion"
LLM_COST_TOTAL: Final = "llm.cost.total"
LLM_TEMPLATE_VARIABLES: Final = "llm.prompt_template.variables"
OPENINFERENCE_ANNOTATOR_KIND: Final = "annotator_kind"
"""HUMAN, LLM or CODE; the last part of a key, such as `evaluations.0.evaluation.annotator_kind`."""
EMBEDDINGS: Final = "embedding.embeddings"
"""A flattened list: per text `.embedding.text` and `.embedding.vector`."""

# --- recognising a dialect ----------------------------------------------------------
DIALECT_PREFIXES: Final = (
    "ragmon.",
    "openinference.",
    "gen_ai.",
    "traceloop.",
    "llm.",
    "langfuse.observation.",
    "mlflow.span",
    "ai.observability.",
    "langsmith.span.",
    "haystack.",
    "db.vector.",
)
"""Beginnings of attribute names by which a span is known to speak of a RAG stage."""
DIALECT_EVENTS: Final = frozenset(
    {
        "db.query.result",
        "db.search.result",
        "RetrievalEndEvent",
        "ReRankEndEvent",
        "LLMChatEndEvent",
        "LLMCompletionEndEvent",
        "QueryStartEvent",
        "GetResponseStartEvent",
    }
)
"""Names of span events by which one is."""
