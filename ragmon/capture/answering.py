"""The decorators of the stages that answer a request.

Every option that names a parameter takes `"parameter"` or `"parameter.field.field"`.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

from ragmon.capture import stages
from ragmon.capture.decorate import Chunk, Decorator, Result, decorate
from ragmon.capture.plan import Options

P = ParamSpec("P")
R = TypeVar("R")


@overload
def request(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def request(
    *,
    name: str | None = None,
    query: str | None = None,
    request_id: str | None = None,
    conversation_id: str | None = None,
    pipeline: str | None = None,
    result: Result | None = None,
    chunk: Chunk | None = None,
) -> Decorator: ...
def request(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    query: str | None = None,
    request_id: str | None = None,
    conversation_id: str | None = None,
    pipeline: str | None = None,
    result: Result | None = None,
    chunk: Chunk | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that answers one request, question in, answer out.

    Everything captured inside becomes part of this request.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name; `request` and the function's name by default.
        query: The parameter that holds the question.
        request_id: The parameter that holds the application's own id of the request.
        conversation_id: The parameter that holds the conversation's id.
        pipeline: The pipeline's name, where this process serves several.
        result: Takes what the function returns to the answer.
        chunk: Takes one chunk of a stream to its text.

    Example:
        @ragmon.request(query="body.question", result=lambda reply: reply.answer)
        async def ask(body: Question) -> Reply: ...
    """
    sources = {"query": query, "request_id": request_id, "conversation_id": conversation_id}
    return decorate(function, stages.REQUEST, Options(name, sources, result, chunk, pipeline))


@overload
def retrieval(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def retrieval(
    *,
    name: str | None = None,
    query: str | None = None,
    top_k: str | int | None = None,
    data_source: str | None = None,
    result: Result | None = None,
) -> Decorator: ...
def retrieval(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    query: str | None = None,
    top_k: str | int | None = None,
    data_source: str | None = None,
    result: Result | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that finds documents for a query.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        query: The parameter that holds the query.
        top_k: The parameter that holds how many are wanted, or the number itself.
        data_source: The parameter that holds the index's name, or the name itself.
        result: Takes what the function returns to the list of documents, best first.

    Example:
        @ragmon.retrieval(result=lambda response: response["hits"]["hits"])
        def search(query: str, k: int = 10) -> dict: ...
    """
    sources = {"query": query, "top_k": top_k, "data_source": data_source}
    return decorate(function, stages.RETRIEVAL, Options(name, sources, result))


@overload
def reranking(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def reranking(
    *,
    name: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    model: str | None = None,
    result: Result | None = None,
) -> Decorator: ...
def reranking(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    model: str | None = None,
    result: Result | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that puts retrieved documents into a better order.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        query: The parameter that holds the query.
        documents: The parameter that holds the candidates.
        model: The parameter that holds the model's name, or the name itself.
        result: Takes what the function returns to the list of documents, best first.

    Example:
        @ragmon.reranking
        def rerank(query: str, documents: list[Document]) -> list[tuple[Document, float]]: ...
    """
    sources = {"query": query, "documents": documents, "model": model}
    return decorate(function, stages.RERANKING, Options(name, sources, result))


@overload
def augmentation(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def augmentation(
    *,
    name: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    max_context_tokens: str | int | None = None,
    result: Result | None = None,
) -> Decorator: ...
def augmentation(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    max_context_tokens: str | int | None = None,
    result: Result | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that packs documents into a prompt.

    It may return the prompt (a string or a list of messages), the documents it packed, or
    both as `(prompt, documents)` or a mapping or object with such fields.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        query: The parameter that holds the question.
        documents: The parameter that holds the documents to choose from.
        max_context_tokens: The parameter that holds the context's budget in word tokens,
            or the number itself.
        result: Takes what the function returns to one of the forms above.

    Example:
        @ragmon.augmentation(max_context_tokens=1500)
        def build_prompt(question: str, documents: list[Document]) -> str: ...
    """
    sources = {"query": query, "documents": documents, "max_context_tokens": max_context_tokens}
    return decorate(function, stages.AUGMENTATION, Options(name, sources, result))


@overload
def generation(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def generation(
    *,
    name: str | None = None,
    prompt: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    model: str | None = None,
    result: Result | None = None,
    chunk: Chunk | None = None,
) -> Decorator: ...
def generation(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    prompt: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    model: str | None = None,
    result: Result | None = None,
    chunk: Chunk | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that asks the model, prompt in, answer out.

    A generator is captured as a stream: time to first chunk, and the whole answer. Tokens,
    model and finish reason are read from what is returned, where it carries them.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        prompt: The parameter that holds the prompt, a string or a list of messages.
        query: The parameter that holds the question, where it is passed beside the prompt.
        documents: The parameter that holds the context, where the prompt is built inside.
        model: The parameter that holds the model's name, or the name itself.
        result: Takes what the function returns to the answer.
        chunk: Takes one chunk of a stream to its text.

    Example:
        @ragmon.generation(model="small-model")
        async def generate(prompt: str) -> AsyncIterator[str]: ...
    """
    sources = {"prompt": prompt, "query": query, "documents": documents, "model": model}
    return decorate(function, stages.GENERATION, Options(name, sources, result, chunk))
