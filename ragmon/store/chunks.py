"""Long lists in pieces that one statement may carry."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Value = TypeVar("_Value")

CHUNK = 500  # old SQLite libraries take 999 variables a statement


def chunks(values: Iterable[_Value], size: int = CHUNK) -> Iterator[list[_Value]]:
    """Lists of at most `size`, none empty."""
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk
