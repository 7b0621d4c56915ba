"""Settings of evaluators, checked when one is made."""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, TypeAlias

from ragmon.errors import InputError
from ragmon.evaluate.values import argument, count, list_of, optional, text

CutOffs: TypeAlias = int | Sequence[int]
SizeLimits: TypeAlias = tuple[int | None, int | None]


def cut_offs(k: Any) -> tuple[int, ...]:
    """The cut-offs that were asked for, each once, the smallest first.

    Raises:
        InputError: there is none, or one is no whole number from 1.
    """
    several = isinstance(k, Iterable) and not isinstance(k, str | bytes)
    given: tuple[Any, ...] = tuple(k) if several else (k,)
    if not given or any(isinstance(one, bool) or not isinstance(one, Integral) for one in given):
        raise InputError(f"k={k!r} must be a whole number from 1, or several")
    if min(given) < 1:
        raise InputError(f"k={k!r} must hold nothing below 1")
    return tuple(sorted({int(one) for one in given}))


def size_limits(given: SizeLimits | None) -> SizeLimits | None:
    """Fewest and most tokens of a chunk.

    Raises:
        InputError: they are no two whole numbers or None, or the wrong way round.
    """
    if given is None:
        return None
    limits = argument("size_limits", list_of(optional(count)), given)
    if len(limits) != 2:
        raise InputError(f"size_limits={given!r} must be two numbers, either of them None")
    low, high = limits
    if low is not None and high is not None and low > high:
        raise InputError(f"size_limits={given!r} must not end below their start")
    return low, high


def boundary_tolerance(given: int) -> int:
    """How many characters a boundary may be away from an ideal one.

    Raises:
        InputError: it is no whole number from 0.
    """
    return argument("boundary_tolerance", count, given)


def required_keys(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names of metadata.

    Raises:
        InputError: it is no list of texts.
    """
    return None if given is None else argument("required_keys", list_of(text), given)


def max_context_tokens(given: int | None) -> int | None:
    """The budget of a context, in word tokens.

    Raises:
        InputError: it is no whole number from 0.
    """
    return None if given is None else argument("max_context_tokens", count, given)
