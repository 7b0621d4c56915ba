"""Single values of a row as the evaluators take them, checked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite, isnan
from numbers import Integral, Real
from typing import Any, TypeVar

import orjson

from ragmon.errors import InputError
from ragmon.labels.fields import FieldError

_T = TypeVar("_T")

Reader = Callable[[Any], Any]


class Cell(str):
    """A cell of a table without types; where its field is a number or a yes, it is read as one."""

    __slots__ = ()

    @property
    def typed(self) -> object:
        """The number or truth value that stands in it, else its text."""
        try:
            return orjson.loads(self.strip().lower())
        except orjson.JSONDecodeError:
            return str(self)


def read_fields(
    row: Mapping[str, Any], readers: Mapping[str, Reader], where: str
) -> dict[str, Any]:
    """Every field of a row that holds something, read; None and NaN hold nothing.

    Raises:
        InputError: a field is unknown or has a value that cannot be one; it names both.
    """
    unknown = [name for name in row if name not in readers]
    if unknown:
        raise InputError(f"{where}: {unknown_name('field', unknown[0], readers)}")
    given = {name: value for name, value in row.items() if not _is_nothing(value)}
    return {name: _read(readers[name], value, f"{where}: {name}") for name, value in given.items()}


def unknown_name(kind: str, name: object, known: Iterable[str]) -> str:
    """A line that says of a name that it is unknown, and which is nearest."""
    names = sorted(map(str, known))
    near = get_close_matches(str(name), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}"
    return f"unknown {kind} {str(name)[:40]!r}; {hint}"


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))


def _read(reader: Reader, value: object, where: str) -> Any:
    try:
        return reader(value)
    except (FieldError, _WrongError) as fault:
        raise InputError(f"{where} {fault}, not {_kind(value)}") from None


class _WrongError(ValueError):
    """A value that cannot be one of its field; says what it must be."""


def _kind(value: object) -> str:
    """What a value is, with its beginning where it is short and no text of a user's."""
    shown = f" {value!r}" if isinstance(value, int | float | bool) else ""
    return f"{type(value).__name__}{shown}"


def wrong(must: str) -> Exception:
    """The error of a reader: `must be ...`."""
    return _WrongError(must)


def text(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise wrong("must be a text")
    return str(value)


def flag(value: object) -> bool:
    """True or false, also as 0 and 1."""
    given = value.typed if isinstance(value, Cell) else value
    if isinstance(given, int) and given in (0, 1):
        return bool(given)
    raise wrong("must be true or false")


def number(value: object) -> float:
    """A finite number."""
    given = value.typed if isinstance(value, Cell) else value
    if isinstance(given, bool) or not isinstance(given, Real) or not isfinite(given):
        raise wrong("must be a finite number")
    return float(given)


def count(value: object) -> int:
    """A whole number from 0."""
    whole = number(value)
    if whole < 0 or whole != int(whole):
        raise wrong("must be a whole number from 0")
    return int(whole)


def identity(value: object) -> str:
    """An id: a text or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | Integral):
        raise wrong("must be a text or a whole number")
    return str(value)


def list_of(reader: Callable[[Any], _T]) -> Callable[[object], tuple[_T, ...]]:
    """A list of values of one kind."""

    def read(value: object) -> tuple[_T, ...]:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise wrong("must be a list")
        return tuple(map(reader, value))

    return read


def optional(reader: Callable[[Any], _T]) -> Callable[[object], _T | None]:
    """A value that may be None within a list."""
    return lambda value: None if _is_nothing(value) else reader(value)


def labelled(reader: Callable[[Any], _T]) -> Callable[[object], _T]:
    """A gold field, read as one of a posted label; arrays, tuples and sets are lists."""
    return lambda value: reader(_plain(value))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_plain(one) for one in value]
    return value


def same_length(columns: Mapping[str, Sequence[object] | None], where: str) -> None:
    """Check that lists which belong together are equally long.

    Raises:
        InputError: they are not; it names two of them and both lengths.
    """
    given = {name: len(column) for name, column in columns.items() if column is not None}
    for name, length in given.items():
        first, expected = next(iter(given.items()))
        if length != expected:
            raise InputError(f"{where}: {first} has {expected} entries and {name} {length}")
