"""Single values of a row as the evaluators take them, checked."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from difflib import get_close_matches
from math import inf, isnan
from numbers import Integral, Real
from typing import Any, Final, TypeVar

import numpy as np
import orjson

from ragmon.errors import InputError
from ragmon.labels.fields import FieldError

_T = TypeVar("_T")

Reader = Callable[[Any], Any]

_LARGEST: Final = 1e100
"""A number beyond it is none that was measured, and its sums would overflow."""
_LARGEST_AMOUNT: Final = 1e9
"""More tokens or dollars than that are none of a request, live or not."""
_PANDAS_NOTHING: Final = frozenset({"NAType", "NaTType"})
"""Types of its missing cells, by name, so that it need not be there."""
LONGEST_SHOWN: Final = 40
"""Characters of a name that a message shows."""


class Cell(str):
    """A cell of a table without types: what its field is says how it is read."""

    __slots__ = ()

    @property
    def scalar(self) -> object:
        """The number or truth value that stands in it, else its text."""
        return self._json(self.strip().lower())

    @property
    def nested(self) -> object:
        """The list or object that stands in it, else its text."""
        return self._json(str(self)) if self.lstrip()[:1] in ("[", "{") else str(self)

    def _json(self, written: str) -> object:
        try:
            return read_json(written)
        except ValueError:
            return str(self)


def read_json(written: str | bytes) -> object:
    """What a JSON text says, also with a byte order mark.

    NaN and halves of surrogate pairs are read as Python writes them.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return orjson.loads(written)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(written)
    except RecursionError:
        raise ValueError("nested too deeply") from None


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
    given = {name: value for name, value in row.items() if not is_nothing(value)}
    return {name: _read(readers[name], value, f"{where}: {name}") for name, value in given.items()}


def unknown_name(kind: str, name: object, known: Iterable[str]) -> str:
    """A line that says of a name that it is unknown, and which is nearest."""
    names = sorted(map(str, known))
    shown = str(name)[:LONGEST_SHOWN]
    near = get_close_matches(shown, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}"
    return f"unknown {kind} {shown!r}; {hint}"


def argument(name: str, reader: Callable[[Any], _T], value: object) -> _T:
    """An argument that is no field of a row, read as one.

    Raises:
        InputError: it cannot be read; it names the argument.
    """
    given: _T = _read(reader, value, name)
    return given


def is_nothing(value: object) -> bool:
    """Whether a cell holds nothing: None, NaN, or what pandas has for them."""
    if isinstance(value, float | np.floating):
        return isnan(value)
    return value is None or type(value).__name__ in _PANDAS_NOTHING


def _read(reader: Reader, value: object, where: str) -> Any:
    try:
        return reader(value)
    except _WrongError as fault:
        written = _written(fault.must, value)
        raise InputError(f"{where} {fault.must}, not {_kind(fault.value)}{written}") from None
    except FieldError as fault:
        kind = f", not {_kind(value)}" if str(fault).startswith("must be") else ""
        raise InputError(f"{where} {fault}{kind}{_written(str(fault), value)}") from None


def _written(must: str, value: object) -> str:
    """How a list or an object is written in a table without types, where one is asked for."""
    if not isinstance(value, Cell) or not isinstance(value.nested, str):
        return ""
    if "list" in must:
        return '; a CSV cell holds a list as JSON: ["a", "b"]'
    return '; a CSV cell holds an object as JSON: {"a": 1}' if "object" in must else ""


class _WrongError(ValueError):
    """A value that cannot be one of its field.

    must: what it must do, as in `must be a text`. value: the one at fault, which may stand
    deep within the field's.
    """

    def __init__(self, must: str, value: object) -> None:
        super().__init__(must)
        self.must = must
        self.value = value


def _kind(value: object) -> str:
    """What a value is, and which number; never a text, which is the user's."""
    name = "str" if isinstance(value, str) else type(value).__name__
    short = isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST)
    return f"{name} {value}" if short else name


def wrong(must: str, value: object) -> Exception:
    """The error of a reader: the value must do what it does not."""
    return _WrongError(must, value)


def text(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise wrong("must be a text", value)
    return str(value)


def flag(value: object) -> bool:
    """True or false, also as 0 and 1."""
    given = value.scalar if isinstance(value, Cell) else value
    if isinstance(given, np.bool_ | Real) and given in (0, 1):
        return bool(given)
    raise wrong("must be true or false", value)


def number(value: object) -> float:
    """A number of a plausible size."""
    given = value.scalar if isinstance(value, Cell) else value
    if isinstance(given, bool) or not isinstance(given, Real | Decimal):
        raise wrong("must be a finite number", value)
    try:
        finite = float(given)
    except (OverflowError, ValueError):
        finite = inf
    if not abs(finite) <= _LARGEST:
        raise wrong(f"must be a finite number up to {_LARGEST:g}", value)
    return finite


def count(value: object) -> int:
    """A whole number from 0."""
    whole = number(value)
    if whole < 0 or whole != int(whole):
        raise wrong("must be a whole number from 0", value)
    return int(whole)


def amount(value: object) -> float:
    """What a request used or paid."""
    given = number(value)
    if not 0 <= given <= _LARGEST_AMOUNT:
        raise wrong(f"must be a number from 0 to {_LARGEST_AMOUNT:g}", value)
    return given


def whole_amount(value: object) -> int:
    """What a request used, counted."""
    whole = count(value)
    amount(value)
    return whole


def identity(value: object) -> str:
    """An id: a text or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | Integral) or value == "":
        raise wrong("must be a text or a whole number", value)
    return str(value)


def possible_id(value: object) -> str | None:
    """The id of a chunk; one that is None or empty is not known, as in a span."""
    return None if is_nothing(value) or value == "" else identity(value)


def list_of(reader: Callable[[Any], _T]) -> Callable[[object], tuple[_T, ...]]:
    """A list of values of one kind; a set is none, since it has no order."""

    def read(value: object) -> tuple[_T, ...]:
        given = value.nested if isinstance(value, Cell) else value
        if isinstance(given, str | bytes | Mapping | AbstractSet) or not isinstance(
            given, Iterable
        ):
            raise wrong("must be a list", value)
        try:
            return tuple(map(reader, given))
        except _WrongError as fault:
            raise wrong(f"holds an entry that {fault.must}", fault.value) from None

    return read


def optional(reader: Callable[[Any], _T]) -> Callable[[object], _T | None]:
    """A value that may be None within a list."""
    return lambda value: None if is_nothing(value) else reader(value)


def labelled(reader: Callable[[Any], _T]) -> Callable[[object], _T]:
    """A gold field, read as one of a posted label; arrays, tuples and sets are lists."""
    return lambda value: reader(plain(value))


def plain(value: object) -> Any:
    """A value as JSON has it: arrays, tuples and sets as lists, of an object what is given."""
    if isinstance(value, Cell):
        return value.nested
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        # A column of objects has the keys of all rows in each, the others without a value.
        return {key: plain(one) for key, one in value.items() if not is_nothing(one)}
    if isinstance(value, AbstractSet):
        return sorted(map(plain, value), key=str)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [plain(one) for one in value]
    return value


def mapping(value: object) -> Mapping[str, Any]:
    """An object."""
    given = value.nested if isinstance(value, Cell) else value
    if not isinstance(given, Mapping):
        raise wrong("must be an object", value)
    return given


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
