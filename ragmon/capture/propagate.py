"""Carrying the open span into another thread."""

import contextvars
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def propagate(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function that runs in another thread belong to the span that is open here.

    Threads and thread pools start without the context of the code that filled them, and
    spans made there would become traces of their own. The context is taken when
    `propagate` is called; each run gets a copy, so that several may run at once.

    Example:
        with ThreadPoolExecutor() as pool:
            lists = list(pool.map(ragmon.propagate(search), queries))
    """
    context = contextvars.copy_context()

    @functools.wraps(function)
    def carried(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(function, *args, **kwargs)

    return carried
