"""Long work beside the event loop, one at a time."""

import asyncio
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

_INLINE_BYTES: Final = 256 << 10

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Offload:
    """Runs functions over bytes: small ones at once, large ones in a thread.

    The thread gains no speed; it lets the loop answer others meanwhile. One at a time
    bounds what parsing takes beside the bytes themselves.
    """

    def __init__(self) -> None:
        self._one = asyncio.Semaphore(1)

    async def run(
        self, size: int, function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs
    ) -> _R:
        """Call the function over `size` bytes and return what it returns."""
        if size < _INLINE_BYTES:
            return function(*args, **kwargs)
        async with self._one:
            return await asyncio.to_thread(function, *args, **kwargs)
