"""What all decorators share: being usable bare and with options."""

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar

from ragmon.capture.plan import Options
from ragmon.capture.stages import Stage
from ragmon.capture.wrap import capture

P = ParamSpec("P")
R = TypeVar("R")
Result: TypeAlias = Callable[[Any], object]
Chunk: TypeAlias = Callable[[Any], str | None]


class Decorator(Protocol):
    """What a decorator called with options gives back."""

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]:
        """The function with its calls captured."""


class _Decorator:
    __slots__ = ("_options", "_stage")

    def __init__(self, stage: Stage, options: Options) -> None:
        self._stage = stage
        self._options = options

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]:
        return capture(function, self._stage, self._options)


def decorate(
    function: Callable[P, R] | None, stage: Stage, options: Options
) -> Callable[P, R] | Decorator:
    """Decorate the function, or give back what will."""
    decorator = _Decorator(stage, options)
    return decorator if function is None else decorator(function)
