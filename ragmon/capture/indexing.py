"""The decorators of the stages that fill the index.

Every option that names a parameter takes `"parameter"` or `"parameter.field.field"`.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

from ragmon.capture import stages
from ragmon.capture.decorate import Decorator, Result, decorate
from ragmon.capture.plan import Options

P = ParamSpec("P")
R = TypeVar("R")


@overload
def chunking(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def chunking(
    *,
    name: str | None = None,
    source: str | None = None,
    source_id: str | None = None,
    result: Result | None = None,
) -> Decorator: ...
def chunking(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    source: str | None = None,
    source_id: str | None = None,
    result: Result | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that splits one document into chunks.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        source: The parameter that holds the document, a text or an object with one.
        source_id: The parameter that holds the document's id.
        result: Takes what the function returns to the list of chunks.

    Example:
        @ragmon.chunking
        def split(document: Page) -> list[Chunk]: ...
    """
    sources = {"source": source, "source_id": source_id}
    return decorate(function, stages.CHUNKING, Options(name, sources, result))


@overload
def embedding(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def embedding(
    *, name: str | None = None, model: str | None = None, result: Result | None = None
) -> Decorator: ...
def embedding(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    model: str | None = None,
    result: Result | None = None,
) -> Callable[P, R] | Decorator:
    """Capture the function that turns texts into vectors; the vectors are not sent.

    Args:
        function: The function, where the decorator stands bare.
        name: The span's name.
        model: The parameter that holds the model's name, or the name itself.
        result: Takes what the function returns to the vector or list of vectors.

    Example:
        @ragmon.embedding(model="small-embedder")
        def embed(texts: list[str]) -> list[list[float]]: ...
    """
    return decorate(function, stages.EMBEDDING, Options(name, {"model": model}, result))
