"""The decorators of the stages that fill the index.

Every option that names a parameter takes `"parameter"` or `"parameter.field.field"`.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeAlias, TypeVar, overload

from ragmon.capture import stages
from ragmon.capture.decorate import Decorator, Result, decorate
from ragmon.capture.plan import Options

P = ParamSpec("P")
R = TypeVar("R")
SizeLimits: TypeAlias = tuple[int | None, int | None]


@overload
def chunking(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def chunking(
    *,
    name: str | None = None,
    source: str | None = None,
    source_id: str | None = None,
    markdown: bool | None = None,
    size_limits: SizeLimits | None = None,
    result: Result | None = None,
) -> Decorator: ...
def chunking(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    source: str | None = None,
    source_id: str | None = None,
    markdown: bool | None = None,
    size_limits: SizeLimits | None = None,
    result: Result | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that splits one document into chunks.

    Chunks are documents as a retriever returns them, in the order of the document; where
    they say at which character they start and end, that is sent as well.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        source: The parameter that holds the document, a text or an object with one.
        source_id: The parameter that holds the document's id.
        markdown: Whether the documents are Markdown.
        size_limits: Fewest and most word tokens that a chunk may have, inclusive; None leaves
            a side open.
        result: Takes what the function returns to the list of chunks.

    Example:
        @ragmon.chunking(size_limits=(50, 400))
        def split(document: Page) -> list[Chunk]: ...
    """
    sources = {
        "source": source,
        "source_id": source_id,
        "markdown": markdown,
        "size_limits": size_limits,
    }
    return decorate(function, stages.CHUNKING, Options(name, sources, result))


@overload
def embedding(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def embedding(
    *,
    name: str | None = None,
    model: str | None = None,
    documents: str | None = None,
    ids: str | None = None,
    vectors: bool | None = None,
    result: Result | None = None,
) -> Decorator: ...
def embedding(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    model: str | None = None,
    documents: str | None = None,
    ids: str | None = None,
    vectors: bool | None = None,
    result: Result | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that turns texts into vectors.

    The texts are never sent, the vectors only where that is switched on.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        model: The parameter that holds the model's name, or the name itself.
        documents: The parameter that holds the documents to embed; of them the ids are sent.
        ids: The parameter that holds the ids of what is embedded.
        vectors: Whether the vectors are sent; as `ragmon.configure` says by default.
        result: Takes what the function returns to the vector or list of vectors.

    Example:
        @ragmon.embedding(model="small-embedder", vectors=True)
        def embed(chunks: list[Chunk]) -> list[list[float]]: ...
    """
    sources = {"model": model, "documents": documents, "ids": ids, "vectors": vectors}
    return decorate(function, stages.EMBEDDING, Options(name, sources, result))
